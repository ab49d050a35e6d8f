import JobStore
import Postgres
import Schema
import Synchronization
import TestKit
import Testing

@Suite("A migration while apps and readers are at work", .timeLimit(.minutes(15)))
struct LiveMigrationTests {
    @Test("fails none of their calls, and revokes no right")
    func calls() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            let (api, reader) = (try await database.url(as: .api), try await database.url(as: .reader))
            // A role calls functions while they are replaced repeatedly, from one version to another and back.
            let other = SchemaFile.all.map { file in
                file.kind == .function
                    ? SchemaFile(path: file.path, text: file.text + "\n-- Another text.\n") : file
            }
            let ended = Signal()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for (url, statement) in [
                    (
                        api,
                        "select darkroom.enqueue_upload('ada', 'originals/x', repeat('ab', 32), 1)::text as x"
                    ),
                    (api, "select number::text as x from darkroom.read_events('app')"),
                    (api, "select darkroom.count_views(array[1])::text as x"),
                    (reader, "select cursor as x from darkroom.posts_within(47.6, -122.3, 500)"),
                    (reader, "select cursor as x from darkroom.latest_posts()"),
                ] {
                    group.addTask {
                        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
                        var calls = 0
                        while !ended.isRaised {
                            try await connection.query(PostgresQuery(unescaped: statement))
                            calls += 1
                        }
                        await connection.close()
                        return calls
                    }
                }
                for round in 0..<6 {
                    try await database.pool.withConnection {
                        let changed = try await Migrator(
                            $0, files: round.isMultiple(of: 2) ? other : SchemaFile.all
                        ).migrate()
                        #expect(changed.count > 100)
                    }
                }
                ended.raise()
                for try await calls in group { #expect(calls > 6) }
            }
        }
    }
}

/// A flag that one task raises and all see.
private final class Signal: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock(\.self) }
    func raise() { state.withLock { $0 = true } }
}
