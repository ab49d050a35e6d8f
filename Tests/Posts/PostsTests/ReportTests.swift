import FoundationEssentials
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Reports", .timeLimit(.minutes(15)))
struct ReportTests {
    /// Creates post number 1 and a reporter with a record that must stay private.
    private static func fill(_ database: QueueDatabase) async throws -> Int64 {
        try await database.publishPosts(1)
        try await database.pool.query(
            "insert into darkroom.people (person, agreed, disagreed) values ('ada', 71, 93)")
        return try #require(try await database.visiblePosts().first).id
    }

    @Test("with too many words are refused, and the refusal does not show the reporter's record")
    func details() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.fill(database)
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    "select darkroom.report_post(\(post), 'ada', 'spam', repeat('é', 2001))")
            }
            #expect(error?.sqlState == .checkViolation)
            #expect(error?.constraint == "remark_is_at_most_2000_characters")
            #expect(error?.detail == nil)
            try await database.pool.query(
                "select darkroom.report_post(\(post), 'ada', 'spam', repeat('é', 2000))")
            #expect(try await database.number("select count(*) from darkroom.reports") == 1)
        }
    }

    /// Calls by the login of an app with something missing or out of range, and the errors that they get.
    static let refusals: [(String, SQLState)] = [
        ("select darkroom.report_post(1, 'ada', null)", "22023"),
        ("select darkroom.report_post(1, null, 'spam')", "23502"),
        ("select darkroom.report_post(null, 'ada', 'spam')", "23502"),
        ("select darkroom.report_post(1, '', 'spam')", "23514"),
        ("select darkroom.report_post(1, repeat('x', 201), 'spam')", "23514"),
        ("select darkroom.report_post(1, 'ada', 'spam', reporter_since => '-infinity')", "23514"),
        ("select darkroom.appeal_post(1, 'ada', null)", "23502"),
        ("select darkroom.appeal_post(1, 'ada', '')", "23514"),
        ("select darkroom.erase_person(null)", "23502"), ("select darkroom.erase_person('')", "23514"),
        ("select darkroom.erase_person('*')", "23514"),
        ("select darkroom.read_events(null)", "23502"), ("select darkroom.read_events('')", "23514"),
    ]

    @Test(
        "and other incomplete calls are refused without showing a row, and say what to do",
        arguments: refusals)
    func incomplete(call: String, code: SQLState) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            _ = try await Self.fill(database)
            try await database.connected(as: .api) { (app: PostgresConnection) async throws -> Void in
                let error = await #expect(throws: PostgresError.self) {
                    try await app.query(PostgresQuery(unescaped: call))
                }
                #expect(error?.sqlState == code)
                #expect(error?.detail == nil)
                // The name of a violated constraint says what to give.
                #expect(code == "23514" ? error?.constraint != nil : error?.hint != nil)
                // Not even in the text of the message.
                #expect(error.map { !"\($0)".contains("71") && !"\($0)".contains("93") } == true)
            }
            #expect(try await database.number("select count(*) from darkroom.reports") == 0)
        }
    }

    @Test(
        "by accounts created impossibly early or in the future are refused",
        arguments: [
            "-infinity", "infinity", "0044-03-15 12:00+00 BC", "0001-01-01 00:00+00",
            "1969-12-31 23:59:59+00",
            "294276-12-31 00:00+00", "+25 hours",
        ])
    func ages(since: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.fill(database)
            let time: PostgresQuery =
                since.hasPrefix("+")
                ? "now() + \(String(since.dropFirst()))::interval" : "\(since)::timestamptz"
            for reporter in ["ada", "somebody new"] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query(
                        "select darkroom.report_post(\(post), \(reporter), 'spam', reporter_since => \(time))"
                    )
                }
                if since.hasPrefix("1969") || since.hasPrefix("+") {
                    #expect(error?.sqlState == "22023")
                    #expect(error?.hint?.contains("1970") == true)
                } else {
                    #expect(error?.constraint == "moment_is_from_1800_to_2199")
                }
            }
            let direct = await #expect(throws: PostgresError.self) {
                try await database.pool.query("select darkroom.note_person_seen('ada', \(time))")
            }
            #expect(direct?.sqlState == "22023")
            #expect(try await database.number("select count(*) from darkroom.reports") == 0)
            #expect(
                try await database.number(
                    "select count(*) from darkroom.people where first_seen_at < now() - interval '1 day'")
                    == 0)
        }
    }

    @Test(
        "cannot be stored with such a time in any other way either",
        arguments: ["-infinity", "infinity", "0044-03-15 12:00+00 BC"])
    func constraints(since: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.fill(database)
            try await database.report(post, by: "bob")
            for (statement, constraint) in [
                ("update darkroom.people set first_seen_at", "first_seen_at_is_a_time_from_1970_on"),
                ("update darkroom.reports set reporter_since", "reporter_since_is_a_time_from_1970_on"),
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query("\(unescaped: statement) = \(since)::timestamptz")
                }
                #expect(error?.sqlState == .checkViolation && error?.constraint == constraint)
            }
        }
    }
}
