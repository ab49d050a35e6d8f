import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("The posting policy", .timeLimit(.minutes(5)))
struct PostingPolicyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: PostedText
        let objection: PostingObjection?
        let change: @Sendable (inout PostingPolicy) -> Void

        init(
            _ name: String, _ text: PostedText, _ objection: PostingObjection?,
            _ change: @escaping @Sendable (inout PostingPolicy) -> Void = { _ in }
        ) {
            (testDescription, self.text, self.objection, self.change) = (name, text, objection, change)
        }
    }

    static let ours = ["example.org", "maps.example"]

    static func link(_ url: String, _ objection: PostingObjection?) -> Case {
        Case("link \(url)", PostedText(link: url), objection) { $0.linkHosts = ours }
    }

    static let cases: [Case] = [
        Case("nothing said, nothing required", PostedText(), nil),
        Case(
            "everything said", PostedText(headline: "a", caption: "b", category: "c", link: "https://x.org"),
            nil),
        Case("no headline", PostedText(caption: "b"), .headlineMissing) { $0.headlineRequired = true },
        Case("a headline", PostedText(headline: "b"), nil) { $0.headlineRequired = true },
        Case("no caption", PostedText(headline: "b"), .captionMissing) { $0.captionRequired = true },
        Case("no category", PostedText(), .categoryMissing) { $0.categoryRequired = true },
        Case("no category, some known", PostedText(), nil) { $0.categories = ["food"] },
        Case("a known category", PostedText(category: "food"), nil) { $0.categories = ["art", "food"] },
        Case("another category", PostedText(category: "Food"), .categoryUnknown("Food", known: ["food"])) {
            $0.categories = ["food"]
        },
        Case("a category composed otherwise", PostedText(category: "cafe\u{301}"), nil) {
            $0.categories = ["caf\u{e9}"]
        },
        Case("no link", PostedText(), .linkMissing) { $0.link = .required },
        Case("a link, required", PostedText(link: "http://x.org"), nil) { $0.link = .required },
        Case("a link, refused", PostedText(link: "http://x.org"), .linkRefused) { $0.link = .refused },
        Case("no link, refused", PostedText(), nil) { $0.link = .refused },
        Case("the first objection is told", PostedText(), .headlineMissing) {
            $0.headlineRequired = true
            $0.captionRequired = true
        },
        link("https://example.org", nil), link("https://example.org/a?b#c", nil),
        link("http://www.example.org:8080/", nil), link("HTTPS://EXAMPLE.ORG/", nil),
        link("https://example.org./", nil), link("https://a.b.maps.example?x", nil),
        link("https://badexample.org/", .linkHostRefused("badexample.org", allowed: ours)),
        link("https://example.org.evil.net/", .linkHostRefused("example.org.evil.net", allowed: ours)),
        link("https://evil.net/example.org", .linkHostRefused("evil.net", allowed: ours)),
        link("https://evil.net?x.example.org", .linkHostRefused("evil.net", allowed: ours)),
        link("https://evil.net#.example.org", .linkHostRefused("evil.net", allowed: ours)),
        link("https://evil.net\\.example.org", .linkHostRefused("evil.net", allowed: ours)),
        link("https://example.org@evil.net/", .linkHostRefused("evil.net", allowed: ours)),
        link("https://example.org:x@evil.net/", .linkHostRefused("evil.net", allowed: ours)),
        // To Swift a mark and what it follows are one character; to a browser the host has ended before.
        link("https://evil.net/\u{301}.example.org/", .linkHostRefused("evil.net", allowed: ours)),
        link("https://evil.net/\u{FE0F}.example.org/", .linkHostRefused("evil.net", allowed: ours)),
        link("https://evil.net/\u{200D}.example.org/", .linkHostRefused("evil.net", allowed: ours)),
        link("https://evil.net?\u{301}.example.org", .linkHostRefused("evil.net", allowed: ours)),
        link("https://evil.net#\u{301}.example.org", .linkHostRefused("evil.net", allowed: ours)),
        link("https://evil.net\\\u{301}.example.org", .linkHostRefused("evil.net", allowed: ours)),
        link("https://evil.net:\u{301}.example.org/", .linkHostRefused("evil.net", allowed: ours)),
        link("https://a@\u{301}evil.net/", .linkHostRefused("\u{301}evil.net", allowed: ours)),
        link("https://\u{301}example.org/", .linkHostRefused("\u{301}example.org", allowed: ours)),
        link("https://a.\u{301}example.org/", .linkHostRefused("a.\u{301}example.org", allowed: ours)),
        link("https://[::1]/", .linkHostRefused("::1", allowed: ours)),
        link("https://\u{435}xample.org/", .linkHostRefused("\u{435}xample.org", allowed: ours)),
    ]

    @Test("objects to what it should and to nothing else", arguments: cases)
    func objection(to example: Case) {
        var policy = PostingPolicy(version: 1)
        example.change(&policy)
        #expect(policy.objection(to: example.text) == example.objection)
    }

    @Test("names no more than ten of many categories")
    func longMessage() {
        let known = (1...12).map { "c\($0)" }
        let message = PostingObjection.categoryUnknown("x", known: known).message
        #expect(message.contains("c10 and 2 more") && !message.contains("c11"))
    }

    @Test("is kept as versions that nobody changes, and is in force at once")
    func versions() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let store = PostStore(pool: database.pool)
            #expect(try await store.postingPolicy().objection(to: PostedText()) == nil)
            let set = try await store.setPostingPolicy(note: "campus") { policy in
                policy.headlineRequired = true
                policy.categories = ["cafe\u{301}", "food"]
                policy.link = .refused
                policy.linkHosts = ["example.org"]
            }
            let read = try await store.postingPolicy()
            #expect(read == set && read.version == 2 && read.note == "campus")
            #expect(read.headlineRequired && !read.captionRequired && read.link == .refused)
            #expect(read.categories?[0].unicodeScalars.count == 4, "composed")
            let next = try await store.setPostingPolicy(note: "any category") { $0.categories = nil }
            #expect(next.categories == nil && next.headlineRequired && next.linkHosts == ["example.org"])
            #expect(try await store.postingPolicies().map(\.version) == [3, 2, 1])
            for hosts in [["Example.org"], ["https://example.org"], ["a b"], [""]] {
                await #expect(throws: PostgresError.self, "\(hosts)") {
                    _ = try await store.setPostingPolicy(note: "x") { $0.linkHosts = hosts }
                }
            }
            let connection = try await PostgresConnection.connect(database.configuration)
            #expect(
                try await connection.failure("update darkroom.posting_policies set headline_required = false")
                    == "23001")
            await connection.close()
        }
    }
}

