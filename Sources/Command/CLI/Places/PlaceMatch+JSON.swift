import Arguments
import Gazetteer

extension PlaceMatch {
    /// A division, country or point has no `geonameid` and `population`, and its name is that of what it is.
    var json: JSON {
        .object([
            ("geonameid", JSON.optional(place) { .integer(Int64($0.geonameid)) }), ("name", .string(name)),
            ("county", JSON.optional(county) { .string($0) }),
            ("division", JSON.optional(admin1, \.json)), ("country", JSON.optional(country, \.json)),
            ("latitude", .number(coordinate.latitude)), ("longitude", .number(coordinate.longitude)),
            ("population", JSON.optional(place) { .integer(Int64($0.population)) }),
            ("kind", .string(kind.rawValue)), ("precision", .string(precision.rawValue)),
            ("radius_m", JSON.optional(radiusMetres) { .number($0.rounded()) }),
            ("agreement", .string(qualityName)), ("unread", JSON.optional(unread) { .string($0) }),
            ("score", .number((score * 1000).rounded() / 1000)),
        ])
    }

    func text(_ label: String) -> String {
        "\(label)\t\(coordinate.latitude)\t\(coordinate.longitude)\t\(precision.rawValue)"
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

extension Admin1 {
    var json: JSON {
        .object([
            ("code", .string(code)), ("iso_3166_2", JSON.optional(iso) { .string($0) }),
            ("name", .string(name)),
        ])
    }
}

extension Country {
    var json: JSON { .object([("code", .string(code)), ("name", .string(name))]) }
}
