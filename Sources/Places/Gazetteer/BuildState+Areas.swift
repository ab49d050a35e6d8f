extension BuildState {
    /// A polygon with a name, which is an area on a separate map.
    struct AreaDraft {
        var name: String
        var rings: [[Int32]]

        /// In square units, on the plane of longitudes and latitudes: good enough to tell a gulf from its ocean.
        var size: Int {
            rings.reduce(0) { sum, ring in
                var twice = 0
                for index in stride(from: 0, to: ring.count, by: 2) {
                    let next = index + 2 == ring.count ? 0 : index + 2
                    // In millionths of a degree, so that the sum fits.
                    let (x1, y1) = (Int(ring[index]) / 10, Int(ring[index + 1]) / 10)
                    let (x2, y2) = (Int(ring[next]) / 10, Int(ring[next + 1]) / 10)
                    twice += x1 * y2 - x2 * y1
                }
                return sum + abs(twice)
            }
        }
    }

    mutating func readSeas(_ file: MappedFile) throws(GazetteerError) {
        seas += try Self.areas(file, ["name", "name_en", "label"])
        summary.seas = seas.count
    }

    /// The time zone database has some 600 names, links included.
    private static let mostTimeZones = 1_000

    mutating func readZoneBorders(_ file: MappedFile) throws(GazetteerError) {
        let areas = try Self.areas(file, ["tzid"])
        for area in areas where timeZoneIndex[area.name] == nil {
            guard timeZones.count < Self.mostTimeZones else {
                throw GazetteerError(
                    .malformedInput, file: file.path,
                    message:
                        "more than \(Self.mostTimeZones) time zones; the property tzid holds something else")
            }
            timeZoneIndex[area.name] = UInt16(timeZones.count)
            timeZones.append(area.name)
        }
        zoneAreas += areas
        summary.zoneBorders = zoneAreas.count
    }

    /// The polygons that have one of the properties.
    private static func areas(_ file: MappedFile, _ properties: [String]) throws(GazetteerError)
        -> [AreaDraft]
    {
        var areas: [AreaDraft] = []
        var scanner = GeoJSONScanner(file)
        try scanner.forEachFeature { feature in
            guard
                let name = properties.lazy.compactMap({ feature.properties[$0] }).first(where: { !$0.isEmpty }
                ),
                !feature.rings.isEmpty
            else { return }
            areas.append(AreaDraft(name: name, rings: feature.rings))
        }
        guard !areas.isEmpty else {
            throw GazetteerError(
                .malformedInput, file: file.path,
                message:
                    "no polygon has the property \(properties.joined(separator: " or ")); give another file")
        }
        return areas
    }

    /// Sections of seas.
    func seaSections(_ strings: inout StringPool, _ path: String) throws(GazetteerError)
        -> [(IndexFormat.Kind, SectionBytes)]
    {
        var sections: [(IndexFormat.Kind, SectionBytes)] = []
        if !seas.isEmpty {
            guard seas.count < BorderMap.isInsideBelow else {
                throw GazetteerError(
                    .malformedInput, file: path, message: "more than 32 767 seas; give fewer")
            }
            let sorted = seas.map { (size: $0.size, sea: $0) }.sorted { left, right in
                (left.size, left.sea.name) < (right.size, right.sea.name)
            }
            var draft = BorderDraft(firstDivision: seas.count)
            var names = SectionBytes()
            for (index, (_, sea)) in sorted.enumerated() {
                for ring in sea.rings { draft.add(ring: ring, region: UInt16(index)) }
                names.append(strings.intern(sea.name))
            }
            sections.append((.seaBorders, try draft.layOut(path)))
            sections.append((.seaNames, names))
        }
        return sections
    }
}
