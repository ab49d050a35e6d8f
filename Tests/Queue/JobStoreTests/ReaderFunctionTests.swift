import JobStore
import Postgres
import TestKit
import Testing

/// Every public function that is declared to read only (`stable`), from the catalogue, on a real standby.
@Suite("Public functions that read", .timeLimit(.minutes(15)))
struct ReaderFunctionTests {
    private struct Function {
        let name: String
        let isForReaders: Bool
        let reads: Bool
    }

    private static func functions(in database: QueueDatabase) async throws -> [Function] {
        try await database.pool.query(
            """
            select f.name, f.for_readers, p.provolatile <> 'v' as reads
            from darkroom.public_functions() f
            join pg_proc p on p.proname = f.name and p.pronamespace = 'darkroom'::regnamespace order by 1
            """
        ).map {
            Function(
                name: try $0.decode("name"), isForReaders: try $0.decode("for_readers"),
                reads: try $0.decode("reads"))
        }
    }

    /// The rows of a call, or the SQLSTATE of its refusal.
    private static func outcome(of call: String, _ session: PostgresConnection) async throws -> String {
        do {
            return try await session.query(
                "select coalesce(json_agg(to_jsonb(f))::text, 'no rows') as rows from \(unescaped: call) as f"
            )[0]
            .decode("rows", as: String.self)
        } catch let error as PostgresError where error.code == .server {
            return error.sqlState.map { "\($0)" } ?? ""
        }
    }

    private static func fill(_ database: QueueDatabase) async throws {
        try await database.makeLogins()
        try await database.pool.query(
            "grant darkroom_moderator to \(unescaped: try await database.login(.api))")
        // For later, so that nothing depends on the time of the call.
        try await database.enqueue(uploader: "user-2", runAfterSeconds: 1_000_000)
        try await database.publishPosts(300)
        for statement in [
            "select darkroom.add_comment(1, 'user-9', 'first')", "select darkroom.create_activity('picnic')",
            "select darkroom.report_post(1, 'user-9', 'spam')", "select darkroom.tally_counters()",
        ] {
            try await database.pool.query(PostgresQuery(unescaped: statement))
        }
    }

    @Test(
        "return on a standby what they return on the primary server, for quick values of every argument")
    func onStandby() async throws {
        try await ReplicatedDatabase.with { (database: ReplicatedDatabase) async throws -> Void in
            try await Self.fill(database.primary)
            try await database.primary.pool.withConnection {
                (session: PostgresConnection) async throws -> Void in
                try await session.execute(HostileArgument.helpers)
            }
            let functions = try await Self.functions(in: database.primary)
            #expect(functions.filter { $0.isForReaders && !$0.reads }.map(\.name) == [])
            let readers = Set(functions.filter(\.reads).map(\.name))
            #expect(readers.count >= 25)
            var calls = try await HostileArgument.all(in: database.primary)
                .filter { readers.contains($0.function) }
                .flatMap { argument in
                    [(argument.function, argument.legalCall)]
                        + argument.values.filter(\.isQuick).every(3).map {
                            (argument.function, argument.callWith($0.sql))
                        }
                }
            calls += readers.subtracting(calls.map(\.0)).map { ($0, "darkroom.\($0)()") }
            try await database.awaitReplay()
            let forReaders = Set(functions.filter(\.isForReaders).map(\.name))
            for role in [InstallationRole.api, .reader] {
                let standby = try await PostgresConnection.connect(
                    PostgresConfiguration(url: try await database.standby.url(as: role)))
                var withRows: Set<String> = []
                try await database.primary.connected(as: role) {
                    (primary: PostgresConnection) async throws -> Void in
                    for (function, call) in calls where role == .api || forReaders.contains(function) {
                        let expected = try await Self.outcome(of: call, primary)
                        let found = try await Self.outcome(of: call, standby)
                        #expect(found == expected, "\(role) \(call.prefix(300))")
                        if expected.utf8.count > 7 { withRows.insert(function) }
                    }
                }
                await standby.close()
                #expect(withRows.count >= 12, "\(role) \(withRows.sorted())")
            }
        }
    }

    @Test("would be found if one of them wrote")
    func writing() async throws {
        try await ReplicatedDatabase.with { (database: ReplicatedDatabase) async throws -> Void in
            try await database.primary.pool.query(
                "create function darkroom.probe() returns bigint language sql stable as $$ select nextval('darkroom.event_numbers') $$"
            )
            try await database.awaitReplay()
            let outcome = try await database.standby.connected {
                try await Self.outcome(of: "darkroom.probe()", $0)
            }
            #expect(outcome == "25006")
        }
    }
}
