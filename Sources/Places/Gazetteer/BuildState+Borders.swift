extension BuildState {
    /// A country's polygons as they were read; nil for land of no country in the table.
    struct CountryBorderDraft {
        var country: UInt16?
        var rings: [[Int32]]
    }

    var countriesByISO3: [String: UInt16] {
        Dictionary(
            countries.enumerated().map { ($1.iso3, UInt16($0)) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func readCountryBorders(_ file: MappedFile) throws(GazetteerError) {
        let byISO3 = countriesByISO3
        var scanner = GeoJSONScanner(file)
        var drafts = self.countryBorders
        try scanner.forEachFeature { feature in
            drafts.append(
                CountryBorderDraft(country: region(feature.properties, byISO3), rings: feature.rings))
        }
        countryBorders = drafts
    }

    /// Records for every place whether the polygons around it say its own country and division. A place whose table
    /// names no division gets that of the polygon.
    mutating func placeInPolygons(_ section: SectionBytes, _ divided: [Bool], _ path: String)
        throws(GazetteerError)
    {
        var places = self.places
        try section.withMap(path) { map in
            for index in places.indices { placeInPolygon(&places[index], map, divided) }
        }
        self.places = places
        summary.overrulingPlaces = places.count { $0.polygonRule != .agrees }
    }

    private func placeInPolygon(_ place: inout PlaceDraft, _ map: BorderMap, _ divided: [Bool]) {
        let point = place.coordinate
        let reach = Gazetteer.borderCapMetres
        let spot = map.spot(of: point)
        let isCountry = { (area: UInt16) in area < UInt16(countries.count) }
        let around = spot.area.flatMap { isCountry($0) ? $0 : nil }
        let isNear = { (area: UInt16) in isCountry(area) && !hasWaters[Int(area)] }
        guard let polygon = around ?? map.nearest(to: point, within: reach, where: isNear)?.region else {
            return
        }
        place.polygon = polygon
        let own = place.country
        guard polygon == own else {
            let isNearOwnBorder = map.nearest(to: point, within: reach) { $0 == own } != nil
            place.polygonRule = isNearOwnBorder ? .overrulesNearby : .overrules
            return
        }
        guard divided[Int(own)],
            let division = map.division(at: point, spot, where: { country(ofDivision: $0) == own })?.region,
            division < UInt16(admin1s.count)
        else { return }
        if place.admin1 == IndexFormat.none16 {
            place.admin1 = division
        } else if division != place.admin1 {
            place.polygonRule = .strays
        }
    }

    /// The country of a division, or of a mixed polygon, by its number in the borders.
    private func country(ofDivision number: UInt16) -> UInt16 {
        let mixed = UInt16(admin1s.count)
        return number < mixed ? admin1s[Int(number)].country : number - mixed
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

extension BorderMap {
    /// The division, or mixed polygon, at a point of a country: the one around it, else the nearest within
    /// `Gazetteer.borderCapMetres`, which has a distance. Numbered from 0.
    @inline(__always)
    func division(
        at point: Coordinate, _ spot: Spot, where isOwn: (UInt16) -> Bool
    ) -> (region: UInt16, metres: Double?)? {
        if let division = spot.division(where: isOwn) { return (division, nil) }
        return nearestDivision(to: point, within: Gazetteer.borderCapMetres, where: isOwn)
            .map { ($0.region, $0.metres) }
    }
}