@Suite("Texts of uploads", .timeLimit(.minutes(5)))
struct UploadTextTests {
    /// An argument of `enqueue_upload`, and the constraint that refuses it.
    static let refused: [(String, String)] = [
        ("headline => E'a\\u0007b'", "headline_has_no_control_characters"),
        ("headline => E'two\\nlines'", "headline_has_no_control_characters"),
        ("headline => E'turned \\u202E round'", "headline_has_no_control_characters"),
        ("headline => repeat('é', 201)", "headline_is_at_most_200_characters"),
        ("caption => E'a\\u0001b'", "caption_has_no_control_characters"),
        ("caption => repeat(E'\\U0001F600', 5001)", "caption_is_at_most_5000_characters"),
        ("category => E'a\\tb'", "category_has_no_control_characters"),
        ("event => E'\\u0085x'", "event_has_no_control_characters"),
        ("place => E'Seattle\\u2028'", "place_has_no_control_characters"),
        ("link => 'https://me:secret@example.org/'", linkRule),
        ("link => 'https://me@example.org/'", linkRule),
        ("link => 'https:///path'", linkRule), ("link => 'https://'", linkRule),
        ("link => 'https://good.example\\@evil.example'", linkRule),
        ("link => E'https://example.org/\\u202Efoo'", linkRule),
        ("link => 'ftp://example.org/'", linkRule), ("link => 'javascript:alert(1)'", linkRule),
    ]

    static let linkRule = "link_"

    @Test("are refused that cannot be shown as they are", arguments: refused)
    func refusal(argument: String, constraint: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            do {
                try await Self.enqueue(argument, in: database)
                Issue.record("\(argument) was taken")
            } catch let error as PostgresError {
                #expect(error.sqlState == .checkViolation)
                #expect(error.constraint?.hasPrefix(constraint) == true, "\(error.constraint ?? "-")")
            }
        }
    }

    @Test("are taken with line feeds, composed, and blank ones as none")
    func taken() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.enqueue(
                """
                headline => E'cafe\\u0301', caption => E'one\\r\\ntwo\\tthree', category => E' \\u200B ',
                link => 'https://example.org/a@b?c=d#e', event => repeat('é', 100), place => ''
                """, in: database)
            let rows = try await database.pool.query(
                "select headline, caption, category, link, event, place_text from darkroom.uploads")
            let row = rows[0]
            #expect(try row.decode("headline", as: String.self).unicodeScalars.count == 4)
            #expect(try row.decode("caption", as: String.self) == "one\ntwo\tthree")
            #expect(try row.decode("category", as: String?.self) == nil)
            #expect(try row.decode("link", as: String?.self) == "https://example.org/a@b?c=d#e")
            #expect(try row.decode("event", as: String?.self)?.count == 100)
            #expect(try row.decode("place_text", as: String?.self) == nil)
        }
    }

    private static func enqueue(_ arguments: String, in database: QueueDatabase) async throws {
        try await database.pool.query(
            """
            select darkroom.enqueue_upload(
                uploader => 'ada', original_key => 'originals/x', original_sha256 => repeat('ab', 32),
                original_bytes => 1, \(unescaped: arguments))
            """)
    }
}

@Suite("Display names", .timeLimit(.minutes(5)))
struct DisplayNameTests {
    @Test("are one person's each, whatever the case, and are shown with posts")
    func names() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await database.publishPosts(40, areVotedOn: false)
            try await database.connected(as: .api) { (app: PostgresConnection) async throws -> Void in
                func set(_ person: String, _ name: String?) async throws -> SQLState? {
                    do {
                        try await app.query("select darkroom.set_display_name(\(person), \(name))")
                        return nil
                    } catch let error as PostgresError { return error.sqlState }
                }
                #expect(try await set("user-3", "Zoë") == nil)
                #expect(
                    try await set("user-4", "ZOE\u{308}") == .uniqueViolation,
                    "the same, in another case and form")
                #expect(try await set("user-4", "\u{ff3a}oë") == .uniqueViolation, "and another width")
                #expect(try await set("user-4", "a\u{7}b") == .checkViolation)
                #expect(try await set("user-4", String(repeating: "x", count: 101)) == .checkViolation)
                #expect(try await set("user-4", "Bob") == nil)
                #expect(try await set("user-4", "  ") == nil, "taken back")
                #expect(try await set("user-5", "bob") == nil, "and free again")
                let rows = try await app.query(
                    "select uploader, display_name from darkroom.latest_posts(100)")
                #expect(rows.count == 40)
                for row in rows {
                    let names = ["user-3": "Zoë", "user-5": "bob"]
                    let uploader = try row.decode("uploader", as: String.self)
                    let name = try row.decode("display_name", as: String?.self)
                    #expect(name == names[uploader], "\(uploader)")
                }
            }
        }
    }
}
