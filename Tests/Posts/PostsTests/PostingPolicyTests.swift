import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("The posting policy", .timeLimit(.minutes(15)))
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
        // To Swift a mark and the character before it are one; to a browser the host has already ended.
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

    @Test("objects to what it must and to nothing else", arguments: cases)
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

    @Test("is kept as immutable versions, and is in force at once")
    func versions() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let store = PostingPolicyStore(pool: database.pool)
            #expect(try await store.inForce().objection(to: PostedText()) == nil)
            let set = try await store.set(note: "campus") { policy in
                policy.headlineRequired = true
                policy.categories = ["cafe\u{301}", "food"]
                policy.link = .refused
                policy.linkHosts = ["example.org"]
            }
            let read = try await store.inForce()
            #expect(read == set && read.version == 2 && read.note == "campus")
            #expect(read.headlineRequired && !read.captionRequired && read.link == .refused)
            #expect(read.categories?[0].unicodeScalars.count == 4, "composed")
            let next = try await store.set(note: "any category") { $0.categories = nil }
            #expect(next.categories == nil && next.headlineRequired && next.linkHosts == ["example.org"])
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
