/// Which trees an index has, and which places are in them.
///
/// The first tree has all places, and is the only filled one if there are no borders. The second has the places that
/// no polygon covers. Then each country has a tree of the places that overrule its polygon, one of those that do so
/// nearby, and one of its own places without a division. If any of its divisions has a polygon, one tree for each of
/// its divisions follows; otherwise the places of all its divisions are in that third tree.
struct TreePlan {
    static let allPlaces = 0
    static let uncovered = 1

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
            next += 3
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

    func own(country: UInt16, admin1: UInt16) -> Int {
        if admin1 != IndexFormat.none16, admin1s[Int(admin1)] > 0 { return admin1s[Int(admin1)] }
        return countries[Int(country)].lowerBound + 2
    }
}
