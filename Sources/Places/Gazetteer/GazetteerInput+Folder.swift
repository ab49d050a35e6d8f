import Glibc

extension GazetteerInput {
    /// The names of files that a build can use, in order of precedence.
    private static let standardNames: [(name: String, kind: Kind)] = [
        ("countryInfo.txt", .countries), ("admin1CodesASCII.txt", .admin1Codes),
        ("subdivisions.tsv", .subdivisions), ("regionNames.tsv", .regionNames),
        ("allCountries.txt", .places), ("cities500.txt", .places), ("cities1000.txt", .places),
        ("cities5000.txt", .places), ("cities15000.txt", .places),
        ("alternateNamesV2.txt", .alternateNames), ("admin2Codes.txt", .admin2Codes),
        ("zone.tab", .zoneCountries),
    ]

    /// The names of files with polygons, likewise; the coarser scales of Natural Earth come last, and a
    /// GeoPackage has a layer.
    private static let polygonNames: [(name: String, layer: String?, kind: Kind)] = [
        ("countries", nil, .countryBorders), ("ne_10m_admin_0_countries", nil, .countryBorders),
        ("ne_50m_admin_0_countries", nil, .countryBorders),
        ("divisions", nil, .divisionBorders), ("ne_10m_admin_1_states_provinces", nil, .divisionBorders),
        ("ne_50m_admin_1_states_provinces", nil, .divisionBorders),
        ("seas", nil, .seas), ("ne_10m_geography_marine_polys", nil, .seas),
        ("ne_50m_geography_marine_polys", nil, .seas),
        ("timezones", nil, .zoneBorders), ("combined-with-oceans", nil, .zoneBorders),
        ("combined", nil, .zoneBorders),
        ("world_map", "countries", .countryBorders), ("world_map", "states_provinces", .divisionBorders),
    ]

    /// Finds the inputs in a folder.
    ///
    /// If the folder has a file sources.tsv, that lists them, with the tab-separated fields name, kind, title, URL,
    /// date, licence and attribution, as `demo/fetch-gazetteer` writes it; a name may end with # and a layer. Otherwise
    /// files with their usual GeoNames and Natural Earth names are used, and countries.geojson and divisions.geojson;
    /// if there are several of one kind, only the most complete. Polygons may be GeoJSON, GeoPackages or shapefiles.
    /// - Throws: `GazetteerError`: `missingInput` if the folder lacks places or countries,
    ///   `malformedInput` for a bad line of sources.tsv, `io` if that file cannot be read.
    package static func inputs(inFolder folder: String) throws(GazetteerError) -> [GazetteerInput] {
        let list = "\(folder)/sources.tsv"
        let inputs = access(list, F_OK) == 0 ? try listed(in: list, folder) : standard(in: folder)
        for (kind, name) in [(Kind.places, "cities500.txt"), (.countries, "countryInfo.txt")]
        where !inputs.contains(where: { $0.kind == kind }) {
            throw GazetteerError(
                .missingInput, file: "\(folder)/\(name)",
                message: "is missing; run demo/fetch-gazetteer, or download it from "
                    + "https://download.geonames.org/export/dump/")
        }
        return inputs
    }

    private static func standard(in folder: String) -> [GazetteerInput] {
        var inputs: [GazetteerInput] = []
        for (name, kind) in standardNames where access("\(folder)/\(name)", F_OK) == 0 {
            if kind == .places, inputs.contains(where: { $0.kind == .places }) { continue }
            inputs.append(GazetteerInput(kind, path: "\(folder)/\(name)"))
        }
        for (name, layer, kind) in polygonNames where !inputs.contains(where: { $0.kind == kind }) {
            let paths = (layer == nil ? ["geojson", "json", "gpkg", "shp"] : ["gpkg"]).map {
                "\(folder)/\(name).\($0)"
            }
            if let path = paths.first(where: { access($0, F_OK) == 0 }) {
                inputs.append(GazetteerInput(kind, path: path, layer: layer))
            }
        }
        return inputs
    }

    private static func listed(in list: String, _ folder: String) throws(GazetteerError) -> [GazetteerInput] {
        var table = TableReader(try MappedFile(path: list, advice: MADV_NORMAL))
        var inputs: [GazetteerInput] = []
        while table.next() {
            try table.requireFields(7...7)
            let parts = try table.text(0, "name").split(separator: "#", maxSplits: 1)
            let name = parts.first.map(String.init) ?? ""
            guard !name.isEmpty, !name.contains("/") else {
                throw table.failure(at: 0, "“\(name)” is not a plain file name")
            }
            let kindName = try table.text(1, "kind")
            guard let kind = Kind(rawValue: kindName) else {
                let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw table.failure(at: 1, "the kind “\(kindName)” is not one of \(known)")
            }
            let date = try table.text(4, "date")
            guard date.isEmpty || isDay(date) else {
                throw table.failure(
                    at: 4, "the date “\(date)” is not a date such as 2026-05-01; it may be empty")
            }
            inputs.append(
                GazetteerInput(
                    kind, path: "\(folder)/\(name)", layer: parts.count > 1 ? String(parts[1]) : nil,
                    title: try table.text(2, "title"),
                    url: try table.text(3, "URL"),
                    date: date, licence: try table.text(5, "licence"),
                    attribution: try table.text(6, "attribution")))
        }
        return inputs
    }

    /// Whether it is a calendar date in the extended format of ISO 8601.
    private static func isDay(_ text: String) -> Bool {
        let digits = Array(text.utf8)
        guard digits.count == 10 else { return false }
        let isShaped = digits.enumerated().allSatisfy { index, byte in
            index == 4 || index == 7
                ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isShaped, let month = Int(text.dropFirst(5).prefix(2)), let day = Int(text.suffix(2)) else {
            return false
        }
        return (1...12).contains(month) && (1...31).contains(day)
    }
}
