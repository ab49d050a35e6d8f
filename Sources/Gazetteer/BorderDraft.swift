/// Polygons read for the index, as edges in bands of latitude.
struct BorderDraft {
    private struct Group {
        var region: UInt16
        var edges: [Int32] = []
        var west = Int32.max
        var east = Int32.min
    }

    private var bands = [[Group]](repeating: [], count: BorderMap.bandCount)
    private(set) var edgeCount = 0

    var isEmpty: Bool { edgeCount == 0 }

    mutating func add(ring: [Int32], region: UInt16) {
        let count = ring.count / 2
        for index in 0..<count {
            let next = index + 1 == count ? 0 : index + 1
            add(ring[2 * index], ring[2 * index + 1], ring[2 * next], ring[2 * next + 1], region)
        }
    }

    private mutating func add(_ west: Int32, _ south: Int32, _ east: Int32, _ north: Int32, _ region: UInt16)
    {
        // A closed ring repeats its first point: that edge has no length.
        guard west != east || south != north else { return }
        edgeCount += 1
        for band in BorderMap.band(of: min(south, north))...BorderMap.band(of: max(south, north)) {
            let known = bands[band].lastIndex { $0.region == region }
            let index = known ?? bands[band].count
            if known == nil { bands[band].append(Group(region: region)) }
            bands[band][index].edges.append(west)
            bands[band][index].edges.append(south)
            bands[band][index].edges.append(east)
            bands[band][index].edges.append(north)
            bands[band][index].west = min(bands[band][index].west, west, east)
            bands[band][index].east = max(bands[band][index].east, west, east)
        }
    }

    func layOut() -> SectionBytes {
        var starts: [UInt32] = [0]
        var groups = SectionBytes()
        var edges = SectionBytes()
        var groupCount = 0
        for band in bands {
            for group in band.sorted(by: { $0.region < $1.region }) {
                groups.append(UInt32(group.region))
                groups.append(UInt32(edges.bytes.count / BorderMap.edgeSize))
                groups.append(UInt32(group.edges.count / 4))
                groups.append(group.west)
                groups.append(group.east)
                for value in group.edges { edges.append(value) }
                groupCount += 1
            }
            starts.append(UInt32(groupCount))
        }
        var section = SectionBytes()
        section.append(UInt32(BorderMap.bandCount))
        section.append(UInt32(groupCount))
        section.append(UInt32(edges.bytes.count / BorderMap.edgeSize))
        section.append(UInt32(0))
        for start in starts { section.append(start) }
        section.bytes += groups.bytes
        section.bytes += edges.bytes
        return section
    }
}

extension BuildState {
    mutating func readCountryBorders(_ file: MappedFile) throws(GazetteerError) {
        let byISO3 = Dictionary(
            countries.enumerated().map { ($1.iso3, UInt16($0)) }, uniquingKeysWith: { first, _ in first })
        var scanner = GeoJSONScanner(file)
        var borders = self.borders
        var left = 0
        try scanner.forEachFeature { feature in
            guard let region = region(feature.properties, byISO3) else {
                left += 1
                return
            }
            for ring in feature.rings { borders.add(ring: ring, region: region) }
        }
        self.borders = borders
        summary.bordersWithoutCountry += left
        summary.borderEdges = borders.edgeCount
    }

    /// Notes for every place which country's polygon it lies in, and whether it overrules it.
    mutating func placeInPolygons(_ section: SectionBytes, _ path: String) throws(GazetteerError) {
        var places = self.places
        let failure: GazetteerError? = section.bytes.withUnsafeBytes { bytes in
            do throws(GazetteerError) {
                let map = try BorderMap(ByteSection(bytes), file: path)
                for index in places.indices { Self.placeInPolygon(&places[index], map) }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        self.places = places
        summary.overrulingPlaces = places.count { $0.polygonRule != .agrees }
    }

    private static func placeInPolygon(_ place: inout PlaceDraft, _ map: BorderMap) {
        let point = Coordinate(
            clamping: Double(place.latitude) / IndexFormat.degreeScale,
            Double(place.longitude) / IndexFormat.degreeScale)
        let reach = Gazetteer.borderCapMetres
        guard let polygon = map.region(containing: point) ?? map.nearest(to: point, within: reach)?.region
        else { return }
        place.polygon = polygon
        guard polygon != place.country else { return }
        let isNearOwnBorder = map.nearest(to: point, within: reach, region: place.country) != nil
        place.polygonRule = isNearOwnBorder ? .overrulesNearby : .overrules
    }

    /// The country of a feature: by ISO code where it has one, else by Natural Earth's name.
    private func region(_ properties: [String: String], _ byISO3: [String: UInt16]) -> UInt16? {
        for name in ["ISO_A2_EH", "ISO_A2", "iso_a2"] {
            if let code = properties[name], let index = countryIndex[code] { return index }
        }
        for name in ["ISO_A3_EH", "ISO_A3", "iso_a3", "ADM0_A3", "adm0_a3"] {
            if let code = properties[name], let index = byISO3[code] { return index }
        }
        for name in ["ADMIN", "admin", "NAME", "name"] {
            if let code = properties[name].flatMap({ CountryAliases.codeByBorderName[$0] }) {
                return countryIndex[code]
            }
        }
        return nil
    }
}
