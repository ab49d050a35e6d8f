extension BuildState {
    /// The divisions that are little but a city, with the city's number: Berlin, Vienna, Bogotá.
    ///
    /// Such a division has the city's name in its own. Places farther from the city than `CityRule.namedShare` of its
    /// radius have at most a fiftieth of its inhabitants, and it has at least 45 % of all that the division's places
    /// have: districts count twice.
    func cityDivisions() -> [UInt16: Int] {
        let largest = representatives().largest
        var all = [Int](repeating: 0, count: admin1s.count)
        var far = [Int](repeating: 0, count: admin1s.count)
        for place in places where !place.isSection && place.admin1 != IndexFormat.none16 {
            let division = Int(place.admin1)
            let city = places[Int(largest[division])]
            all[division] += Int(place.population)
            let reach = CityRule.radius(population: city.population) * CityRule.namedShare
            if place.coordinate.distance(to: city.coordinate) > reach {
                far[division] += Int(place.population)
            }
        }
        var cities: [UInt16: Int] = [:]
        for division in admin1s.indices where largest[division] != .max {
            let city = places[Int(largest[division])]
            let people = Int(city.population)
            guard city.population >= Self.smallestCityDivision, far[division] * 50 <= people,
                people * 100 >= all[division] * 45, isNamed(admin1s[division], after: city)
            else { continue }
            cities[UInt16(division)] = Int(largest[division])
        }
        return cities
    }

    private static let smallestCityDivision: UInt32 = 500_000

    private func isNamed(_ division: Admin1Draft, after city: PlaceDraft) -> Bool {
        let name = String(decoding: NameFolding.key(division.name), as: UTF8.self)
        let alternates = String(decoding: city.alternates, as: UTF8.self).split(separator: ",").map(
            String.init)
        let own = [String(decoding: city.name, as: UTF8.self), String(decoding: city.ascii, as: UTF8.self)]
        return (own + alternates).contains { other in
            let key = String(decoding: NameFolding.key(other), as: UTF8.self)
            return key.count > 3 && name.contains(key)
        }
    }
}
