import ChildProcess
import Glibc
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("The queue for upkeep", .timeLimit(.minutes(15)))
struct UpkeepQueueTests {
    private static let expireIsDue: PostgresQuery =
        "update darkroom.schedules set is_enabled = true, next_run_at = clock_timestamp() where kind = 'expire'"

    @Test("starts a due job while uploads fill every slot and a thousand more wait")
    func besideUploads() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let database = darkroom.database
            try await database.pool.query(
                """
                select darkroom.enqueue_uploads((
                    select jsonb_agg(jsonb_build_object(
                        'uploader', 'user-' || n, 'original_key', 'originals/x', 'original_sha256', repeat('ab', 32),
                        'original_bytes', 1))
                    from generate_series(1, 1002) n))
                """)
            try await database.withRivals { holder, _ in
                // Ingesting reads the upload first.
                try await holder.run("begin")
                try await holder.run("lock table darkroom.uploads in access exclusive mode")
                let worker = try darkroom.command(["work", "--concurrency", "2"]).start()
                defer { worker.send(SIGKILL) }
                try await until { try await database.jobs(in: [.running]).count == 2 }
                try await database.pool.query(Self.expireIsDue)
                try await until { try await database.jobs(in: [.succeeded]).contains { $0.kind == .expire } }
                // An upload that waits for the lock for too long is tried again, so it does not run all the time.
                let left = try await database.pool.query("select from darkroom.jobs where kind = 'ingest'")
                #expect(left.count == 1002)
            }
        }
    }

    @Test(
        "is drained like the default queue, unless the worker serves other queues", arguments: [true, false])
    func drain(servesUpkeep: Bool) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.pool.query(
                "select darkroom.enqueue_job('expire', 0, 'expire', 'upkeep')")
            try await darkroom.command(["work", "--drain"] + (servesUpkeep ? [] : ["--queue", "default=1"]))
                .runSuccessfully()
            let done = try await darkroom.database.jobs(in: [.succeeded])
            #expect(done.contains { $0.kind == .expire } == servesUpkeep)
        }
    }
}
