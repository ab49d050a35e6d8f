extension BuildState {
    /// A polygon of a first-level division as it was read.
    struct DivisionDraft {
        var country: UInt16?
        /// GeoNames' or ISO 3166-2's, as the source has them.
        var codes: [String]
        var names: [String]
        var rings: [[Int32]]
    }

    mutating func readDivisionBorders(_ file: MappedFile) throws(GazetteerError) {
        let byISO3 = Dictionary(
            countries.enumerated().map { ($1.iso3, UInt16($0)) }, uniquingKeysWith: { first, _ in first })
        var scanner = GeoJSONScanner(file)
        var divisions = self.divisions
        try scanner.forEachFeature { feature in
            guard !feature.rings.isEmpty else { return }
            let properties = feature.properties
            divisions.append(
                DivisionDraft(
                    country: region(properties, byISO3),
                    codes: ["gn_a1_code", "iso_3166_2"].compactMap { properties[$0] },
                    names: ["name", "gn_name", "name_en", "woe_name", "name_local"].compactMap {
                        properties[$0]
                    },
                    rings: feature.rings))
        }
        guard divisions.count < Int(BorderMap.isInsideBelow) else {
            throw GazetteerError(
                .malformedInput, file: file.path,
                message: "has more than 32 767 polygons; give fewer divisions")
        }
        self.divisions = divisions
        summary.divisionBorders = divisions.count
    }

    /// Adds the polygons of divisions to the borders. A polygon belongs to the division of most of the places inside
    /// it; without places, its code or name decides.
    ///
    /// - Returns: for each country, whether any of its divisions has a polygon.
    mutating func addDivisions(_ path: String) throws(GazetteerError) -> [Bool] {
        var divided = [Bool](repeating: false, count: countries.count)
        // Divisions are looked up within a country, so they are useless without countries.
        guard !divisions.isEmpty, !borders.isEmpty else { return divided }
        guard borders.firstDivision + admin1s.count < Int(BorderMap.isInsideBelow) else {
            throw GazetteerError(
                .malformedInput, file: path, message: "more than 32 767 countries and divisions; give fewer")
        }
        var byCode: [String: UInt16] = admin1Index
        for (index, admin1) in admin1s.enumerated() where !admin1.iso.isEmpty {
            byCode[admin1.iso] = byCode[admin1.iso] ?? UInt16(index)
        }
        for (draft, votes) in zip(divisions, try divisionVotes(path)) {
            // On a tie the division with the lowest number wins.
            let most = votes.max { $0.value != $1.value ? $0.value < $1.value : $0.key > $1.key }?.key
            guard let admin1 = most ?? draft.codes.lazy.compactMap({ byCode[$0] }).first ?? named(draft)
            else {
                summary.bordersWithoutDivision += 1
                continue
            }
            divided[Int(admin1s[Int(admin1)].country)] = true
            for ring in draft.rings {
                borders.add(ring: ring, region: UInt16(borders.firstDivision) + admin1)
            }
        }
        divisions = []
        return divided
    }

    /// For each polygon, the divisions of the places inside and the number of those places.
    private func divisionVotes(_ path: String) throws(GazetteerError) -> [[UInt16: Int]] {
        var votes = [[UInt16: Int]](repeating: [:], count: divisions.count)
        var draft = BorderDraft(firstDivision: 0)
        for (index, division) in divisions.enumerated() {
            for ring in division.rings { draft.add(ring: ring, region: UInt16(index)) }
        }
        let section = try draft.layOut(path)
        let failure: GazetteerError? = section.bytes.withUnsafeBytes { bytes in
            do throws(GazetteerError) {
                let map = try BorderMap(ByteSection(bytes), file: path)
                for place in places where place.admin1 != IndexFormat.none16 && !place.isSection {
                    let spot = map.spot(of: place.coordinate)
                    _ = spot.division { polygon in
                        votes[Int(polygon)][place.admin1, default: 0] += 1
                        return false
                    }
                }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        return votes
    }

    private func named(_ draft: DivisionDraft) -> UInt16? {
        guard let country = draft.country else { return nil }
        let keys = Set(draft.names.map { NameFolding.key($0) }.filter { !$0.isEmpty })
        let index = admin1s.firstIndex { admin1 in
            admin1.country == country
                && ([admin1.name] + admin1.aliases).contains { keys.contains(NameFolding.key($0)) }
        }
        return index.map { UInt16($0) }
    }
}
