import Arguments
import Gazetteer

extension GazetteerInfo {
    func json(path: String) -> JSON {
        .object([
            ("file", .string(path)), ("format", .integer(Int64(formatVersion))),
            ("bytes", .integer(Int64(fileSize))), ("places", .integer(Int64(placeCount))),
            ("sections_of_places", .integer(Int64(sectionCount))),
            ("countries", .integer(Int64(countryCount))), ("divisions", .integer(Int64(admin1Count))),
            ("names", .integer(Int64(nameCount))), ("country_borders", .bool(hasCountryBorders)),
            ("division_borders", .bool(hasDivisionBorders)), ("seas", .bool(hasSeas)),
            ("zone_borders", .bool(hasZoneBorders)),
            (
                "sources",
                .array(
                    sources.map { source in
                        .object([
                            ("file", .string(source.file)), ("title", .string(source.title)),
                            ("date", .string(source.date)), ("licence", .string(source.licence)),
                            ("attribution", .string(source.attribution)), ("url", .string(source.url)),
                            ("bytes", .integer(Int64(source.byteCount))),
                            ("crc64", .string(String(source.checksum, radix: 16))),
                        ])
                    })
            ),
        ])
    }

    func text(path: String) -> String {
        let size = Double(fileSize / 100_000) / 10
        var lines = [
            "\(path): \(size) MB, format \(formatVersion)",
            "\(placeCount) places, \(sectionCount) sections of places, \(countryCount) countries, "
                + "\(admin1Count) divisions, \(nameCount) names, "
                + "\(hasCountryBorders ? "with" : "without") borders of countries, "
                + "\(hasDivisionBorders ? "with" : "without") borders of divisions",
        ]
        for source in sources {
            let date = source.date.isEmpty ? "" : " of \(source.date)"
            lines += [
                "", "\(source.file): \(source.title)\(date), \(source.byteCount) bytes",
                "  licence      \(source.licence)", "  attribution  \(source.attribution)",
                "  from         \(source.url)",
            ]
        }
        return Terminal.printable(lines.joined(separator: "\n"), keepingLines: true)
    }
}
