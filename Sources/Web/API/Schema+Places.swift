/// What the gazetteer returns, as `darkroom gazetteer suggest` and `reverse` print it too.
extension Schema {
    static let placeSuggestion = Schema.allRequired([
        ("geonameid", .nullable(.integer()), "For in_place, with the level; null if GeoNames has none"),
        ("name", .string(), nil),
        ("matched_name", .string(), "The name that begins with what was typed, or is like it"),
        ("match", .choice(["exact", "beginning", "misspelt"]), nil),
        ("level", .choice(["place", "city", "division", "country"]), nil),
        ("division", .nullable(division), nil), ("country", .nullable(country), nil),
        ("latitude", .number(minimum: -90, maximum: 90), "Degrees north"),
        ("longitude", .number(minimum: -180, maximum: 180), "Degrees east"),
        ("population", .integer(minimum: 0), nil),
        ("label", .string(), "To be shown: name, division and country"),
    ])

    static let placeAtPosition = Schema.allRequired([
        ("country", .nullable(country), nil), ("division", .nullable(division), nil),
        (
            "division_certainty", .nullable(.choice(["inside_border", "near_border", "nearest_place"])),
            "How the division was found"
        ),
        (
            "place",
            .nullable(
                .allRequired([
                    ("geonameid", .integer(), nil), ("name", .string(), nil),
                    ("distance_m", .nullable(.number(minimum: 0)), "From the position, in metres"),
                ])), "The nearest one"
        ),
        ("time_zone", .nullable(.string()), "Of the IANA database"),
        (
            "sea",
            .nullable(
                .allRequired([
                    ("name", .nullable(.string()), nil),
                    (
                        "coast",
                        .nullable(
                            .allRequired([
                                ("country", .string(), "ISO 3166-1"),
                                ("distance_m", .number(minimum: 0), "In metres"),
                            ])), "The nearest one"
                    ),
                ])), "If the position is at sea"
        ),
        (
            "certainty", .choice(["inside_border", "near_border", "nearest_place", "remote"]),
            "How the country was found"
        ),
        ("city", .nullable(namedPlace), "That the place is part of, or the place itself"),
        ("locality", .nullable(namedPlace), "The part"),
    ])

    private static let country = Schema.allRequired([
        ("code", .string(), "ISO 3166-1"), ("name", .string(), nil),
    ])

    private static let division = Schema.allRequired([
        ("code", .string(), "Of GeoNames, such as US.WA"),
        ("iso_3166_2", .nullable(.string()), nil), ("name", .string(), nil),
    ])

    private static let namedPlace = Schema.allRequired([
        ("geonameid", .integer(), nil), ("name", .string(), nil),
    ])

    static func allRequired(_ members: [Member]) -> Schema {
        .object(members, required: members.map(\.name))
    }
}
