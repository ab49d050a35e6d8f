import Arguments
import Gazetteer

extension ReverseAnswer {
    var json: JSON {
        .object([
            ("country", JSON.optional(country, \.json)),
            ("division", JSON.optional(admin1, \.json)),
            ("division_certainty", JSON.optional(admin1Certainty) { .string($0.name) }),
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
        guard !parts.isEmpty else { return sea?.text ?? "No country: at sea or on land without one" }
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

extension ReverseAnswer.DivisionCertainty {
    var name: String {
        switch self {
        case .insideBorder: "inside_border"
        case .nearBorder: "near_border"
        case .nearestPlace: "nearest_place"
        }
    }
}
