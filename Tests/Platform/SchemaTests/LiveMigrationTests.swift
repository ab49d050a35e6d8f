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
                for round in 0..<Extent.of(1, check: 6) {
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

    /// A function that an index and a constraint call stops the migration in the middle of its look at the rows.
    @Test("lets them read and publish while it looks at every row")
    func rows() async throws {
        try await QueueDatabase.with(FeedFixture(3)) { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                """
                create function public.is_calm(text) returns boolean language plpgsql immutable as $$
                declare
                    step integer := case when current_query() like '%validate%' then 2 else 1 end;
                begin
                    if current_setting('application_name') = 'migration' then
                        perform pg_advisory_lock_shared(step), pg_advisory_unlock_shared(step);
                    end if;
                    return true;
                end $$
                """)
            let files =
                SchemaFile.all + [
                    SchemaFile(
                        path: "tables/0002_calm.sql",
                        text: """
                            -- Validates: headline_is_calm on posts
                            alter table darkroom.posts add column mood text not null default 'calm';
                            alter table darkroom.posts add constraint headline_is_calm check (public.is_calm(headline)) not valid;

                            """),
                    SchemaFile(
                        path: "tables/0003_calm_index.sql",
                        text: """
                            -- Runs outside a transaction
                            drop index concurrently if exists darkroom.posts_calm;
                            create index concurrently posts_calm on darkroom.posts (public.is_calm(headline));

                            """),
                ]
            let holder = try await PostgresConnection.connect(database.configuration)
            try await holder.query("select pg_advisory_lock(1), pg_advisory_lock(2)")
            let migrating = Task {
                let connection = try await PostgresConnection.connect(
                    PostgresConfiguration(url: database.url, applicationName: "migration"))
                defer { Task { await connection.close() } }
                return try await Migrator(connection, files: files).migrate().map(\.name)
            }
            for step in 1...2 {
                while try await database.pool.query(
                    """
                    select from pg_stat_activity
                    where application_name = 'migration' and datname = current_database() and wait_event = 'advisory'
                      and query like \(step == 1 ? "create index%" : "%validate constraint%")
                    """
                ).isEmpty { try await Task.sleep(for: .milliseconds(1)) }
                if step == 2 {
                    let pending = try await database.pool.withConnection {
                        try await Migrator($0, files: files).status().filter { $0.state != .applied }.map(
                            \.name)
                    }
                    #expect(pending == ["headline_is_calm on posts"])
                }
                try await database.publishPosts(2)
                let found = try await database.pool.query("select from darkroom.latest_posts(100)")
                #expect(found.count == 3 + 2 * step)
                try await holder.query("select pg_advisory_unlock(\(step))")
            }
            #expect(
                try await migrating.value == ["0002_calm", "0003_calm_index", "headline_is_calm on posts"])
            await holder.close()
            let left = try await database.pool.query("select from pg_constraint where not convalidated")
            #expect(left.isEmpty)
        }
    }
}

/// A flag that one task raises and all see.
private final class Signal: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock(\.self) }
    func raise() { state.withLock { $0 = true } }
}
