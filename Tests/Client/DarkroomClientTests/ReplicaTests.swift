import JobStore
import MediaStore
import Postgres
import Synchronization
import TestKit
import Testing

@testable import DarkroomClient

/// A client with a real standby as its only reader.
@Suite("The Swift library with a standby", .timeLimit(.minutes(15)))
struct ReplicaTests {
    /// - Parameters:
    ///   - patience: by default no machine is so busy that the standby counts as away.
    ///   - clock: by which lags are measured.
    private static func with(
        maxLag: Duration, patience: Duration = .seconds(3600), clock: TurnedClock? = nil,
        _ body: (ReplicatedDatabase, DarkroomClient) async throws -> Void
    ) async throws {
        try await ReplicatedDatabase.with { (database: ReplicatedDatabase) async throws -> Void in
            try await withTemporaryDirectory { (media: String) async throws -> Void in
                try await database.primary.makeLogins()
                try await database.primary.publishPosts(5)
                try await database.awaitReplay()
                let client = try await Self.client(
                    of: database, maxLag: maxLag, patience: patience, clock: clock, media: media)
                let result: Result<Void, any Error>
                do {
                    try await body(database, client)
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                await client.close()
                try result.get()
            }
        }
    }

    private static func client(
        of database: ReplicatedDatabase, maxLag: Duration, patience: Duration, clock: TurnedClock? = nil,
        media: String
    ) async throws -> DarkroomClient {
        try DarkroomClient(
            database: try await database.primary.url(as: .api),
            readers: [try await database.standby.url(as: .api)], maxLag: maxLag, patience: patience,
            now: { clock?.now ?? .now }, media: { try MediaLocation.store(at: media, record: $0) })
    }

    private static func posts(_ client: DarkroomClient) async throws -> Int {
        try await client.latestPosts(atMost: 100).items.count
    }

    /// When the standby was last asked for posts, as far as no later statement of the same session hides it.
    private static func asked(_ database: ReplicatedDatabase) async throws -> Double? {
        try await database.standby.connected {
            try await $0.query(
                """
                select extract(epoch from max(query_start))::float8 as asked from pg_stat_activity
                where datname = current_database() and application_name = 'darkroom-client' and query like '%latest_posts%'
                """)[0].decode("asked", as: Double?.self)
        }
    }

    /// Reads until the standby is asked; returns the posts of that read.
    @discardableResult
    private static func untilStandbyIsAsked(
        _ database: ReplicatedDatabase, _ client: DarkroomClient, _ clock: TurnedClock? = nil
    ) async throws -> Int {
        while true {
            clock?.turn(by: .milliseconds(50))
            let before = try await asked(database)
            let found = try await posts(client)
            if let after = try await asked(database), after > before ?? 0 { return found }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Reads until all posts are seen; the reads before must have seen what the standby has.
    private static func until(
        _ count: Int, before: Int, _ client: DarkroomClient, _ clock: TurnedClock
    ) async throws {
        while true {
            clock.turn(by: .milliseconds(50))
            let found = try await posts(client)
            if found == count { return }
            #expect(found == before)
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("reads there, and reads its own writes where that is asked for")
    func ownWrites() async throws {
        try await Self.with(maxLag: .seconds(3600)) {
            (database: ReplicatedDatabase, client: DarkroomClient) async throws -> Void in
            #expect(try await Self.untilStandbyIsAsked(database, client) == 5)
            try await database.standby.pauseReplay()
            try await database.primary.publishPosts(1)
            let position = try await client.writePosition()
            #expect(try await Self.posts(client) == 5)
            let own = client.reading(after: position)
            #expect(try await Self.posts(own) == 6)
            // Nothing is left of it in the client that it was made from.
            #expect(try await Self.posts(client) == 5)
            // A read that waits long enough goes to the standby.
            let patient = client.reading(after: position, waitingUpTo: .seconds(600))
            let before = try await Self.asked(database)
            let waiting = Task { try await Self.posts(patient) }
            try await database.standby.resumeReplay()
            #expect(try await waiting.value == 6)
            #expect(try await Self.asked(database) != before)
            try await database.awaitReplay()
            try await database.standby.pauseReplay()
            try await database.primary.publishPosts(1)
            let kept = try #require(WritePosition(position.text))
            #expect(try await Self.posts(client.reading(after: kept)) == 6)
        }
    }

    @Test("leaves out one that stands still, until it has caught up")
    func paused() async throws {
        let clock = TurnedClock()
        try await Self.with(maxLag: .seconds(1), clock: clock) {
            (database: ReplicatedDatabase, client: DarkroomClient) async throws -> Void in
            try await Self.untilStandbyIsAsked(database, client, clock)
            // Nothing is written for longer than the greatest lag: the standby still has everything.
            var reads = (all: 0, there: 0)
            for _ in 0..<60 {
                clock.turn(by: .milliseconds(25))
                let before = try await Self.asked(database)
                #expect(try await Self.posts(client) == 5)
                reads.all += 1
                if try await Self.asked(database) != before { reads.there += 1 }
                await client.readers?.state.withLock(\.sampling)?.value
            }
            #expect(reads.there > reads.all / 2)
            #expect(try await Self.untilStandbyIsAsked(database, client, clock) == 5)
            try await database.standby.pauseReplay()
            try await database.primary.publishPosts(1)
            try await Self.until(6, before: 5, client, clock)
            for _ in 0..<20 { #expect(try await Self.posts(client) == 6) }
            try await database.standby.resumeReplay()
            #expect(try await Self.untilStandbyIsAsked(database, client, clock) == 6)
        }
    }

    @Test(
        "leaves out one whose connection to the primary server is cut, although it has replayed all that it received"
    )
    func cut() async throws {
        let clock = TurnedClock()
        try await Self.with(maxLag: .seconds(1), clock: clock) {
            (database: ReplicatedDatabase, client: DarkroomClient) async throws -> Void in
            try await Self.untilStandbyIsAsked(database, client, clock)
            database.standby.stallReplication()
            try await database.primary.publishPosts(1)
            try await Self.until(6, before: 5, client, clock)
            let isLevel = try await database.standby.connected {
                try await $0.query("select pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() as is_level")[
                    0
                ]
                .decode("is_level", as: Bool.self)
            }
            #expect(isLevel)
            #expect(try await Self.posts(client) == 6)
            database.standby.resumeReplication()
            #expect(try await Self.untilStandbyIsAsked(database, client, clock) == 6)
        }
    }

    @Test("goes on without one that was killed, and uses it again")
    func killed() async throws {
        let clock = TurnedClock()
        try await Self.with(maxLag: .seconds(2), clock: clock) {
            (database: ReplicatedDatabase, client: DarkroomClient) async throws -> Void in
            try await Self.untilStandbyIsAsked(database, client, clock)
            try await database.standby.stop()
            try await database.primary.publishPosts(1)
            for _ in 0..<50 { #expect(try await Self.posts(client) == 6) }
            try await database.standby.start()
            #expect(try await Self.untilStandbyIsAsked(database, client, clock) == 6)
        }
    }

    @Test("uses no other primary server, such as that of before a promotion")
    func otherPrimary() async throws {
        try await ReplicatedDatabase.with { (former: ReplicatedDatabase) async throws -> Void in
            try await former.primary.makeLogins()
            try await former.primary.publishPosts(5)
            try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
                try await database.makeLogins()
                try await withTemporaryDirectory { (media: String) async throws -> Void in
                    let client = try DarkroomClient(
                        database: try await database.url(as: .api),
                        readers: [try await former.primary.url(as: .api)], maxLag: .milliseconds(200),
                        media: media)
                    // It is measured several times.
                    for _ in 0..<10 {
                        #expect(try await Self.posts(client) == 0)
                        let position = try await client.writePosition()
                        #expect(try await Self.posts(client.reading(after: position)) == 0)
                    }
                    await client.close()
                }
            }
        }
    }

    @Test("refuses a greatest lag of nothing", arguments: [Duration.zero, .seconds(-1)])
    func noLag(maxLag: Duration) {
        let error = #expect(throws: DarkroomError.self) {
            _ = try DarkroomClient(database: "", maxLag: maxLag, media: "/tmp/media")
        }
        #expect(error?.code == .invalidArgument)
    }

    /// `location(ofCluster:)` then does this on a standby, and returns (1, 2) elsewhere.
    private static func onStandby(_ statement: String, _ database: ReplicatedDatabase) async throws {
        try await database.primary.pool.query("drop function darkroom.cluster_location")
        try await database.primary.pool.query(
            """
            create function darkroom.cluster_location(cluster_id bigint)
            returns table (latitude float8, longitude float8) language plpgsql stable security definer as $$
            begin
                perform from darkroom.feed limit 1;
                if pg_is_in_recovery() then \(unescaped: statement); end if;
                return query select 1::float8, 2::float8;
            end $$
            """)
        try await database.awaitReplay()
    }

    @Test(
        "asks the writing server once if a standby gives a statement up",
        arguments: ["40001", "57014", "40P01", "57P01", "42883"])
    func givenUp(state: String) async throws {
        try await Self.with(maxLag: .seconds(3600)) {
            (database: ReplicatedDatabase, client: DarkroomClient) async throws -> Void in
            try await Self.onStandby("raise exception 'in the way' using errcode = '\(state)'", database)
            try await Self.untilStandbyIsAsked(database, client)
            #expect(try await client.location(ofCluster: 1)?.longitude == 2)
        }
    }

    @Test("does not ask again for what the caller did wrong")
    func refused() async throws {
        try await Self.with(maxLag: .seconds(3600)) {
            (database: ReplicatedDatabase, client: DarkroomClient) async throws -> Void in
            try await Self.onStandby("raise exception 'wrong' using errcode = '22023'", database)
            try await Self.untilStandbyIsAsked(database, client)
            #expect(await failure { _ = try await client.location(ofCluster: 1) }.code == .invalidArgument)
        }
    }

    @Test("asks the writing server if a standby does not respond, or has to replay what the statement reads")
    func conflict() async throws {
        try await Self.with(maxLag: .seconds(3600)) {
            (database: ReplicatedDatabase, client: DarkroomClient) async throws -> Void in
            try await Self.onStandby("perform pg_sleep(600)", database)
            try await withTemporaryDirectory { (media: String) async throws -> Void in
                let impatient = try await Self.client(
                    of: database, maxLag: .seconds(3600), patience: .seconds(2), media: media)
                try await Self.untilStandbyIsAsked(database, impatient)
                #expect(try await impatient.location(ofCluster: 1)?.longitude == 2)
                await impatient.close()
            }
            // Now the primary server locks the table that the statement holds on the standby.
            try await Self.untilStandbyIsAsked(database, client)
            let waiting = Task { try await client.location(ofCluster: 1)?.longitude }
            try await database.standby.connected { (standby: PostgresConnection) async throws -> Void in
                try await standby.query("alter system set max_standby_streaming_delay = 0")
                try await standby.query("select pg_reload_conf()")
                while try await standby.query(
                    "select from pg_stat_activity where query like '%cluster_location%' and wait_event = 'PgSleep'"
                ).isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            }
            try await database.primary.pool.withTransaction {
                _ = try await $0.query("lock table darkroom.feed in access exclusive mode")
            }
            #expect(try await waiting.value == 2)
            try await database.standby.connected { (standby: PostgresConnection) async throws -> Void in
                try await standby.query("alter system reset max_standby_streaming_delay")
                try await standby.query("select pg_reload_conf()")
                // The session reports it when it has been idle for a moment.
                while try await standby.query(
                    "select from pg_stat_database_conflicts where datname = current_database() and confl_lock > 0"
                ).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            }
        }
    }
}
