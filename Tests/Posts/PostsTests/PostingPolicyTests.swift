import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("The posting policy", .timeLimit(.minutes(15)))
struct PostingPolicyTests {
    @Test("objects to what it must and to nothing else, before the upload, at enqueue and in a worker")
    func objections() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let store = PostingPolicyStore(pool: database.pool)
            for example in Self.cases {
                _ = try await store.set(note: "test") { policy in
                    policy.headlineRequired = false
                    policy.captionRequired = false
                    policy.categoryRequired = false
                    policy.categories = nil
                    policy.link = .optional
                    policy.linkHosts = nil
                    policy.mostAccuracyMetres = nil
                    example.change(&policy)
                }
                let text = example.text
                let latitude = text.accuracy.map { _ in 1.0 }
                let rows = try await database.pool.query(
                    """
                    select reason, message from darkroom.check_upload(
                        'ada', headline => \(text.headline), caption => \(text.caption), category => \(text.category),
                        link => \(text.link), latitude => \(latitude), longitude => \(latitude),
                        accuracy_m => \(text.accuracy))
                    """)
                let found = try rows.map {
                    (try $0.decode("reason", as: String.self), try $0.decode("message", as: String.self))
                }.filter { !$0.0.hasPrefix("link_names_a_host") }
                #expect(
                    found.map(\.0) == example.objections.map { Self.words($0)[0] },
                    "\(example.testDescription)")
                for (objection, told) in zip(example.objections, found) {
                    for part in Self.words(objection).dropFirst() {
                        let isTold = Array(told.1.unicodeScalars).contains(Array(part.unicodeScalars))
                        #expect(isTold, "\(example.testDescription): \(told.1)")
                    }
                }
                // The call that enqueues applies the same rule.
                do {
                    try await database.pool.query(
                        """
                        select darkroom.enqueue_upload(
                            'ada', 'originals/x', repeat('ab', 32), 1, headline => \(text.headline),
                            caption => \(text.caption), category => \(text.category), link => \(text.link),
                            latitude => \(latitude), longitude => \(latitude), accuracy_m => \(text.accuracy))
                        """)
                    #expect(rows.isEmpty, "\(example.testDescription)")
                } catch let error as PostgresError {
                    #expect(error.sqlState == .checkViolation && !rows.isEmpty, "\(example.testDescription)")
                    let reasons = try rows.map { try $0.decode("reason", as: String.self) }
                    #expect(reasons.contains(error.constraint ?? ""), "\(example.testDescription)")
                }
            }
        }
    }

    @Test("of a category replaces what the general one says")
    func category() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let store = PostingPolicyStore(pool: database.pool)
            _ = try await store.set(note: "general") {
                $0.headlineRequired = true
                $0.captionRequired = true
                $0.mostAccuracyMetres = 100
            }
            let market = try await store.set(for: " cafe\u{301} ", note: "stalls") {
                $0.headlineRequired = false
                $0.mostAccuracyMetres = 20
                $0.linkHosts = ["example.org"]
            }
            #expect(market.category?.unicodeScalars.count == 4 && market.captionRequired == nil)
            func reasons(_ category: String?) async throws -> [String] {
                try await database.pool.query(
                    """
                    select reason from darkroom.check_upload(
                        'ada', category => \(category), link => 'https://x.org', latitude => 1, longitude => 2, accuracy_m => 50)
                    """
                ).map { try $0.decode("reason", as: String.self) }
            }
            #expect(try await reasons(nil) == ["headline_missing", "caption_missing"])
            #expect(try await reasons("food") == ["headline_missing", "caption_missing"])
            #expect(
                try await reasons("caf\u{e9}")
                    == ["caption_missing", "link_host_refused", "location_too_inaccurate"])
            _ = try await store.set(for: "caf\u{e9}", note: "as elsewhere") {
                $0.headlineRequired = nil
                $0.linkHosts = nil
            }
            #expect(
                try await reasons("caf\u{e9}") == [
                    "headline_missing", "caption_missing", "location_too_inaccurate",
                ])
            #expect(try await store.inForce().map(\.category) == [nil, "caf\u{e9}"])
            await #expect(throws: PostgresError.self, "only the general one lists categories") {
                _ = try await store.set(for: "food", note: "x") { $0.categories = ["food"] }
            }
        }
    }

    @Test("names no more than ten of many categories")
    func longMessage() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            _ = try await PostingPolicyStore(pool: database.pool).set(note: "many") {
                $0.categories = (1...12).map { "c\($0)" }
            }
            let told = try await database.pool.query(
                "select message from darkroom.check_upload('ada', category => 'x')")[0]
                .decode("message", as: String.self)
            #expect(told.contains("c10 and 2 more") && !told.contains("c11"))
        }
    }

    @Test("and the fixed rules are told all at once, by their arguments and the names of their constraints")
    func fixedRules() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            func told(_ arguments: String) async throws -> [String] {
                try await database.pool.query(
                    "select argument || ' ' || reason as told from darkroom.check_upload(\(unescaped: arguments))"
                ).map { try $0.decode("told", as: String.self) }
            }
            #expect(
                try await told(
                    """
                    'ada', headline => repeat('x', 201), caption => E'\\u0001', link => 'ftp://x', latitude => 147,
                    taken_at => 'infinity', priority => 200, run_at => 'infinity', queue => 'A B',
                    location_privacy => 'grid', accuracy_m => 'NaN'
                    """) == [
                        "headline line_is_one_line_of_at_most_200_characters",
                        "caption prose_has_at_most_5000_characters_and_no_control_characters",
                        "latitude latitude_is_within_90_degrees", "taken_at moment_is_from_1800_to_2199",
                        "accuracy_m accuracy_is_above_0_and_at_most_1000000_metres",
                        "location_privacy location_privacy_is_exact_grid_10m_grid_100m_grid_1km_or_place",
                        "run_at moment_is_from_1800_to_2199",
                        "queue queue_name_is_1_to_50_of_a_to_z_0_to_9_and_dashes",
                        "link link_is_an_http_url_of_at_most_2000_characters",
                        "link link_names_a_host_without_credentials_or_control_characters",
                        "priority priority_is_within_100",
                    ])
            #expect(try await told("'ada'") == [], "a photo may say where it was taken")
            #expect(
                try await told("'ada', has_photo => false") == [
                    "has_photo upload_without_a_photo_has_a_headline_a_caption_or_a_link",
                    "has_photo upload_without_a_photo_says_where_it_is",
                ])
            #expect(try await told("null") == ["uploader person_is_1_to_200_characters"])
            #expect(
                try await told("'ada', repeat(U&'a\\0301\\0316', 40000)") == [
                    "headline a_text_has_at_most_20000_bytes_and_30_combining_marks_in_a_row"
                ])
            // As enqueue_upload names them.
            for (arguments, state) in [
                ("accuracy_m => 0", "23514"), ("latitude => 91, longitude => 0", "23514"),
            ] {
                let refused = await #expect(throws: PostgresError.self) {
                    try await database.pool.query(
                        "select darkroom.enqueue_upload('ada', 'originals/x', repeat('ab', 32), 1, \(unescaped: arguments))"
                    )
                }
                #expect(refused?.sqlState?.description == state)
                #expect(
                    try await told("'ada', \(arguments)").first?.hasSuffix(refused?.constraint ?? "?") == true
                )
            }
        }
    }

    @Test("is kept as immutable versions, and is in force at once")
    func versions() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let store = PostingPolicyStore(pool: database.pool)
            #expect(try await store.inForce().map(\.version) == [1])
            let set = try await store.set(note: "campus") { policy in
                policy.headlineRequired = true
                policy.categories = ["cafe\u{301}", "food"]
                policy.link = .refused
                policy.linkHosts = ["example.org"]
            }
            let read = try #require(try await store.inForce().first)
            #expect(read == set && read.version == 2 && read.note == "campus")
            #expect(read.headlineRequired == true && read.captionRequired == false && read.link == .refused)
            #expect(read.categories?[0].unicodeScalars.count == 4, "composed")
            let next = try await store.set(note: "any category") { $0.categories = nil }
            #expect(
                next.categories == nil && next.headlineRequired == true && next.linkHosts == ["example.org"])
            for hosts in [["Example.org"], ["https://example.org"], ["a b"], [""]] {
                await #expect(throws: PostgresError.self, "\(hosts)") {
                    _ = try await store.set(note: "x") { $0.linkHosts = hosts }
                }
            }
            let connection = try await PostgresConnection.connect(database.configuration)
            let kept = try await connection.query(
                "select version from darkroom.posting_policies order by version desc")
            #expect(try kept.map { try $0.decode("version", as: Int.self) } == [3, 2, 1])
            #expect(
                try await connection.failure("update darkroom.posting_policies set headline_required = false")
                    == "23001")
            await connection.close()
        }
    }
}
