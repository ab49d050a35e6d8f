/// An SQL expression that a caller who means harm could pass.
struct HostileValue: Sendable {
    let label: String
    let sql: String
    /// Whether `make test` tries it too.
    let isQuick: Bool

    init(_ label: String, _ sql: String, isQuick: Bool = true) {
        self.label = label
        self.sql = sql
        self.isQuick = isQuick
    }

    /// The values for an argument of a base type, as `format_type` names it; nil for a type that has none yet.
    static func values(ofType type: String) -> [HostileValue]? {
        let values: [HostileValue]? =
            switch type {
            case "text": texts
            case "double precision", "real": floats
            case "bigint": integers
            case "integer", "smallint": smallIntegers.map { HostileValue($0.label, "(\($0.sql))::\(type)") }
            case "boolean": [.init("true", "true"), .init("false", "false")]
            case "timestamp with time zone": times
            case "interval": intervals
            case "bigint[]", "integer[]": arrays(of: String(type.dropLast(2)))
            case "text[]": textArrays
            case "jsonb": documents
            default: nil
            }
        return values.map { [.init("null", "null::\(type)")] + $0 }
    }

    private static let units: [(label: String, text: String)] = [
        ("unordered marks", "E'\\u0301\\u0316\\u0334'"),
        ("a base and 30 marks", "'a' || repeat(E'\\u0334\\u0316\\u0301', 10)"),
        ("a mark that decomposes", "E'\\u0344\\u0F73'"), ("directions", "E'\\u202E\\u2066'"),
        ("tags", "E'\\U000E0041\\U000E007F'"), ("controls", "E'\\u0001\\u0085'"),
        ("joined forms", "E'\\uFDFA'"),
        ("joined emoji", "E'\\U0001F469\\u200D'"), ("Hangul", "E'\\u1100\\u1161\\u11A8'"),
        ("spaces", "E' \\u00A0'"),
        ("lines", "E'\\r\\n'"), ("digits", "'9'"), ("quotes", "'''\"\\%_'"), ("hosts", "'-_a.'"),
    ]

    /// How many characters, and whether `make test` tries so many.
    private static let lengths: [(count: Int, isQuick: Bool)] = [
        (100, false), (200, false), (2000, false), (5000, true), (12_001, false), (40_000, false),
        (1_000_000, false),
    ]

    private static let repeated: [HostileValue] = units.flatMap { (unit) -> [HostileValue] in
        lengths.map { (length) -> HostileValue in
            let isQuick =
                unit.label == "unordered marks" || (length.isQuick && unit.label.hasPrefix("joined"))
            return HostileValue(
                "\(length.count) of \(unit.label)",
                "left(repeat(\(unit.text), \(length.count)), \(length.count))",
                isQuick: isQuick)
        }
    }

    private static let odd: [HostileValue] = [
        .init("empty", "''"), .init("2 MB of marks", "repeat(E'\\u0301\\u0316', 500000)"),
        .init("a link of hosts", "'http://' || repeat('a-.', 660)"),
        .init("a link of marks", "'http://a/' || repeat(E'\\u0301\\u0316', 15)"), .init("a star", "'*'"),
        .init("ends in a control", "E'a\\u0007'"),
    ]

    private static let feeds = [
        "latest", "near", "within", "good", "hot", "likes", "weighted", "wilson", "cluster", "photos",
        "comments",
    ]
    private static let positions = [
        "2e17~999999999999999999", "1e99~1", "-99999999999999999999~1", "NaN~1", "1~-1", "0~0", "1e-99~1",
    ]

    private static let cursors: [HostileValue] = feeds.flatMap { (feed) -> [HostileValue] in
        positions.map { (position) -> HostileValue in
            HostileValue(
                "cursor \(feed):\(position)", "'\(feed):\(position)'", isQuick: position == positions[0])
        }
    }

    static let texts: [HostileValue] = repeated + odd + cursors

    static let floats: [HostileValue] = [
        "NaN", "Infinity", "-Infinity", "1.7e308", "-1.7e308", "5e-324", "-0", "0", "-1", "90.0000001",
        "-180.0000001",
        "2147483648", "-9223372036854775808", "9007199254740993", "1e-300",
    ].map { .init($0, "'\($0)'::float8") }

    static let integers: [HostileValue] = [
        "-9223372036854775808", "9223372036854775807", "-2147483649", "2147483648", "9007199254740992", "-1",
        "0",
    ].map { .init($0, "'\($0)'::bigint") }

    static let smallIntegers: [HostileValue] = [
        "-2147483648", "2147483647", "32768", "-1", "0", "9223372036854775807",
    ]
    .map { .init($0, $0) }

    static let times: [HostileValue] = [
        "infinity", "-infinity", "294276-12-31", "4713-01-01 BC", "1799-12-31", "2200-01-02", "1800-01-02",
        "2199-12-30",
    ].map { .init($0, "'\($0)'::timestamptz") }

    static let intervals: [HostileValue] = [
        "178000000 years", "-178000000 years", "0", "-1 day", "1 microsecond", "2147483647 days", "100 years",
    ].map { .init($0, "'\($0)'::interval") }

    static func arrays(of type: String) -> [HostileValue] {
        [
            .init("empty", "'{}'::\(type)[]"), .init("a null", "'{null}'::\(type)[]"),
            .init("a list of lists", "'{{1,2},{3,4}}'::\(type)[]"),
            .init("other bounds", "'[-5:-4]={1,2}'::\(type)[]"),
            .init("10,001 numbers", "array_fill(1::\(type), array[10001])"),
            .init("10,000 numbers", "array(select n::\(type) from generate_series(1, 10000) n)"),
            .init("500,000 numbers", "array_fill(1::\(type), array[500000])"),
            .init("500,000 nulls", "array_fill(null::\(type), array[500000])"),
            .init("six dimensions", "array_fill(1::\(type), array[4, 4, 4, 4, 4, 4])"),
            .init(
                "the largest", "array[\(type == "integer" ? "2147483647" : "9223372036854775807")]::\(type)[]"
            ),
            .init(
                "the least", "array[\(type == "integer" ? "-2147483648" : "-9223372036854775808")]::\(type)[]"
            ),
        ]
    }

    static let textArrays: [HostileValue] = [
        .init("empty", "'{}'::text[]"), .init("a null", "'{null}'::text[]"),
        .init("a list of lists", "'{{a},{b}}'::text[]"),
        .init("500,000 texts", "array_fill('a'::text, array[500000])"),
        .init("1,000 long texts", "array_fill(repeat(E'\\u0301\\u0316', 5000), array[1000])", isQuick: false),
    ]

    static let documents: [HostileValue] = [
        .init("empty", "'{}'::jsonb"), .init("a null", "'null'::jsonb"), .init("a number", "'1e300'::jsonb"),
        .init("deep", "(repeat('[', 2000) || repeat(']', 2000))::jsonb"),
        .init("wide", "(select jsonb_agg(n) from generate_series(1, 100000) n)"),
        .init("marks", "to_jsonb(repeat(E'\\u0301\\u0316', 40000))"),
    ]
}
