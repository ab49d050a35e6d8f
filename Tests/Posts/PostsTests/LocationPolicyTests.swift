import Postgres
import Posts
import TestKit
import Testing

@Suite("The location policy", .timeLimit(.minutes(15)))
struct LocationPolicyTests {
    @Test(
        "is never loosened by what the uploader asks for", arguments: PrivacyLevel.allCases,
        PrivacyLevel.allCases)
    func asked(policy: PrivacyLevel, asked: PrivacyLevel) {
        let inForce = LocationPolicy(version: 1, privacy: policy, minimumPopulation: 0)
        let applied = inForce.privacy(atLeast: asked)
        #expect(applied >= policy && applied >= asked)
        #expect(applied == policy || applied == asked)
        #expect(inForce.privacy(atLeast: nil) == policy)
    }

    @Test("has the levels of the database, in its order")
    func levels() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let rows = try await database.pool.query(
                "select level::text from unnest(enum_range(null::darkroom.location_privacy)) level")
            let levels = try rows.map { try $0.decode("level", as: PrivacyLevel.self) }
            #expect(levels == PrivacyLevel.allCases.sorted())
        }
    }

    @Test(
        "calls coordinates coarse if their error exceeds 100 m",
        arguments: [(nil, .point), (100, .point), (5, .point), (100.5, .area), (1_000_000, .area)]
            as [(Double?, LocationPrecision)])
    func precision(accuracy: Double?, expected: LocationPrecision) {
        #expect(LocationPrecision(accuracyMetres: accuracy) == expected)
    }

    @Test(
        "is appended to and never changed, so that posts name the version they were published under",
        arguments: [
            "update darkroom.location_policies set privacy = 'exact'",
            "delete from darkroom.location_policies",
        ])
    func appendOnly(change: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(PostgresQuery(unescaped: change))
            }
            #expect(error?.sqlState == "23001")
        }
    }

    private static func inForce(
        category: String?, activity: String?, in database: QueueDatabase
    ) async throws -> LocationPolicy {
        let rows = try await database.pool.query(
            """
            select version as policy, privacy::text as privacy, minimum_population
            from darkroom.location_policy_for(\(category), \(activity))
            """)
        return try LocationPolicy(row: rows[0])
    }

    @Test("is the latest row of the activity, then of the category, then the general one")
    func scopes() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            func append(_ columns: String, _ values: String) async throws {
                try await database.pool.query(
                    "insert into darkroom.location_policies (note, \(unescaped: columns)) values ('test', \(unescaped: values))"
                )
            }
            func inForce(_ category: String?, _ activity: String?) async throws -> LocationPolicy {
                try await Self.inForce(category: category, activity: activity, in: database)
            }
            #expect(
                try await inForce(nil, nil)
                    == LocationPolicy(version: 1, privacy: .grid10m, minimumPopulation: 0))
            try await append("privacy, minimum_population", "'grid_100m', 500")
            try await append("category, privacy", "'home', 'grid_1km'")
            try await append("activity, minimum_population", "'gala', 9000")
            try await append("activity, privacy, minimum_population", "'camp', 'exact', 0")
            func expect(_ category: String?, _ activity: String?, _ privacy: PrivacyLevel, _ minimum: Int)
                async throws
            {
                let expected = LocationPolicy(version: 5, privacy: privacy, minimumPopulation: minimum)
                #expect(
                    try await inForce(category, activity) == expected, "\(category ?? "-") \(activity ?? "-")"
                )
            }
            try await expect(nil, nil, .grid100m, 500)
            try await expect("other", "other", .grid100m, 500)
            try await expect("home", nil, .grid1km, 500)
            try await expect("home", "gala", .grid1km, 9000)
            try await expect(nil, "gala", .grid100m, 9000)
            try await expect("home", "camp", .exact, 0)

            // An empty row withdraws an override, and the general policy applies.
            try await append("category", "'home'")
            #expect(try await inForce("home", nil).privacy == .grid100m)
            #expect(try await inForce(nil, nil).version == 6)
        }
    }

    @Test(
        "refuses rows with too little or too much",
        arguments: [
            ("privacy", "'exact'", "a_general_location_policy_says_privacy_and_minimum_population"),
            (
                "category, activity, privacy", "'a', 'b', 'exact'",
                "a_location_policy_is_of_a_category_or_an_activity_or_general"
            ),
            ("category, minimum_population", "'a', -1", "minimum_population_is_not_negative"),
        ])
    func refusals(columns: String, values: String, constraint: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    "insert into darkroom.location_policies (note, \(unescaped: columns)) values ('test', \(unescaped: values))"
                )
            }
            #expect(error?.constraint == constraint)
        }
    }
}

@Suite("The location of an upload", .timeLimit(.minutes(15)))
struct UploadLocationTests {
    private static func enqueue(_ arguments: String, in database: QueueDatabase) async throws {
        try await database.pool.query(
            """
            select darkroom.enqueue_upload(uploader => 'ada', original_key => 'k', original_sha256 => repeat('ab', 32),
                                           original_bytes => 1, \(unescaped: arguments))
            """)
    }

    @Test("keeps its accuracy and the requested level")
    func kept() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.enqueue(
                """
                latitude => 1, longitude => 2, accuracy_m => 12.5, location_privacy => 'grid_1km',
                place_near_latitude => 3, place_near_longitude => 4, place_country => 'US'
                """,
                in: database)
            let rows = try await database.pool.query(
                """
                select accuracy_m, location_privacy::text as asked, place_near_latitude as north,
                       place_near_longitude as east, place_country as country
                from darkroom.uploads
                """)
            #expect(try rows[0].decode("north", as: Double.self) == 3)
            #expect(try rows[0].decode("east", as: Double.self) == 4)
            #expect(try rows[0].decode("country", as: String.self) == "US")
            #expect(try rows[0].decode("accuracy_m", as: Double.self) == 12.5)
            #expect(try rows[0].decode("asked", as: PrivacyLevel.self) == .grid1km)
        }
    }

    @Test(
        "is refused if it makes no sense",
        arguments: [
            (
                "latitude => 1, longitude => 2, accuracy_m => 0",
                "accuracy_is_above_0_and_at_most_1000000_metres"
            ),
            (
                "latitude => 1, longitude => 2, accuracy_m => -5",
                "accuracy_is_above_0_and_at_most_1000000_metres"
            ),
            (
                "latitude => 1, longitude => 2, accuracy_m => 1000001",
                "accuracy_is_above_0_and_at_most_1000000_metres"
            ),
            (
                "latitude => 1, longitude => 2, accuracy_m => 'NaN'",
                "accuracy_is_above_0_and_at_most_1000000_metres"
            ),
            ("accuracy_m => 5", "accuracy_goes_with_coordinates"),
            ("place_near_latitude => 5", "place_near_is_a_latitude_and_a_longitude"),
            (
                "place_near_latitude => 91, place_near_longitude => 1",
                "latitude_is_within_90_degrees"
            ),
            (
                "place_near_latitude => 1, place_near_longitude => 'NaN'",
                "longitude_is_within_180_degrees"
            ),
            ("place_country => 'us'", "place_country_is_2_capital_letters"),
            ("place_country => 'USA'", "place_country_is_2_capital_letters"),
            (
                "location_privacy => 'secret'",
                "location_privacy_is_exact_grid_10m_grid_100m_grid_1km_or_place"
            ),
        ])
    func refused(arguments: String, constraint: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let error = await #expect(throws: PostgresError.self) {
                try await Self.enqueue(arguments, in: database)
            }
            #expect(error?.constraint == constraint)
            #expect(error?.sqlState == .checkViolation)
        }
    }
}
