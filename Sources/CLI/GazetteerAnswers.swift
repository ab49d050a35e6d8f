import Arguments
import Gazetteer

extension ReverseAnswer {
    var json: JSON {
        .object([
            (
                "country",
                JSON.optional(country) { .object([("code", .string($0.code)), ("name", .string($0.name))]) }
            ),
            (
                "admin1",
                JSON.optional(admin1) { .object([("code", .string($0.code)), ("name", .string($0.name))]) }
            ),
            (
                "place",
                JSON.optional(place) {
                    .object([
                        ("geonameid", .integer(Int64($0.geonameid))), ("name", .string($0.name)),
                        ("distance_m", JSON.optional(distanceMetres) { .number($0.rounded()) }),
                    ])
                }
            ),
            ("certainty", .string(certaintyName)),
        ])
    }

    var text: String {
        let parts = [place?.name, admin1?.name, country?.name].compactMap { $0 }
        guard !parts.isEmpty else { return "No country: at sea or far from any place" }
        let distance = distanceMetres.map { " (\(($0 / 100).rounded() / 10) km)" } ?? ""
        return parts.joined(separator: ", ") + distance
    }

    private var certaintyName: String {
        switch certainty {
        case .insideBorder: "inside_border"
        case .nearBorder: "near_border"
        case .nearestPlace: "nearest_place"
        case .remote: "remote"
        }
    }
}

extension GazetteerInfo {
    func json(path: String) -> JSON {
        .object([
            ("file", .string(path)), ("format", .integer(Int64(formatVersion))),
            ("bytes", .integer(Int64(fileSize))), ("places", .integer(Int64(placeCount))),
            ("sections_of_places", .integer(Int64(sectionCount))),
            ("countries", .integer(Int64(countryCount))), ("divisions", .integer(Int64(admin1Count))),
            ("names", .integer(Int64(nameCount))), ("country_borders", .bool(hasCountryBorders)),
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
                + "\(hasCountryBorders ? "with" : "without") country borders",
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
