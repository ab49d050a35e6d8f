import Arguments
import Gazetteer

extension PlaceMatch {
    /// A division, country or point has no `geonameid` and `population`, and its name is that of what it is.
    var json: JSON {
        .object([
            ("geonameid", JSON.optional(place) { .integer(Int64($0.geonameid)) }), ("name", .string(name)),
            (
                "division",
                JSON.optional(admin1) { .object([("code", .string($0.code)), ("name", .string($0.name))]) }
            ),
            (
                "country",
                JSON.optional(country) { .object([("code", .string($0.code)), ("name", .string($0.name))]) }
            ),
            ("lat", .number(coordinate.latitude)), ("lon", .number(coordinate.longitude)),
            ("population", JSON.optional(place) { .integer(Int64($0.population)) }),
            ("kind", .string(kind.rawValue)), ("precision", .string(precision.rawValue)),
            ("radius_m", JSON.optional(radiusMetres) { .number($0.rounded()) }),
            ("agreement", .string(qualityName)), ("unread", JSON.optional(unread) { .string($0) }),
            ("score", .number((score * 1000).rounded() / 1000)),
        ])
    }

    var text: String {
        "\(label)\t\(coordinate.latitude)\t\(coordinate.longitude)\t\(precision.rawValue)"
    }

    private var name: String {
        switch kind {
        case .place: place?.name ?? label
        case .admin1: admin1?.name ?? label
        case .admin2: county ?? label
        case .country: country?.name ?? label
        case .point: label
        }
    }

    private var qualityName: String {
        switch quality {
        case .name: "name"
        case .alternateName: "alternate_name"
        case .corrected: "corrected"
        case .completed: "completed"
        }
    }
}
