import JobStore
import MediaStore
import Postgres
import Proxying
import Synchronization
import TestKit
import Testing

@testable import DarkroomClient

/// Numbers, each with a time at which it was committed.
private final class Beats: Sendable {
    private let all = Mutex<[(number: Int, at: ContinuousClock.Instant)]>([])

    func append(_ number: Int, at time: ContinuousClock.Instant) {
        all.withLock { $0.append((number, time)) }
    }

    /// The last one that was committed at that time; 0 if there was none.
    func last(at time: ContinuousClock.Instant) -> Int {
        all.withLock { $0.last { $0.at <= time }?.number ?? 0 }
    }
}

/// A client with two real standbys as its readers.
@Suite("The Swift library with two standbys", .timeLimit(.minutes(15)))
struct SeveralReadersTests {
    private struct Fixture: Sendable {
        let database: ReplicatedDatabase
        let client: DarkroomClient
        /// By which lags are measured. Every read takes 2 ms of it, however fast the machine is.
        let clock: TurnedClock

        var first: Standby { database.standbys[0] }
        var second: Standby { database.standbys[1] }

        /// A row that a read must see later.
        @discardableResult
        func beat() async throws -> Int {
            try await database.primary.pool.query(
                "insert into public.beats default values returning n")[0].decode("n", as: Int.self)
        }

        /// Which server returned a read, 0 for the writing one, and the last beat that it had.
        func ask(_ client: DarkroomClient? = nil) async throws -> (server: Int, beat: Int) {
            clock.turn(by: .milliseconds(2))
            let found = try #require(try await (client ?? self.client).location(ofCluster: 1))
            return (Int(found.latitude), Int(found.longitude))
        }

        /// Which servers returned so many reads, one after the other.
        func servers(_ count: Int = 40, _ client: DarkroomClient? = nil) async throws -> [Int] {
            var servers: [Int] = []
            for _ in 0..<count { servers.append(try await ask(client).server) }
            return servers
        }

