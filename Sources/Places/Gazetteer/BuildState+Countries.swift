extension BuildState {
    /// What places, and points of the map of countries, say about a time zone's polygon.
    private struct ZoneEvidence {
        /// The places inside, by country.
        var places: [UInt16: Int] = [:]
        /// For another zone, the places inside that are in that zone too.
        var shared: [UInt16: Int] = [:]
        /// By country on the map: places far from the zone's edge that belong to that country, and others.
        var confirmed: [UInt16: Int] = [:]
        var denied: [UInt16: Int] = [:]

        /// The countries that are guests here.
        func guests(of owner: UInt16?) -> [UInt16] {
            confirmed.filter { $0.key != owner && $0.value >= 2 && $0.value > denied[$0.key] ?? 0 }.map(\.key)
        }

        /// Whether another zone of the same country has all of these places too.
        func isCovered(owners: [UInt16?], owner: UInt16) -> Bool {
            let all = places.values.reduce(0, +)
            return shared.contains { owners[Int($0.key)] == owner && $0.value == all }
        }
    }

    /// A place nearer to the edge of a time zone may be there by a fault of its coordinates. Metres.
    private static let depthMetres = 5_000.0

    /// Reads zone.tab of the time zone database: country, coordinates, time zone.
    mutating func readZoneCountries(_ file: MappedFile) throws(GazetteerError) {
        var table = TableReader(file)
        while table.next() {
            if table.fields.first?.first == UInt8(ascii: "#") { continue }
            try table.requireFields(3...4)
            guard let country = countryIndex[try table.text(0, "country code")] else { continue }
            countryOfZone[try table.text(2, "time zone")] = country
        }
    }

    /// The map of borders before any is added.
    func emptyBorders(_ path: String) throws(GazetteerError) -> BorderDraft {
        // The area after the last country is land of no country in the table. Divisions are followed by the polygons that mix
        // those of a country.
        let firstDivision = countries.count + 1
        let firstZone = firstDivision + admin1s.count + countries.count
        guard firstZone + timeZones.count < BorderMap.isInsideBelow else {
            throw GazetteerError(
                .malformedInput, file: path,
                message: "more than 32 767 countries, divisions and time zones; give fewer")
        }
        return BorderDraft(firstDivision: firstDivision, firstZone: firstZone)
    }

    /// Adds the borders of countries, from the polygons of time zones where those follow them.
    ///
    /// Most time zones belong to one country. Their polygons are finer than those of a map of the world, have small
    /// islands, and reach to the end of a country's waters. A zone belongs to the country of most of the places inside;
    /// zone.tab decides if there are none. Where a zone holds a guest, both countries keep their polygons on the map: northern
    /// Vietnam lies in Asia/Bangkok. A guest has at least two places within the zone, far from its edge, where the map has
    /// it too, and most places there are its own. A country keeps its polygon as well if less than half of its places lie
    /// in zones of its own (none of Antarctica's). A zone whose places are all in another one of its country too (Asia/Urumqi in Asia/Shanghai) adds
    /// nothing.
    mutating func addCountries(_ path: String) throws(GazetteerError) {
        let (evidence, strangers) = try zoneEvidence(path)
        setAside(misplaced(among: strangers))
        let owners = timeZones.indices.map { zone in
            DivisionEvidence.most(evidence[zone].places) ?? countryOfZone[timeZones[zone]]
        }
        var mapped: Set<UInt16> = []
        for (owner, zone) in zip(owners, evidence) {
            let guests = zone.guests(of: owner)
            mapped.formUnion(guests)
            if let owner, !guests.isEmpty { mapped.insert(owner) }
        }
        var covered = [Int](repeating: 0, count: countries.count)
        for (owner, zone) in zip(owners, evidence) {
            if let owner { covered[Int(owner)] += zone.places[owner] ?? 0 }
        }
        var all = [Int](repeating: 0, count: countries.count)
        for place in places where !place.isSection { all[Int(place.country)] += 1 }
        for country in countries.indices where covered[country] > 0 && !mapped.contains(UInt16(country)) {
            hasWaters[country] = covered[country] * 2 >= all[country]
        }
        for area in zoneAreas {
            guard let zone = timeZoneIndex[area.name], let owner = owners[Int(zone)], hasWaters[Int(owner)],
                !evidence[Int(zone)].isCovered(owners: owners, owner: owner)
            else { continue }
            for ring in area.rings where !Self.isAntarctic(ring) { borders.add(ring: ring, region: owner) }
        }
        let unclaimed = UInt16(countries.count)
        for draft in countryBorders {
            guard let country = draft.country, !hasWaters[Int(country)] else { continue }
            for ring in draft.rings { borders.add(ring: ring, region: country) }
        }
        summary.borderEdges = borders.edgeCount
        for draft in countryBorders where draft.country == nil {
            for ring in draft.rings { borders.add(ring: ring, region: unclaimed) }
        }
        for country in countries.indices {
            precedence[country] = hasWaters[country] ? .zones : .map
        }
        borders.order = precedence.map(\.rawValue) + [UInt8.max]
        summary.bordersWithoutCountry = countryBorders.count { $0.country == nil }
        summary.countriesByZone = hasWaters.count { $0 }
        countryBorders = []
    }

    /// Whether a ring lies south of 60° S, where no country's claim counts (Antarctic Treaty, article IV). Clocks there
    /// still follow the zone.
    private static func isAntarctic(_ ring: [Int32]) -> Bool {
        stride(from: 1, to: ring.count, by: 2).allSatisfy { ring[$0] < -60 * Int32(IndexFormat.degreeScale) }
    }

    /// - Returns: By zone, its evidence; and the places that may be misplaced.
    private func zoneEvidence(_ path: String) throws(GazetteerError) -> ([ZoneEvidence], strangers: [Int]) {
        var evidence = [ZoneEvidence](repeating: ZoneEvidence(), count: timeZones.count)
        var strangers: [Int] = []
        guard !zoneAreas.isEmpty else { return (evidence, strangers) }
        let owners = zoneOwners()
        var map = BorderDraft(firstDivision: countries.count)
        for draft in countryBorders {
            guard let country = draft.country else { continue }
            for ring in draft.rings { map.add(ring: ring, region: country) }
        }
        let mapSection = try map.layOut(path)
        // Numbered like divisions, since zones may overlap.
        var draft = BorderDraft(firstDivision: 0)
        addZones(to: &draft, from: 0)
        try draft.layOut(path).withMap(path) { zones throws(GazetteerError) in
            func visit(_ point: Coordinate, _ body: (Int, [UInt16]) -> Void) {
                var around: [UInt16] = []
                _ = zones.spot(of: point).division { zone in
                    around.append(zone)
                    return false
                }
                for zone in around { body(Int(zone), around) }
            }
            func isDeep(_ point: Coordinate, _ zone: Int) -> Bool {
                zones.nearest(to: point, within: Self.depthMetres) { Int($0) == zone } == nil
            }
            try mapSection.withMap(path) { map in
                for (index, place) in places.enumerated() where !place.isSection {
                    if isStranger(place, zones, owners, map) { strangers.append(index) }
                    visit(place.coordinate) { zone, around in
                        evidence[zone].places[place.country, default: 0] += 1
                        for other in around where Int(other) != zone {
                            evidence[zone].shared[other, default: 0] += 1
                        }
                        guard let country = map.spot(of: place.coordinate).area else { return }
                        if country != place.country {
                            evidence[zone].denied[country, default: 0] += 1
                        } else if isDeep(place.coordinate, zone) {
                            evidence[zone].confirmed[country, default: 0] += 1
                        }
                    }
                }
            }
        }
        return (evidence, strangers)
    }

    /// Adds the polygons of time zones, by their number, which must be final.
    func addZones(to draft: inout BorderDraft, from first: Int) {
        for area in zoneAreas {
            guard let zone = timeZoneIndex[area.name] else { continue }
            for ring in area.rings { draft.add(ring: ring, region: UInt16(first) + zone) }
        }
    }
}

/// Which country a point belongs to that several polygons contain; the lowest first.
enum BorderPrecedence: UInt8 {
    /// Polygons of time zones.
    case zones
    /// A polygon of the map of countries.
    case map
}
