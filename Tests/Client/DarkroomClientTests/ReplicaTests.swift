import JobStore
import MediaStore
import Postgres
import TestKit
import Testing

@testable import DarkroomClient

/// A client with a real standby as its reader.
@Suite("The Swift library with a standby", .timeLimit(.minutes(15)))
struct ReplicaTests {
    private struct Fixture: Sendable {
        let database: ReplicatedDatabase
        let client: DarkroomClient
        /// By which a reader that is away is left alone.
        let clock: TurnedClock

        var standby: Standby { database.standby }

        func posts() async throws -> Int { try await client.latestPosts(atMost: 100).items.count }
    }

    /// Calls `body` with five posts, which the standby has.
    ///
    /// - Parameter patience: by default no machine is so busy that the standby counts as away.
    private static func with(
        patience: Duration = .seconds(3600), _ body: (Fixture) async throws -> Void
    ) async throws {
        try await ReplicatedDatabase.with { (database: ReplicatedDatabase) async throws -> Void in
            try await withTemporaryDirectory { (media: String) async throws -> Void in
                try await database.primary.makeLogins()
                try await database.primary.publishPosts(5)
                try await database.awaitReplay()
                let clock = TurnedClock()
                let client = try DarkroomClient(
                    database: try await database.primary.url(as: .api),
                    reader: try await database.standby.url(as: .api), patience: patience,
                    now: { clock.now }, media: { try MediaLocation.store(at: media, record: $0) })
                let result: Result<Void, any Error>
                do {
                    try await body(Fixture(database: database, client: client, clock: clock))
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                await client.close()
                try result.get()
            }
        }
    }

    @Test("reads feeds there, and what a person has just written on the writing server")
    func ownWrites() async throws {
        try await Self.with { (fixture: Fixture) async throws -> Void in
            try await fixture.standby.pauseReplay()
            let client = fixture.client
            let post = try #require(try await client.latestPosts().items.first)
            let uploader = try #require(post.uploader)
            let own = try await client.ownPosts(of: uploader).items.count
            try await client.vote(.like, onPost: post.id, by: "bob")
            try await client.delete(post: post.id, of: uploader)
            #expect(try await client.ownPosts(of: uploader).items.count == own - 1)
            #expect(try await client.details(of: post.id) == nil)
            #expect(try await fixture.posts() == 5)
            try await withTemporaryDirectory { (media: String) async throws -> Void in
                let direct = try DarkroomClient(
                    database: try await fixture.database.primary.url(as: .api), media: media)
                #expect(try await direct.latestPosts().items.count == 4)
                await direct.close()
            }
            try await fixture.standby.resumeReplay()
            try await fixture.database.awaitReplay()
            #expect(try await fixture.posts() == 4)
        }
    }

    @Test("reads on the writing server while the standby is away, and there again once it is back")
    func killed() async throws {
        try await Self.with { (fixture: Fixture) async throws -> Void in
            #expect(try await fixture.posts() == 5)
            try await fixture.standby.stop()
            try await fixture.database.primary.publishPosts(1)
            for _ in 0..<20 { #expect(try await fixture.posts() == 6) }
            try await fixture.standby.start()
            try await fixture.database.awaitReplay()
            try await fixture.standby.pauseReplay()
            try await fixture.database.primary.publishPosts(1)
            #expect(try await fixture.posts() == 7, "it is left alone for a while")
            fixture.clock.turn(by: Reader.pause)
            #expect(try await fixture.posts() == 6)
        }
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
        try await Self.with { (fixture: Fixture) async throws -> Void in
            try await Self.onStandby(
                "raise exception 'in the way' using errcode = '\(state)'", fixture.database)
            #expect(try await fixture.client.location(ofCluster: 1)?.longitude == 2)
        }
    }

    @Test("does not ask again for what the caller did wrong")
    func refused() async throws {
        try await Self.with { (fixture: Fixture) async throws -> Void in
            try await Self.onStandby("raise exception 'wrong' using errcode = '22023'", fixture.database)
            let error = await failure { _ = try await fixture.client.location(ofCluster: 1) }
            #expect(error.code == .invalidArgument)
        }
    }

    @Test("waits once for a standby that does not respond")
    func silent() async throws {
        try await Self.with(patience: .seconds(2)) { (fixture: Fixture) async throws -> Void in
            try await Self.onStandby("perform pg_sleep(600)", fixture.database)
            let began = ContinuousClock.now
            #expect(try await fixture.client.location(ofCluster: 1)?.longitude == 2)
            #expect(ContinuousClock.now - began >= .seconds(2))
            // It would answer now, and is left alone until the clock is turned.
            try await Self.onStandby("return query select 1::float8, 9::float8; return", fixture.database)
            for _ in 0..<100 {
                #expect(try await fixture.client.location(ofCluster: 1)?.longitude == 2)
            }
        }
    }

    @Test("asks the writing server if a standby has to replay what the statement reads")
    func conflict() async throws {
        try await Self.with { (fixture: Fixture) async throws -> Void in
            try await Self.onStandby("perform pg_sleep(600)", fixture.database)
            let client = fixture.client
            let waiting = Task { try await client.location(ofCluster: 1)?.longitude }
            try await fixture.standby.connected { (standby: PostgresConnection) async throws -> Void in
                try await standby.query("alter system set max_standby_streaming_delay = 0")
                try await standby.query("select pg_reload_conf()")
                while try await standby.query(
                    "select from pg_stat_activity where query like '%cluster_location%' and wait_event = 'PgSleep'"
                ).isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            }
            try await fixture.database.primary.pool.withTransaction {
                _ = try await $0.query("lock table darkroom.feed in access exclusive mode")
            }
            #expect(try await waiting.value == 2)
            try await fixture.standby.connected { (standby: PostgresConnection) async throws -> Void in
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
