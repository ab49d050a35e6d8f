import Glibc

extension GazetteerInput {
    /// The files of a folder that a build can take, by name, in the order that gives earlier ones
    /// precedence.
    private static let standardNames: [(name: String, kind: Kind)] = [
        ("countryInfo.txt", .countries), ("admin1CodesASCII.txt", .admin1Codes),
        ("subdivisions.tsv", .subdivisions),
        ("allCountries.txt", .places), ("cities500.txt", .places), ("cities1000.txt", .places),
        ("cities5000.txt", .places), ("cities15000.txt", .places), ("countries.geojson", .countryBorders),
        ("alternateNamesV2.txt", .alternateNames), ("admin2Codes.txt", .admin2Codes),
    ]

    /// Finds the inputs in a folder.
    ///
    /// A file sources.tsv in it lists them, with the tab-separated fields name, kind, title, URL, date,
    /// licence and attribution, as `demo/fetch-gazetteer` writes it. Without one, files that have the
    /// names GeoNames gives them are taken, and countries.geojson; of several dumps of places only the
    /// most complete.
    /// - Throws: `GazetteerError`: `missingInput` where the folder lacks places or countries,
    ///   `malformedInput` for a bad line of sources.tsv, `io` where that cannot be read.
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
        return inputs
    }

    private static func listed(in list: String, _ folder: String) throws(GazetteerError) -> [GazetteerInput] {
        var table = TableReader(try MappedFile(path: list, advice: MADV_NORMAL))
        var inputs: [GazetteerInput] = []
        while table.next() {
            try table.requireFields(7...7)
            let name = try table.text(0, "name")
            guard !name.isEmpty, !name.contains("/") else {
                throw table.failure(at: 0, "“\(name)” is not the name of a file in this folder")
            }
            let kindName = try table.text(1, "kind")
            guard let kind = Kind(rawValue: kindName) else {
                let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw table.failure(at: 1, "the kind “\(kindName)” is not one of \(known)")
            }
            inputs.append(
                GazetteerInput(
                    kind, path: "\(folder)/\(name)", title: try table.text(2, "title"),
                    url: try table.text(3, "URL"),
                    date: try table.text(4, "date"), licence: try table.text(5, "licence"),
                    attribution: try table.text(6, "attribution")))
        }
        return inputs
    }
}
