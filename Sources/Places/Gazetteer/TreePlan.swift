/// Which trees an index has, and what is in them.
///
/// The first is of all places, and alone filled where there are no borders; the second of places that
/// no polygon covers. Then each country has one of the places that overrule its polygon, one of those
/// that do so nearby, one of its own places without a division, and, where some division of it has a
/// polygon, one for each of its divisions; else the places of all divisions are in the third.
struct TreePlan {
    static let allPlaces = 0
    static let uncovered = 1

    /// By country.
    private(set) var countries: [Range<Int>] = []
    /// By division; 0 for one that has no tree.
    private(set) var admin1s: [Int]
    let count: Int

    /// - Parameters:
    ///   - admin1Countries: the country of each division.
    ///   - divided: whether some division of a country has a polygon.
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
