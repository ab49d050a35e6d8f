/// Which trees an index has, and which places are in them.
///
/// The first tree has all places, and is the only filled one if there are no borders. The second has the places that
/// no polygon covers. Then each country has a tree of the places that overrule its polygon, one of those that do so
/// nearby, one of its own places that stray into the polygon of another division, and its own places, except
/// those that always overrule another country's polygon: in one tree, or, if any of its divisions has a polygon, in one of
/// the places without a division and one for each division.
struct TreePlan {
    static let allPlaces = 0
    static let uncovered = 1
    /// The trees of a country, counted from its first. Its own places follow.
    static let strays = 2
    static let own = 3

    /// By country.
    private(set) var countries: [Range<Int>] = []
    /// By division; 0 if it has no tree.
    private(set) var admin1s: [Int]
    let count: Int

    /// - Parameters:
    ///   - admin1Countries: the country of each division.
    ///   - divided: for each country, whether any of its divisions has a polygon.
    init(admin1Countries: [UInt16], divided: [Bool]) {
        admin1s = [Int](repeating: 0, count: admin1Countries.count)
        var members = [[Int]](repeating: [], count: divided.count)
        for (division, country) in admin1Countries.enumerated() { members[Int(country)].append(division) }
        var next = 2
        for (country, isDivided) in divided.enumerated() {
            let first = next
            next += Self.own + 1
            if isDivided {
                for division in members[country] {
                    admin1s[division] = next
                    next += 1
                }
            }
            countries.append(first..<next)
        }
        count = next
    }

    func overruling(polygon: UInt16, nearby: Bool) -> Int {
        countries[Int(polygon)].lowerBound + (nearby ? 1 : 0)
    }

    func strays(country: UInt16) -> Int { countries[Int(country)].lowerBound + Self.strays }

    /// The tree of a country's own places in a division.
    func own(country: UInt16, admin1: UInt16) -> Int {
        let division = admin1 == IndexFormat.none16 ? 0 : admin1s[Int(admin1)]
        return division > 0 ? division : countries[Int(country)].lowerBound + Self.own
    }
}
