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
                JSON.optional(admin1) { admin1 in
                    .object([
                        ("code", .string(admin1.code)),
                        ("iso_3166_2", JSON.optional(admin1.iso) { .string($0) }),
                        ("name", .string(admin1.name)),
                        ("certainty", JSON.optional(admin1Certainty) { .string($0.name) }),
                    ])
                }
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
            ("time_zone", JSON.optional(timeZone) { .string($0) }),
            ("sea", JSON.optional(sea) { $0.json }),
            ("certainty", .string(certaintyName)),
        ])
    }

    var text: String {
        let division = admin1.map { admin1 in admin1.iso.map { "\(admin1.name) (\($0))" } ?? admin1.name }
        let parts = [place?.name, division, country?.name].compactMap { $0 }
        guard !parts.isEmpty else { return sea?.text ?? "No country: at sea or on land that none has" }
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

extension Sea {
    var json: JSON {
        .object([
            ("name", JSON.optional(name) { .string($0) }),
            (
                "coast",
                JSON.optional(coast) { coast in
                    .object([
                        ("country", .string(coast.country.code)),
                        ("distance_m", .number(coast.metres.rounded())),
                    ])
                }
            ),
        ])
    }

    var text: String {
        let place = name.map { "At sea: \($0)" } ?? "At sea"
        guard let coast else { return place }
        return "\(place), \((coast.metres / 100).rounded() / 10) km from \(coast.country.name)"
    }
}

extension ReverseAnswer.DivisionCertainty {
    var name: String {
        switch self {
        case .insideBorder: "inside_border"
        case .nearBorder: "near_border"
        case .nearestPlace: "nearest_place"
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