        /// Reads until these servers, and no others, have returned 20 reads in a row.
        func until(_ servers: Set<Int>, _ client: DarkroomClient? = nil) async throws {
            while try await Set(self.servers(20, client)) != servers {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// - Parameter meanwhile: a statement that `location(ofCluster:)` runs before it returns.
    private static func with(
        maxLag: Duration = .seconds(3600), meanwhile: String = "",
        _ body: (Fixture) async throws -> Void
    ) async throws {
        try await ReplicatedDatabase.with(standbys: 2) {
            (database: ReplicatedDatabase) async throws -> Void in
            try await withTemporaryDirectory { (media: String) async throws -> Void in
                try await database.primary.makeLogins()
                let pool = database.primary.pool
                try await pool.query("create table public.beats (n bigint generated always as identity)")
                try await pool.query("drop function darkroom.cluster_location")
                try await pool.query(
                    """
                    create function darkroom.cluster_location(cluster_id bigint)
                    returns table (latitude float8, longitude float8) language plpgsql stable security definer as $$
                    declare
                        server constant integer not null := case when pg_is_in_recovery() then
                            (regexp_match(current_setting('data_directory'), 'standby([0-9])'))[1]::integer else 0 end;
                    begin
                        \(unescaped: meanwhile)
                        return query select server::float8, coalesce((select max(n) from public.beats), 0)::float8;
                    end $$
                    """)
                try await database.awaitReplay()
                let clock = TurnedClock()
                let client = try DarkroomClient(
                    database: try await database.primary.url(as: .api),
                    readers: [
                        try await database.standbys[0].url(as: .api),
                        try await database.standbys[1].url(as: .api),
                    ], maxLag: maxLag, patience: .seconds(3600), now: { clock.now },
                    media: { try MediaLocation.store(at: media, record: $0) })
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

    @Test("reads in turns")
    func turns() async throws {
        try await Self.with { (fixture: Fixture) async throws -> Void in
            try await fixture.until([1, 2])
            let servers = try await fixture.servers(40)
            #expect(servers.count { $0 == 1 } == 20 && servers.count { $0 == 2 } == 20, "\(servers)")
        }
    }

    @Test(
        "fails no read, and returns nothing older than maxLag, whatever becomes of the standbys",
        .enabled(if: Extent.isCheck, "make check runs it"))
    func storm() async throws {
        let maxLag = Duration.seconds(1)
        try await Self.with(maxLag: maxLag) { (fixture: Fixture) async throws -> Void in
            let beats = Beats()
            try await withThrowingTaskGroup(of: Void.self) { (group) async throws -> Void in
                group.addTask {
                    while !Task.isCancelled {
                        let beat = try await fixture.beat()
                        beats.append(beat, at: fixture.clock.now)
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        while !Task.isCancelled {
                            let oldest = fixture.clock.now - maxLag
                            let found = try await fixture.ask()
                            let due = beats.last(at: oldest)
                            #expect(found.beat >= due, "server \(found.server)")
                        }
                    }
                }
                let (first, second) = (fixture.first, fixture.second)
                try await fixture.until([1, 2])
                try await first.pauseReplay()
                try await fixture.until([2])
                second.stallReplication()
                try await fixture.until([0])
                try await first.resumeReplay()
                try await fixture.until([1])
                second.resumeReplication()
                try await fixture.until([1, 2])
                try await first.stop()
                try await fixture.until([2])
                try await second.pauseReplay()
                try await fixture.until([0])
                try await first.start()
                try await fixture.until([1])
                try await second.resumeReplay()
                try await fixture.until([1, 2])
                group.cancelAll()
                while let result = await group.nextResult() {
                    do { _ = try result.get() } catch is CancellationError {}
                }
            }
        }
    }

    @Test(
        "goes on with the other one when one is killed, with the writing server when both are, and takes them back"
    )
    func killed() async throws {
        try await Self.with { (fixture: Fixture) async throws -> Void in
            try await fixture.until([1, 2])
            try await fixture.first.stop()
            #expect(try await Set(fixture.servers()) == [2])
            try await fixture.second.stop()
            #expect(try await Set(fixture.servers()) == [0])
            try await fixture.first.start()
            try await fixture.until([1])
            try await fixture.second.start()
            try await fixture.until([1, 2])
        }
    }

    @Test("reads one's own writes from the one that has them, or else from the writing server")
    func ownWrites() async throws {
        try await Self.with { (fixture: Fixture) async throws -> Void in
            try await fixture.until([1, 2])
            for (behind, other) in [(0, 1), (1, 0)] {
                try await fixture.database.standbys[behind].pauseReplay()
                let beat = try await fixture.beat()
                let position = try await fixture.client.writePosition()
                try await fixture.database.standbys[other].awaitReplay()
                let own = fixture.client.reading(after: position)
                for _ in 0..<10 { #expect(try await fixture.ask(own) == (other + 1, beat)) }
                // Others are not kept from the one behind.
                #expect(try await Set(fixture.servers()) == [1, 2])
                try await fixture.database.standbys[behind].resumeReplay()
                try await fixture.database.awaitReplay()
                #expect(try await Set(fixture.servers(20, own)) == [1, 2])
            }
            for standby in fixture.database.standbys { try await standby.pauseReplay() }
            let beat = try await fixture.beat()
            let position = try await fixture.client.writePosition()
            let own = fixture.client.reading(after: position)
            #expect(try await fixture.ask(own) == (0, beat))
            #expect(try await fixture.ask().server != 0)
        }
    }

    @Test("asks another server for what a killed one was computing")
    func killedMeanwhile() async throws {
        try await Self.with(
            meanwhile:
                "if server > 0 and exists (select from public.beats) then perform pg_sleep(600); end if;"
        ) {
            (fixture: Fixture) async throws -> Void in
            try await fixture.until([1, 2])
            try await fixture.beat()
            try await fixture.database.awaitReplay()
            let client = fixture.client
            // As many reads as no connection limit delays, some on each.
            let reads = (0..<4).map { _ in Task { try await client.location(ofCluster: 1)?.latitude } }
            for standby in fixture.database.standbys {
                try await standby.connected { (session: PostgresConnection) async throws -> Void in
                    while try await session.query(
                        "select from pg_stat_activity where query like '%cluster_location%' and wait_event = 'PgSleep'"
                    ).isEmpty { try await Task.sleep(for: .milliseconds(1)) }
                }
            }
            for standby in fixture.database.standbys { try await standby.stop() }
            for read in reads { #expect(try await read.value == 0) }
        }
    }

    @Test("waits for nobody that says nothing, if the other one is there")
    func silent() async throws {
        try await Self.with { (fixture: Fixture) async throws -> Void in
            try await withTemporaryDirectory { (directory: String) async throws -> Void in
                let socket = fixture.second.url.split(separator: "host=").last.map {
                    String($0.prefix { $0 != "&" })
                }
                try await StallingProxy.with(before: try #require(socket), in: directory) {
                    (proxy: StallingProxy) async throws -> Void in
                    let client = try DarkroomClient(
                        database: fixture.database.primary.url,
                        readers: [
                            fixture.first.url, proxy.url(database: try await fixture.database.primary.name()),
                        ], maxLag: .seconds(1), patience: .seconds(3600), now: { fixture.clock.now },
                        media: { try MediaLocation.store(at: directory, record: $0) })
                    try await fixture.until([1, 2], client)
                    // It is too far behind, so no read is sent there; but its lag is measured.
                    try await fixture.second.pauseReplay()
                    try await fixture.beat()
                    try await fixture.until([1], client)
                    proxy.stall()
                    // Until what is known of the other one's lag is too old as well.
                    let end = fixture.clock.now + .seconds(2)
                    while fixture.clock.now < end {
                        #expect(try await fixture.ask(client).server == 1)
                        await client.readers?.state.withLock(\.sampling)?.value
                    }
                    let beat = try await fixture.beat()
                    try await fixture.first.awaitReplay()
                    #expect(try await fixture.ask(client) == (1, beat))
                    proxy.resume()
                    try await fixture.second.resumeReplay()
                    try await fixture.until([1, 2], client)
                    await client.close()
                }
            }
        }
    }
}
