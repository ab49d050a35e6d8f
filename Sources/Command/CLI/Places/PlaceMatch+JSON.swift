import Arguments
import Gazetteer

extension PlaceMatch {
    var json: JSON {
        .object([
            ("geonameid", .integer(Int64(place.geonameid))), ("name", .string(place.name)),
            (
                "admin1",
                JSON.optional(admin1) { .object([("code", .string($0.code)), ("name", .string($0.name))]) }
            ),
            ("country", .object([("code", .string(country.code)), ("name", .string(country.name))])),
            ("lat", .number(place.coordinate.latitude)), ("lon", .number(place.coordinate.longitude)),
            ("population", .integer(Int64(place.population))), ("kind", .string(kindName)),
            ("agreement", .string(qualityName)), ("score", .number((score * 1000).rounded() / 1000)),
        ])
    }

    var text: String {
        "\(label)\t\(place.coordinate.latitude)\t\(place.coordinate.longitude)"
    }

    private var kindName: String {
        switch kind {
        case .place: "place"
        case .admin1: "admin1"
        case .country: "country"
        case .admin2: "admin2"
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
