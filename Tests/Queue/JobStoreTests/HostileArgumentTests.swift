import FoundationEssentials
import JobStore
import Postgres
import TestKit
import Testing

/// Every argument of every public function, with what a caller who means harm could pass. The check tries all values, and
/// prints a table of what they cost.
@Suite("Hostile arguments", .serialized, .timeLimit(.minutes(30)))
struct HostileArgumentTests {
    /// What costs the server as much as a call may, beyond the making of the value that is passed. Only the check judges it:
    /// what runs next to the gate's tests changes it.
    static let reference = "generate_series(1, 1000000)"

    /// Refusals. 22P02, 22003 and 22008 come from the caller's own conversions.
    static let refusals: Set<String> = [
        "22023", "23514", "23502", "P0002", "55000", "23505", "22P02", "22003", "22008",
    ]

    @Test("end with a result or a refusal that shows nothing, and cost no more than to count to a million")
    func all() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            // One login for all functions.
            try await database.pool.query(
                "grant darkroom_moderator to \(unescaped: try await database.login(.api))")
            try await database.publishPosts(300)
            try await database.pool.query("select darkroom.add_comment(1, 'user-9', 'first')")
            try await database.pool.withConnection { (session: PostgresConnection) async throws -> Void in
                try await session.execute(HostileArgument.helpers)
            }
            let arguments = try await HostileArgument.all(in: database)
            #expect(Set(arguments.map(\.function)).count > 25)
            try await database.connected(as: .api) { (session: PostgresConnection) async throws -> Void in
                let process = await session.backendProcessID
                let most = try await Self.most(in: session, process)
                var calls = 0
                for argument in arguments {
                    for _ in 0..<2 { _ = try await Self.call(argument.legalCall, in: session, process) }
                    var slowest = (milliseconds: 0.0, label: "-")
                    for value in argument.values.filter({ $0.isQuick || Extent.isCheck }).every(3) {
                        let what = "\(argument.function)(\(argument.name) => \(value.label))"
                        var result = try await Self.call(argument.callWith(value.sql), in: session, process)
                        var excess = result.milliseconds - most
                        // The server may have planned it for the first time, and other work may slow the processor: the least
                        // of three counts.
                        for _ in 0..<3 where excess > 0 {
                            result = try await Self.call(argument.callWith(value.sql), in: session, process)
                            let made = try await Self.call(
                                "(select octet_length((\(value.sql))::text) offset 0) v where v is not null",
                                in: session,
                                process)
                            let limit = try await Self.most(in: session, process)
                            excess = min(excess, result.milliseconds - made.milliseconds - limit)
                        }
                        calls += 1
                        if result.milliseconds > slowest.milliseconds {
                            slowest = (result.milliseconds, value.label)
                        }
                        #expect(excess <= 0, "\(what) costs \(result.milliseconds) ms")
                        if let error = result.error {
                            #expect(
                                Self.refusals.contains(error.sqlState.map { "\($0)" } ?? ""),
                                "\(what): \(error)")
                            #expect(error.message.utf8.count < 400, "\(what) shows the value")
                            // The state of a post on which nobody can decide so.
                            let isKnown = ["published", "held", "hidden", "removed", "expired", nil]
                                .contains(error.detail)
                            #expect(isKnown, "\(what): \(error.detail ?? "")")
                        }
                    }
                    if Extent.isCheck {
                        print(
                            "| \(argument.function) | \(argument.name) | \(argument.values.count) |",
                            terminator: "")
                        print(" \((slowest.milliseconds * 10).rounded() / 10) ms | \(slowest.label) |")
                    }
                }
                if Extent.isCheck {
                    print("The limit at the start: \((most * 10).rounded() / 10) ms")
                    print("\(calls) calls of \(Set(arguments.map(\.function)).count) functions")
                }
            }
        }
    }

    /// PostgreSQL refuses a JSON object of these texts, so this shows that they are not copied into one.
    @Test("are refused by their length alone before an upload is checked, each by its own rule")
    func longTexts() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let rows = try await database.pool.query(
                """
                select argument, reason from (select repeat('x', 25000000) as t offset 0) long
                cross join lateral darkroom.check_upload(
                    t, t, t, t, t, t, place_text => t, idempotency_key => t, queue => t, location_privacy => t, place_country => t)
                """)
            let written = "a_text_has_at_most_20000_bytes_and_30_combining_marks_in_a_row"
            var expected = Dictionary(
                uniqueKeysWithValues: ["headline", "caption", "link", "category", "activity", "place_text"]
                    .map { ($0, written) })
            expected["uploader"] = "person_is_1_to_200_characters"
            expected["idempotency_key"] = "idempotency_key_is_1_to_200_characters"
            expected["queue"] = "queue_name_is_1_to_50_of_a_to_z_0_to_9_and_dashes"
            expected["location_privacy"] = "location_privacy_is_exact_grid_10m_grid_100m_grid_1km_or_place"
            expected["place_country"] = "place_country_is_2_capital_letters"
            #expect(rows.count == expected.count)
            for row in rows {
                let argument = try row.decode("argument", as: String.self)
                #expect(try row.decode("reason", as: String.self) == expected[argument], "\(argument)")
            }
        }
    }

    /// What the reference costs now, in milliseconds: the median of five.
    private static func most(in session: PostgresConnection, _ process: Int32) async throws -> Double {
        guard Extent.isCheck else { return .infinity }
        var costs: [Double] = []
        for _ in 0..<5 { costs.append(try await call(reference, in: session, process).milliseconds) }
        return costs.sorted()[2]
    }

    private static func call(
        _ call: String, in session: PostgresConnection, _ process: Int32
    ) async throws -> (milliseconds: Double, error: PostgresError?) {
        try await session.query("begin")
        let before = try processorTime(of: process)
        var failure: PostgresError?
        do {
            try await session.query("select count(*) from \(unescaped: call)")
        } catch let error as PostgresError where error.code == .server {
            failure = error
        }
        let after = try processorTime(of: process)
        try await session.query("rollback")
        return (after - before, failure)
    }

    /// The time for which a process has run on a processor, in milliseconds (proc(5), schedstat).
    private static func processorTime(of process: Int32) throws -> Double {
        let text = try String(contentsOf: URL(filePath: "/proc/\(process)/schedstat"), encoding: .utf8)
        let nanoseconds = text.split(separator: " ").first.flatMap { Double($0) }
        return try #require(nanoseconds) / 1e6
    }
}
