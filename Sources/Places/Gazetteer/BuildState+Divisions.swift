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
        let byISO3 = countriesByISO3
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

    /// Adds the polygons of divisions to the borders, each as the evidence says.
    ///
    /// A polygon belongs to the division that its code or name says, if that has a place inside or no place is inside;
    /// otherwise to the division of most of the places inside. It is then believed if it tells the division of those
    /// places at least as often as the nearest other place of the country does. A polygon that is not believed mixes
    /// divisions: Kenya's old provinces, or all of Puerto Rico in one. It is added as `mixed`, and the division of the
    /// nearest place decides within it.
    ///
    /// - Returns: for each country, whether any of its divisions has a polygon.
    mutating func addDivisions(_ path: String) throws(GazetteerError) -> [Bool] {
        var divided = [Bool](repeating: false, count: countries.count)
        // Divisions are looked up within a country, so they are useless without countries.
        guard !divisions.isEmpty, !borders.isEmpty else { return divided }
        var byCode: [String: UInt16] = admin1Index
        for (index, admin1) in admin1s.enumerated() where !admin1.iso.isEmpty {
            byCode[admin1.iso] = byCode[admin1.iso] ?? UInt16(index)
        }
        for (draft, evidence) in zip(divisions, try divisionEvidence(path)) {
            let claim = draft.codes.lazy.compactMap { byCode[$0] }.first ?? named(draft)
            guard
                let country = draft.country ?? evidence.country(admin1s)
                    ?? claim.map({ admin1s[Int($0)].country })
            else {
                summary.bordersWithoutDivision += 1
                continue
            }
            let region: UInt16
            switch evidence.verdict(claim, of: country, admin1s) {
            case .unknown:
                summary.bordersWithoutDivision += 1
                continue
            case .mixed:
                summary.mixedDivisionBorders += 1
                region = UInt16(admin1s.count) + country
            case .division(let division):
                divided[Int(country)] = true
                bordered.insert(division)
                region = division
            }
            for ring in draft.rings {
                borders.add(ring: ring, region: UInt16(borders.firstDivision) + region)
            }
        }
        divisions = []
        return divided
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

    /// Divisions that no look-up can return: they have no polygon and no place.
    func unreachableDivisions() -> [String] {
        var reachable = bordered
        for place in places where !place.isSection && place.admin1 != IndexFormat.none16 {
            reachable.insert(place.admin1)
        }
        return admin1s.indices.filter { !reachable.contains(UInt16($0)) }
            .map { "\(admin1s[$0].code) \(admin1s[$0].name)" }
    }
}
