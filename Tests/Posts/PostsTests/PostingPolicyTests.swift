import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("The posting policy", .timeLimit(.minutes(15)))
struct PostingPolicyTests {
    /// What an upload says, and what the policy objects to in it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: PostedText
        let objections: [String]
        let change: @Sendable (inout PostingPolicy) -> Void

        init(
            _ name: String, _ text: PostedText, _ objections: String...,
            policy change: @escaping @Sendable (inout PostingPolicy) -> Void = { _ in }
        ) {
            (testDescription, self.text, self.objections, self.change) = (name, text, objections, change)
        }
    }

    struct PostedText: Sendable {
        var headline: String?
        var caption: String?
        var category: String?
        var link: String?
        var accuracy: Double?
    }

    /// To Swift a space with a combining mark is not a space.
    static func words(_ text: String) -> [String] {
        text.unicodeScalars.split(separator: " ").map { String($0) }
    }

    static let ours = ["example.org", "maps.example"]

    static func link(_ url: String, _ host: String? = nil) -> Case {
        guard let host else {
            return Case("link \(url)", PostedText(link: url), policy: { $0.linkHosts = ours })
        }
        return Case("link \(url)", PostedText(link: url), "link_host_refused \(host)") { $0.linkHosts = ours }
    }

    static let cases: [Case] = [
        Case("nothing said, nothing required", PostedText()),
        Case(
            "everything said",
            PostedText(headline: "a", caption: "b", category: "c", link: "https://x.org", accuracy: 1e6)),
        Case("no headline", PostedText(caption: "b"), "headline_missing") { $0.headlineRequired = true },
        Case("a headline", PostedText(headline: "b")) { $0.headlineRequired = true },
        Case("no caption", PostedText(headline: "b"), "caption_missing") { $0.captionRequired = true },
        Case("no category", PostedText(), "category_missing") { $0.categoryRequired = true },
        Case("no category, some known", PostedText()) { $0.categories = ["food"] },
        Case("a known category", PostedText(category: "food")) { $0.categories = ["art", "food"] },
        Case("another category", PostedText(category: "foods"), "category_unknown “foods” food") {
            $0.categories = ["food"]
        },
        Case("a category in capitals", PostedText(category: "FOOD")) { $0.categories = ["Food"] },
        Case("a category composed otherwise", PostedText(category: "cafe\u{301}")) {
            $0.categories = ["caf\u{e9}"]
        },
        Case("no link", PostedText(), "link_missing") { $0.link = .required },
        Case("a link, required", PostedText(link: "http://x.org")) { $0.link = .required },
        Case("a link, refused", PostedText(link: "http://x.org"), "link_refused") { $0.link = .refused },
        Case("no link, refused", PostedText()) { $0.link = .refused },
        Case("a link refused is not a wrong host too", PostedText(link: "http://x.org"), "link_refused") {
            $0.link = .refused
            $0.linkHosts = ours
        },
        Case("an exact position", PostedText(accuracy: 100)) { $0.mostAccuracyMetres = 100 },
        Case("no known accuracy", PostedText()) { $0.mostAccuracyMetres = 100 },
        Case("a vague position", PostedText(accuracy: 100.25), "location_too_inaccurate 101 100") {
            $0.mostAccuracyMetres = 100
        },
        Case("all objections are told", PostedText(), "headline_missing", "caption_missing") {
            $0.headlineRequired = true
            $0.captionRequired = true
        },
        link("https://example.org"), link("https://example.org/a?b#c"),
        link("http://www.example.org:8080/"), link("HTTPS://EXAMPLE.ORG/"),
        link("https://example.org./"), link("https://a.b.maps.example?x"),
        link("https://badexample.org/", "badexample.org"),
        link("https://example.org.evil.net/", "example.org.evil.net"),
        link("https://evil.net/example.org", "evil.net"),
        link("https://evil.net?x.example.org", "evil.net"),
        link("https://evil.net#.example.org", "evil.net"),
        link("https://evil.net\\.example.org", "evil.net"),
        link("https://example.org@evil.net/", "evil.net"),
        link("https://example.org:x@evil.net/", "evil.net"),
        // To Swift a mark and the character before it are one; to a browser the host has already ended.
        link("https://evil.net/\u{301}.example.org/", "evil.net"),
        link("https://evil.net/\u{FE0F}.example.org/", "evil.net"),
        link("https://evil.net/\u{200D}.example.org/", "evil.net"),
        link("https://evil.net?\u{301}.example.org", "evil.net"),
        link("https://evil.net#\u{301}.example.org", "evil.net"),
        link("https://evil.net\\\u{301}.example.org", "evil.net"),
        link("https://evil.net:\u{301}.example.org/", "evil.net"),
        link("https://a@\u{301}evil.net/", "\u{301}evil.net"),
        link("https://\u{301}example.org/", "\u{301}example.org"),
        link("https://a.\u{301}example.org/", "a.\u{301}example.org"),
        link("https://[::1]/", "::1"),
        link("https://\u{435}xample.org/", "\u{435}xample.org"),
    ]

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
                    "has_photo upload_without_a_photo_has_a_headline_or_a_caption",
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
