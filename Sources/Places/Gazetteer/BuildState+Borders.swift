extension BuildState {
    mutating func readCountryBorders(_ file: MappedFile) throws(GazetteerError) {
        let byISO3 = Dictionary(
            countries.enumerated().map { ($1.iso3, UInt16($0)) }, uniquingKeysWith: { first, _ in first })
        var scanner = GeoJSONScanner(file)
        var borders = self.borders
        var left = 0
        var edges = 0
        let unclaimed = UInt16(countries.count)
        try scanner.forEachFeature { feature in
            let region = region(feature.properties, byISO3)
            let before = borders.edgeCount
            for ring in feature.rings { borders.add(ring: ring, region: region ?? unclaimed) }
            if region == nil { left += 1 } else { edges += borders.edgeCount - before }
        }
        self.borders = borders
        summary.bordersWithoutCountry += left
        summary.borderEdges += edges
    }

    /// Records for every place which country's polygon it lies in, and whether it overrules that polygon.
    mutating func placeInPolygons(_ section: SectionBytes, _ path: String) throws(GazetteerError) {
        var places = self.places
        let failure: GazetteerError? = section.bytes.withUnsafeBytes { bytes in
            do throws(GazetteerError) {
                let map = try BorderMap(ByteSection(bytes), file: path)
                let count = UInt16(countries.count)
                for index in places.indices { Self.placeInPolygon(&places[index], map, count) }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        self.places = places
        summary.overrulingPlaces = places.count { $0.polygonRule != .agrees }
    }

    private static func placeInPolygon(_ place: inout PlaceDraft, _ map: BorderMap, _ countries: UInt16) {
        let point = place.coordinate
        let reach = Gazetteer.borderCapMetres
        let around = map.spot(of: point).area.flatMap { $0 < countries ? $0 : nil }
        guard let polygon = around ?? map.nearest(to: point, within: reach, where: { $0 < countries })?.region
        else { return }
        place.polygon = polygon
        guard polygon != place.country else { return }
        let own = place.country
        let isNearOwnBorder = map.nearest(to: point, within: reach) { $0 == own } != nil
        place.polygonRule = isNearOwnBorder ? .overrulesNearby : .overrules
    }

    /// The country of a feature: by ISO code if it has one, else by Natural Earth's name.
    func region(_ properties: [String: String], _ byISO3: [String: UInt16]) -> UInt16? {
        for name in ["iso_a2_eh", "iso_a2"] {
            if let code = properties[name], let index = countryIndex[code] { return index }
        }
        for name in ["iso_a3_eh", "iso_a3", "adm0_a3"] {
            if let code = properties[name], let index = byISO3[code] { return index }
        }
        for name in ["admin", "name"] {
            if let code = properties[name].flatMap({ CountryAliases.codeByBorderName[$0] }) {
                return countryIndex[code]
            }
        }
        return nil
    }
}
