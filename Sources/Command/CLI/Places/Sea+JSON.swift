import Arguments
import Gazetteer

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
