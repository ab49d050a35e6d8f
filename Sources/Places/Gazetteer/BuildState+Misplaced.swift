extension BuildState {
    /// Neighbours that are asked where a place lies, and how far around it they may be, in degrees.
    private static let neighbours = 5
    private static let neighbourhood = 1

    /// By time zone, the country of most of the places that the table puts into it.
    func zoneOwners() -> [UInt16?] {
        var counts = [[UInt16: Int]](repeating: [:], count: timeZones.count)
        for place in places where place.timeZone != IndexFormat.none16 {
            counts[Int(place.timeZone)][place.country, default: 0] += 1
        }
        return counts.map { DivisionEvidence.most($0) }
    }

    /// Whether a place lies in another country, though its table has a time zone of its own country.
    ///
    /// The map of countries and the zones around the point say so, and its country has no zone nearby.
    func isStranger(_ place: PlaceDraft, _ zones: BorderMap, _ owners: [UInt16?], _ map: BorderMap) -> Bool {
        guard place.timeZone != IndexFormat.none16, owners[Int(place.timeZone)] == place.country,
            let country = map.spot(of: place.coordinate).area, country != place.country
        else { return false }
        let isOwn = { (zone: UInt16) in owners[Int(zone)] == place.country }
        guard zones.spot(of: place.coordinate).division(where: { _ in true }) != nil else { return false }
        return zones.spot(of: place.coordinate).division(where: isOwn) == nil
            && zones.nearestDivision(to: place.coordinate, within: Gazetteer.borderCapMetres, where: isOwn)
                == nil
    }

    /// Those of the strangers whose coordinates are wrong, so that they would claim the land around for their country: of the five
    /// nearest places within a degree, at least three, none is of the country, and no other stranger of it is within 500 km.
    /// So an exclave of several villages stays, and disputed land.
    func misplaced(among strangers: [Int]) -> [Int] {
        let alone = alone(among: strangers)
        let pairs = alone.map { index in
            strangers.count { other in
                places[other].country == places[index].country
                    && places[other].coordinate.distance(to: places[index].coordinate) < Self.disputedMetres
            }
        }
        return zip(alone, pairs).filter { $0.1 == 1 }.map(\.0)
    }

    /// Strangers of one country that are nearer to each other than this are no mistakes, but a claim.
    private static let disputedMetres = 500_000.0

    mutating func setAside(_ misplaced: [Int]) {
        guard !misplaced.isEmpty else { return }
        summary.misplaced = misplaced.map { index in
            let place = places[index]
            return "\(place.geonameid) \(String(decoding: place.name, as: UTF8.self)), "
                + "\(countries[Int(place.country)].code)"
        }
        places = places.indices.filter { !misplaced.contains($0) }.map { places[$0] }
    }

    /// Those of some places that have no neighbour of their country.
    private func alone(among strangers: [Int]) -> [Int] {
        struct Cell: Hashable {
            var row: Int
            var column: Int
        }
        func cell(_ place: PlaceDraft) -> Cell {
            Cell(
                row: Int(place.coordinate.latitude.rounded(.down)),
                column: Int(place.coordinate.longitude.rounded(.down)))
        }
        func around(_ place: PlaceDraft) -> [Cell] {
            let middle = cell(place)
            let reach = -Self.neighbourhood...Self.neighbourhood
            return reach.flatMap { row in
                reach.map { column in
                    Cell(row: middle.row + row, column: (middle.column + column + 540) % 360 - 180)
                }
            }
        }
        let wanted = Set(strangers.flatMap { around(places[$0]) })
        var byCell: [Cell: [Int]] = [:]
        for (index, place) in places.enumerated() {
            let cell = cell(place)
            if wanted.contains(cell) { byCell[cell, default: []].append(index) }
        }
        return strangers.filter { stranger in
            let place = places[stranger]
            let others = around(place).flatMap { byCell[$0] ?? [] }.filter { $0 != stranger }
                .map {
                    (
                        metres: places[$0].coordinate.distance(to: place.coordinate),
                        country: places[$0].country
                    )
                }
                .sorted { ($0.metres, $0.country) < ($1.metres, $1.country) }.prefix(Self.neighbours)
            return others.count >= 3 && others.allSatisfy { $0.country != place.country }
        }
    }
}
