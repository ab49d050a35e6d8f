import Postgres
import Posts
import TestKit
import Testing

@Suite("Links of posts", .timeLimit(.minutes(15)))
struct WebLinkTests {
    static let taken = [
        "https://example.org", "http://example.org/", "HTTPS://Example.org", "hTTp://EXAMPLE.ORG:8080/a?b#c",
        "https://example.org./", "https://example.org:/", "https://localhost/", "https://192.0.2.1/",
        "https://[::1]/", "https://[2001:db8::1]:8080/x", "https://[::ffff:192.0.2.1]",
        "https://m\u{fc}nchen.de/",
        "https://\u{4f8b}\u{3048}.jp", "https://\u{1f4a9}.la/x", "https://_dmarc.example.org/",
        "https://-foo.example.org/", "https://%65xample.org/", "https://example.org?x",
        "https://example.org#x",
        "https://example.org/\u{a0}x\u{200b}", "https://example.org/a@b?c=d#e", "https://x+y!.org/",
    ]

    static let refused = [
        "", "example.org", "//example.org/", "ftp://example.org/", "httpss://example.org/",
        "http:/example.org/",
        "javascript:alert(1)", "https://", "https:///path", "https://?x", "https://:80/", "https://.../",
        "https://.example.org/", "https://-/", "https://-_-/", "https://exa\u{1}mple.org/",
        "https://exa\u{85}mple.org/", "https://gro.elpmaxe\u{202e}/", "https://exa\u{200b}mple.org/",
        "https://exa\u{ad}mple.org/", "https://\u{2067}example.org/", "https://exa\u{fe0f}mple.org/",
        "https://example\u{3000}.org/", "https://exa mple.org/", "https://example.org /",
        " https://example.org/",
        "https://me@example.org/", "https://me:secret@example.org/", "https://good.example\\@evil.example",
        "https://evil.net\\.example.org", "https://example.org:x/", "https://example.org:80:80/",
        "https://exa<mple.org/", "https://exa|mple.org/", "https://[::1/", "https://[]/", "https://[1]/",
        "https://[::1]x/", "https://[::g]/", "https://example.org/\u{202e}foo", "https://example.org/a b",
        "https://example.org/a\n", "https://example.org\n",
    ]

    @Test("are recognised by the worker's rule and by the database's")
    func table() async throws {
        for link in Self.taken { #expect(WebLink.isOne(link), "\(link)") }
        for link in Self.refused { #expect(!WebLink.isOne(link), "\(link)") }
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let connection = try await PostgresConnection.connect(database.configuration)
            for (link, isTaken) in Self.taken.map({ ($0, true) }) + Self.refused.map({ ($0, false) }) {
                let quoted = "'" + link.replacing("'", with: "''") + "'"
                let failure = try await connection.failure(
                    "select darkroom.enqueue_upload('ada', 'originals/x', repeat('ab', 32), 1, link => \(quoted))"
                )
                // A blank text counts as none.
                let expected: SQLState? = isTaken || link.isEmpty ? nil : .checkViolation
                #expect(failure == expected, "\(link)")
            }
            await connection.close()
        }
    }

    /// Where a character may stand in a link.
    static let places = [
        ("https://", "example.org/"), ("https://exam", "ple.org"), ("https://example.org:", ""),
        ("https://example.org/a", "b"), ("https://example.org", "/"), ("https://[", "::1]/"),
        ("", "https://a.org"),
    ]

    @Test("are judged alike by both, whatever character they have where", arguments: places.every(6))
    func everyCharacter(before: String, after: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            // All of the basic plane, and of each other plane the first 4,352 and the invisible characters.
            let values =
                Array(1...UInt32(0xFFFF)) + (1...16).flatMap { Array(($0 << 16)...($0 << 16 + 0x10FF)) }
                + Array(0x1BC90...0x1BCB0) + Array(0x1D160...0x1D190)
            let scalars = values.compactMap(Unicode.Scalar.init)
            #expect(scalars.count > 130_000)
            let links = scalars.map { before + String(Character($0)) + after }
            let rows = try await database.pool.query(
                """
                select place from unnest(\(links)::text[]) with ordinality l (link, place)
                where darkroom.is_link(link) order by place
                """)
            let inDatabase = Set(try rows.map { try $0.decode("place", as: Int.self) - 1 })
            let differing = links.indices.filter { inDatabase.contains($0) != WebLink.isOne(links[$0]) }
            let told = differing.prefix(10).map { String(scalars[$0].value, radix: 16) }
            #expect(told == [])
        }
    }
}
