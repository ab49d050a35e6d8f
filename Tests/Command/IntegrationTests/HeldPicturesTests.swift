import ChildProcess
import Glibc
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

/// Real workers, held after they stored pictures and before they publish them.
@Suite("A worker that has stored pictures and not published them", .timeLimit(.minutes(10)))
struct HeldPicturesTests {
    enum Order: String, CaseIterable { case post, person }
    enum Fate: String, CaseIterable { case lives, isKilled }

    private static let small =
        #"{"recipe": {"name": "small", "version": 2, "renditions": [{"name": "tiny", "fit": 64}]}}"#

    /// Makes every transaction that publishes pictures wait until the connection is closed.
    private static func hold(_ darkroom: Installation) async throws -> PostgresConnection {
        try await darkroom.database.pool.query(
            """
            create or replace function darkroom.hold_media(keys text[]) returns void
            language sql as $$ select pg_advisory_xact_lock_shared(4711) $$
            """)
        let session = try await PostgresConnection.connect(darkroom.database.configuration)
        try await session.query("select pg_advisory_lock(4711)")
        return session
    }

    private static func number(_ query: PostgresQuery, _ darkroom: Installation) async throws -> Int {
        let rows = try await darkroom.database.pool.query(query)
        return try rows[0].decode(rows.columns[0], as: Int.self)
    }

    private static func wait(until query: PostgresQuery, _ darkroom: Installation) async throws {
        while try await number(query, darkroom) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    private static func untilHeld(_ darkroom: Installation) async throws {
        try await wait(
            until: """
                select count(*) from pg_locks where locktype = 'advisory' and objid = 4711 and not granted
                  and database = (select oid from pg_database where datname = current_database())
                """, darkroom)
    }

    private static func enqueuePhoto(_ darkroom: Installation) async throws {
        let photo = PhotoFixture.jpeg(width: 200, height: 150, latitude: -33.9175, longitude: 18.4026)
        _ = try await darkroom.json("enqueue", "--uploader", "ada", try darkroom.write(photo, to: "p.jpg"))
    }

    @Test("makes an erasure wait, and leaves it nothing", arguments: Order.allCases, Fate.allCases)
    func erased(order: Order, fate: Fate) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let pool = darkroom.database.pool
            try await pool.query("update darkroom.settings set original_grace = '0'")
            try await Self.enqueuePhoto(darkroom)
            try await darkroom.drain()
            let before = try filesBelow(darkroom.media).count
            let post = Int64(try await Self.number("select post_id from darkroom.posts", darkroom))
            let rendering = try darkroom.write(Array(Self.small.utf8), to: "small.json")
            _ = try await RerenderingStore(pool: pool).enqueue(
                RerenderScope(checksum: 1, again: true), after: 0, atMost: 1)
            let obstacle = try await Self.hold(darkroom)
            let renderer = try WorkerProcess(darkroom, "--rendering", rendering)
            try await Self.untilHeld(darkroom)
            #expect(try filesBelow(darkroom.media).count == before + 1, "the new picture is there")
            #expect(try await Self.number("select count(*) from darkroom.unpublished_media", darkroom) == 1)
            if fate == .isKilled {
                renderer.send(SIGKILL)
                _ = try await renderer.end()
            }

            let kind = order == .post ? "erase_post" : "erase_person"
            switch order {
            case .post: _ = try await ErasureStore(pool: pool).delete(post, of: "ada")
            case .person: _ = try await PersonStore(pool: pool).erase("ada")
            }
            let eraser = try WorkerProcess(darkroom)
            // Until somebody takes the worker for dead, it might store more. A living one stops when it is asked to.
            if fate == .isKilled {
                try await Self.wait(
                    until: """
                        select count(*) from darkroom.job_attempts a join darkroom.jobs j using (job_id)
                        where j.kind = \(kind) and a.outcome = 'snoozed' and a.reason = 'jobs_running'
                        """, darkroom)
            }
            await obstacle.close()
            try await Self.wait(
                until: "select count(*) from darkroom.finished_jobs where kind = \(kind)", darkroom)
            #expect(
                try await Self.number(
                    """
                    select (select count(*) from darkroom.unpublished_media) + (select count(*) from darkroom.retired_media)
                         + (select count(*) from darkroom.posts) + (select count(*) from darkroom.uploads)
                    """, darkroom) == 0)
            #expect(try filesBelow(darkroom.media).isEmpty)
            for worker in fate == .isKilled ? [eraser] : [renderer, eraser] {
                worker.send(SIGTERM)
                #expect(try await worker.end() == .exited(0))
            }
        }
    }

    @Test("leaves no picture if its job is cancelled or the worker is killed", arguments: Fate.allCases)
    func cancelled(fate: Fate) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let store = darkroom.database.store
            let obstacle = try await Self.hold(darkroom)
            try await Self.enqueuePhoto(darkroom)
            let job = try #require(try await darkroom.database.jobs().first)
            let worker = try WorkerProcess(darkroom)
            try await Self.untilHeld(darkroom)
            #expect(try filesBelow(darkroom.media + "/renditions").count > 0)
            _ = try await store.cancel(job.id)
            if fate == .isKilled {
                worker.send(SIGKILL)
                _ = try await worker.end()
                await obstacle.close()
                try await darkroom.drain()
            }
            try await Self.wait(
                until: "select count(*) from darkroom.finished_jobs where state = 'cancelled'", darkroom)
            if fate == .lives {
                await obstacle.close()
                worker.send(SIGTERM)
                #expect(try await worker.end() == .exited(0))
            }
            try await darkroom.database.pool.query(
                "select darkroom.enqueue_job('erase_originals', 0, 'upkeep')")
            try await darkroom.drain()
            #expect(try filesBelow(darkroom.media + "/renditions").isEmpty)
            let swept = try await darkroom.json("sweep", "--older-than", "0s")
            #expect(swept.first?.number("unreferred") == 0 && swept.first?.number("missing") == 0)
        }
    }
}
