extension Gazetteer {
    /// The text that the string reference at an offset of a section points to.
    func text(_ section: ByteSection, at offset: Int) -> String {
        let start: UInt32 = section.integer(at: offset)
        let length: UInt32 = section.integer(at: offset + 4)
        return strings.text(at: Int(start), count: Int(length))
    }

    package func country(_ index: UInt16) -> Country? {
        let offset = Int(index) * CountryRecord.size
        guard offset + CountryRecord.size <= countries.count else { return nil }
        return Country(
            code: countries.text(at: offset + CountryRecord.code, count: 2),
            name: text(countries, at: offset + CountryRecord.name))
    }

    /// The place that stands for a country: its capital, else its most populous place.
    func capital(ofCountry index: Int) -> Int? {
        placeIndex(countries.integer(at: index * CountryRecord.size + CountryRecord.capital))
    }

    /// The places that stand for countries.
    package var capitals: [Int] {
        (0..<countries.count / CountryRecord.size).compactMap { capital(ofCountry: $0) }
    }

    package func admin1(_ index: UInt16) -> Admin1? {
        let offset = Int(index) * Admin1Record.size
        guard offset + Admin1Record.size <= admin1s.count else { return nil }
        let iso = text(admin1s, at: offset + Admin1Record.iso)
        return Admin1(
            code: text(admin1s, at: offset + Admin1Record.code),
            name: text(admin1s, at: offset + Admin1Record.name), iso: iso.isEmpty ? nil : iso)
    }

    func largestPlace(ofAdmin1 index: Int) -> Int? {
        placeIndex(admin1s.integer(at: index * Admin1Record.size + Admin1Record.largest))
    }

    /// The offset of the record of a place's regions.
    private func regions(ofPlace index: Int) -> Int {
        Int(places.integer(at: index * PlaceRecord.size + PlaceRecord.regions, as: UInt16.self))
            * PlaceRegionsRecord.size
    }

    package func country(ofPlace index: Int) -> UInt16 {
        placeRegions.integer(at: regions(ofPlace: index) + PlaceRegionsRecord.country)
    }

    package func admin1(ofPlace index: Int) -> UInt16 {
        placeRegions.integer(at: regions(ofPlace: index) + PlaceRegionsRecord.admin1)
    }

    /// The country whose polygon contains a place's own point, or is nearest to it.
    package func polygon(ofPlace index: Int) -> UInt16 {
        placeRegions.integer(at: regions(ofPlace: index) + PlaceRegionsRecord.polygon)
    }

    /// How a place relates to the polygon around it.
    package func polygonRule(ofPlace index: Int) -> PlaceRegionsRecord.PolygonRule {
        PlaceRegionsRecord.PolygonRule(
            rawValue: placeRegions.integer(at: regions(ofPlace: index) + PlaceRegionsRecord.polygonRule))
            ?? .agrees
    }

    /// Whether a country has a `CountryRecord.Flag`.
    package func hasFlag(_ flag: UInt16, country index: UInt16) -> Bool {
        countries.integer(at: Int(index) * CountryRecord.size + CountryRecord.flags, as: UInt16.self) & flag
            != 0
    }

    /// The trees of a country: see `TreePlan`.
    func trees(ofCountry index: UInt16) -> Range<Int> {
        let record = Int(index) * CountryRecord.size
        let first = Int(countries.integer(at: record + CountryRecord.firstTree, as: UInt32.self))
        return first..<first + Int(countries.integer(at: record + CountryRecord.treeCount, as: UInt16.self))
    }

    /// The trees of a country's own places, except those that always overrule another country's polygon; without borders
    /// the one tree of all places.
    func ownTrees(ofCountry index: UInt16) -> Range<Int> {
        guard borders != nil else { return TreePlan.allPlaces..<TreePlan.allPlaces + 1 }
        let trees = trees(ofCountry: index)
        return min(trees.lowerBound + TreePlan.own, trees.upperBound)..<trees.upperBound
    }

    /// Of several areas around a point, the lowest counts: see `BorderPrecedence`.
    package func precedence(ofArea area: UInt16) -> UInt8 {
        guard isCountry(area) else { return .max }
        let hasWaters = hasFlag(CountryRecord.Flag.hasWaters, country: area)
        return (hasWaters ? BorderPrecedence.zones : .map).rawValue
    }

    /// Of two places at one point, whether the first is named.
    package func isPreferred(_ place: Int, to other: Int) -> Bool { tree.isPreferred(place, to: other) }

    func tree(ofAdmin1 index: UInt16) -> Int {
        Int(admin1s.integer(at: Int(index) * Admin1Record.size + Admin1Record.tree, as: UInt32.self))
    }

    /// The country of a division, or of a polygon that mixes divisions, by its number in the borders.
    package func country(ofDivision number: UInt16) -> UInt16 {
        isMixed(number) ? number &- UInt16(admin1s.count / Admin1Record.size) : country(ofAdmin1: number)
    }

    /// Whether a polygon mixes the divisions of its country.
    package func isMixed(_ number: UInt16) -> Bool { Int(number) >= admin1s.count / Admin1Record.size }

    package func country(ofAdmin1 index: UInt16) -> UInt16 {
        admin1s.integer(at: Int(index) * Admin1Record.size + Admin1Record.country)
    }

    package func population(ofPlace index: Int) -> Int {
        Int(places.integer(at: index * PlaceRecord.size + PlaceRecord.population, as: UInt32.self))
    }

    package func geonameid(ofPlace index: Int) -> UInt32 {
        places.integer(at: index * PlaceRecord.size + PlaceRecord.geonameid)
    }

    package func coordinate(ofPlace index: Int) -> Coordinate {
        let offset = index * PlaceRecord.size
        let latitude: Int32 = places.integer(at: offset + PlaceRecord.latitude)
        let longitude: Int32 = places.integer(at: offset + PlaceRecord.longitude)
        return Coordinate(
            clamping: Double(latitude) / IndexFormat.degreeScale, Double(longitude) / IndexFormat.degreeScale)
    }

    package func place(_ index: Int) -> Place {
        let offset = index * PlaceRecord.size
        let nameOffset: UInt32 = places.integer(at: offset + PlaceRecord.nameOffset)
        let nameLength: UInt16 = places.integer(at: offset + PlaceRecord.nameLength)
        let zone: UInt16 = placeRegions.integer(
            at: regions(ofPlace: index) + PlaceRegionsRecord.timeZone)
        let zoneName = zone == IndexFormat.none16 ? "" : text(timeZones, at: Int(zone) * 8)
        return Place(
            geonameid: Int(geonameid(ofPlace: index)),
            name: strings.text(at: Int(nameOffset), count: Int(nameLength)),
            coordinate: coordinate(ofPlace: index), population: population(ofPlace: index),
            timeZone: zoneName.isEmpty ? nil : zoneName)
    }

    private func placeIndex(_ stored: UInt32) -> Int? {
        Int(stored) < places.count / PlaceRecord.size ? Int(stored) : nil
    }
}
