import ChildProcess
import FoundationEssentials
import JobStore
import Postgres
import TestKit
import Testing

@Suite("The documentation", .timeLimit(.minutes(15)))
struct DocumentationTests {
    /// Pages with statements, and the login that runs them. queue.md and sql-api.md have their own tests.
    private static let pages: [(name: String, role: InstallationRole)] = [
        ("events.md", .api), ("feeds.md", .api), ("keeping.md", .operator), ("posting.md", .api),
        ("enqueueing.md", .api), ("locations.md", .operator),
    ]

    private static func text(_ name: String) throws -> String {
        let path = "\(Checkout.root)/docs/\(name)"
        return String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
    }

    private static func blocks(_ language: String, in name: String) throws -> [String] {
        try text(name).split(separator: "```\(language)\n", omittingEmptySubsequences: false).dropFirst()
            .compactMap { block in block.firstRange(of: "\n```").map { String(block[..<$0.lowerBound]) } }
    }

    @Test("has statements that run unchanged, by the logins they are meant for", arguments: pages)
    func statements(page: String, role: InstallationRole) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.makeLogins()
            // This many events have happened.
            try await darkroom.database.pool.query("select setval('darkroom.event_numbers', 5000)")
            let blocks = try Self.blocks("sql", in: page)
            try #require(!blocks.isEmpty)
            let script = try darkroom.write(Array(blocks.joined(separator: "\n").utf8), to: "page.sql")
            let psql = try #require(ChildProgram.find("psql"))
            try await ChildProgram(
                psql,
                [
                    "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--file=\(script)",
                    try await darkroom.database.url(as: role),
                ]
            ).runSuccessfully()
        }
    }

    @Test("has no page with statements that no test runs")
    func completeness() throws {
        let folder = "\(Checkout.root)/docs"
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            try $0.hasSuffix(".md") && !Self.blocks("sql", in: $0).isEmpty
        }
        #expect(Set(pages) == Set(Self.pages.map(\.name) + ["queue.md", "sql-api.md"]))
    }

    @Test("shows moderation commands that run unchanged")
    func commands() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let lines = try Self.blocks("sh", in: "moderation.md").flatMap { $0.split(separator: "\n") }
            try #require(!lines.isEmpty)
            for line in lines {
                let words = line.split(separator: " ").map(String.init)
                try #require(words.first == "darkroom")
                try await darkroom.command(Array(words.dropFirst())).runSuccessfully()
            }
        }
    }
}
