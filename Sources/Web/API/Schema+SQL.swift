extension Schema {
    /// What a parameter of the SQL API takes. The limits are those of its domain.
    init(parameter name: String, type: String, base: String) {
        self =
            switch (name, type, base) {
            case (_, "latitude", _), ("south", _, _), ("north", _, _): .number(minimum: -90, maximum: 90)
            case (_, "longitude", _), ("west", _, _), ("east", _, _): .number(minimum: -180, maximum: 180)
            case (_, "metres", _): .number(minimum: 0, maximum: 20_040_000)
            case ("zoom", _, _): .number(minimum: 0, maximum: 30)
            case ("board", _, _): .choice(["likes", "wilson", "weighted", "hot"])
            case ("order_by", _, _): .choice(["newest", "popular"])
            case ("vote", _, _): .choice(["like", "dislike", "none"])
            case ("in_season", _, _): .choice(["spring", "summer", "autumn", "winter"])
            case ("from_hour", _, _), ("to_hour", _, _): .integer(minimum: 0, maximum: 24)
            case ("at_most", _, _): .integer(minimum: 1, maximum: 100)
            case ("reason", "choice", _):
                .choice([
                    "explicit", "minors", "violence", "harassment", "spam", "private_information", "illegal",
                    "other",
                ])
            case ("events", _, _): .array(Self.inboxEvent, maxItems: 100)
            case (_, "privacy_choice", _): .choice(["exact", "grid_10m", "grid_100m", "grid_1km", "place"])
            case (_, "person", _), (_, "cursor", _): .string(minLength: 1, maxLength: 200)
            case (_, "place_country", _): .string(pattern: "^[A-Z]{2}$")
            case (_, "accuracy_m", _): .number(minimum: 0, maximum: 1_000_000)
            case (_, "link", _): .string(maxLength: 2000)
            case (_, "post_numbers", _): .array(.integer(), maxItems: 10_000)
            case (_, "view_counts", _): .array(.integer(minimum: 0, maximum: 2_147_483_647), maxItems: 10_000)
            case (_, "place_key", _): .string(pattern: "^(country|division|city|place):[0-9]{1,18}$")
            case (_, "remark", _): .string(maxLength: 2000)
            case (_, "prose", _), (_, "caption", _): .string(maxLength: 5000)
            case (_, "headline", _), (_, "place_text", _), (_, "line", _): .string(maxLength: 200)
            case (_, "category", _), (_, "activity_name", _), (_, "display_name", _), (_, "word", _):
                .string(maxLength: 100)
            case (_, _, "int8"): .integer()
            case (_, _, "int4"): .integer(minimum: -2_147_483_648, maximum: 2_147_483_647)
            case (_, _, "float8"): .number()
            case (_, _, "bool"): .boolean
            case (_, _, "timestamptz"): .string(format: "date-time")
            case (_, _, "_text"): .array(.string())
            case (_, _, "_int8"), (_, _, "_int4"): .array(.integer())
            default: .string()
            }
    }

    /// What a function of the SQL API returns, or has in a column. Any column may be null.
    init(result name: String, type: String) {
        self =
            switch (name, type) {
            case ("pictures", _): .array(.named("Picture"))
            case ("events", _): .array(Self.inboxEvent)
            case (_, "int8"), (_, "int4"), (_, "int2"): .integer()
            case (_, "float8"): .number()
            case (_, "bool"): .boolean
            case (_, "timestamptz"): .string(format: "date-time")
            case (_, "_text"): .array(.string())
            default: .string()
            }
    }

    /// An object with the columns that clients see.
    init(columns: [SQLFunction.Column]) {
        self = .allRequired(
            BoundRoute.shown(columns).map {
                ($0.name, .nullable(Schema(result: $0.name, type: $0.type)), nil)
            })
    }

    private static let inboxEvent = Schema.choice([
        "published", "held", "rejected", "hidden", "restored", "removed", "expired", "corrected", "liked",
        "commented", "comment_held", "comment_hidden", "comment_restored", "comment_removed",
        "appeal_answered",
        "comment_appeal_answered",
    ])

    private static let picture = Schema.allRequired([
        ("name", .string(), "The rendition's name in the recipe"),
        ("media_key", .string(), "Read it at /pictures/ followed by this key"),
        ("format", .string(), nil), ("width", .integer(minimum: 1), "Pixels"),
        ("height", .integer(minimum: 1), "Pixels"), ("bytes", .integer(minimum: 0), nil),
    ])

    /// Of GeoJSON (RFC 7946): longitude comes first.
    private static let point = Schema.allRequired([
        ("type", .choice(["Point"]), nil),
        ("coordinates", .array(.number(), minItems: 2, maxItems: 2), "Degrees east, degrees north"),
    ])

    /// The components that are no row's.
    static let shared: [(name: String, schema: Schema)] = [
        ("Problem", problem), ("Picture", picture), ("Point", point),
    ]

    private static let problem = Schema.object(
        [
            ("type", .string(), nil), ("title", .string(), nil), ("status", .integer(), nil),
            ("code", .choice(Problem.Code.allCases.map(\.rawValue)), "For programs"),
            ("detail", .string(), "For people"), ("argument", .string(), "The parameter at fault"),
            ("reason", .string(), "The rule that a value breaks"),
            (
                "objections",
                .array(
                    .allRequired([
                        ("argument", .string(), nil), ("reason", .string(), nil), ("message", .string(), nil),
                    ])), "All that is wrong with an upload"
            ),
        ], required: ["type", "title", "status", "code", "detail"])
}
