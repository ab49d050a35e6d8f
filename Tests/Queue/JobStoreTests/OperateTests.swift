import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Operating the queue", .timeLimit(.minutes(15)))
struct OperateTests {
    @Test("returns the same job for the same uploader and idempotency key")
    func idempotency() async throws {
        try await QueueDatabase.with { database in
            let first = try await database.enqueue(uploader: "ada", key: "k1")
            #expect(try await database.enqueue(uploader: "ada", key: "k1") == first)
            #expect(try await database.enqueue(uploader: "bob", key: "k1") != first)
            let claimed = try await database.claimOne()
            try await database.store.end(claimed.lease, as: .succeeded)
            #expect(try await database.enqueue(uploader: "ada", key: "k1") == first, "also after it finished")
            let error = await #expect(throws: PostgresError.self) {
                try await database.enqueue(
                    uploader: "ada", key: "k1", sha256: String(repeating: "cd", count: 32))
            }
            #expect(error?.sqlState == .uniqueViolation)
        }
    }

    @Test("makes one job for many concurrent calls with one key")
    func concurrentIdempotency() async throws {
        try await QueueDatabase.with { database in
            let jobs = try await withThrowingTaskGroup(of: JobID.self) { group in
                for _ in 0..<12 { group.addTask { try await database.enqueue(key: "one") } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(jobs.count == 1)
        }
    }

    struct Changed: Error {}

    @Test("enqueues nothing when the caller's transaction is rolled back")
    func transactional() async throws {
        try await QueueDatabase.with { database in
            await #expect(throws: Changed.self) {
                try await database.pool.withTransaction { transaction in
                    try await transaction.query(
                        """
                        select darkroom.enqueue_upload(
                            uploader => 'a', original_key => 'k', original_sha256 => repeat('ab', 32),
                            original_bytes => 1)
                        """)
                    throw Changed()
                }
            }
            let jobs = try await database.jobs()
            #expect(jobs.isEmpty)
        }
    }

    @Test(
        "refuses an upload whose details are out of range",
        arguments: [
            ("latitude => 91, longitude => 0", "latitude_is_within_90_degrees"),
            ("latitude => 1", "latitude_and_longitude_go_together"),
            ("latitude => 'NaN', longitude => 0", "latitude_is_within_90_degrees"),
            ("link => 'javascript:alert(1)'", "link_is_an_http_url_of_at_most_2000_characters"),
            ("headline => repeat('x', 201)", "line_is_one_line_of_at_most_200_characters"),
            ("idempotency_key => ''", "idempotency_key_is_1_to_200_characters"),
        ])
    func invalid(arguments: String, constraint: String) async throws {
        try await QueueDatabase.with { database in
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    """
                    select darkroom.enqueue_upload(
                        uploader => 'a', original_key => 'k', original_sha256 => repeat('ab', 32),
                        original_bytes => 1, \(unescaped: arguments))
                    """)
            }
            #expect(error?.sqlState == .checkViolation)
            #expect(error?.constraint == constraint)
        }
    }

    @Test("cancels a waiting job at once, and asks the worker of a running one")
    func cancel() async throws {
        try await QueueDatabase.with { database in
            let waiting = try await database.enqueue()
            #expect(try await database.store.cancel(waiting))
            #expect(try await database.state(of: waiting) == .cancelled)
            #expect(try await !database.store.cancel(waiting), "already finished")

            let running = try await database.enqueue()
            let claimed = try await database.claimOne()
            #expect(try await database.store.cancel(running))
            #expect(try await database.state(of: running) == .running)
            let review = try await database.store.review(
                database.statement(of: claimed.lease.worker, running: [claimed]))
            #expect(review.cancelled == [claimed.lease] && review.lost.isEmpty)
            #expect(try await !database.store.cancel(JobID(rawValue: 999_999)))
        }
    }

    @Test("replays jobs that did not succeed, with their history and with new tries")
    func replay() async throws {
        try await QueueDatabase.with { database in
            let reason = Reason(code: "disk_full", message: "Full.")
            let failed = try await database.enqueue()
            try await database.store.end(try await database.claimOne().lease, as: .failed(reason))
            let done = try await database.enqueue()
            try await database.store.end(try await database.claimOne().lease, as: .succeeded)

            #expect(try await database.store.unsuccessful(JobFilter(), limit: 10).map(\.id) == [failed])
            #expect(try await database.store.replay([failed, done], by: "olga") == [failed])
            let record = try #require(try await database.store.job(failed))
            #expect(record.state == .waiting && record.failures == 0 && record.attempt == 1)
            #expect(try await database.store.attempts(of: failed).first?.reason == reason)
            #expect(try await database.state(of: done) == .succeeded)
            let noted = try await database.pool.query(
                "select replayed_by, reason, from_state::text as state from darkroom.replays")
            #expect(noted.count == 1)
            #expect(try noted[0].decode("replayed_by", as: String.self) == "olga")
            #expect(try noted[0].decode("state", as: String.self) == "failed")
            #expect(try await database.claimOne().attempt == 2)
        }
    }

    @Test("tells an uploader the status of a job")
    func status() async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue()
            func status() async throws -> (String, String?)? {
                let rows = try await database.pool.query(
                    "select state::text as state, message from darkroom.job_status(\(job.rawValue))")
                return try rows.first.map {
                    (try $0.decode("state", as: String.self), try $0.decode("message", as: String?.self))
                }
            }
            #expect(try await status()?.0 == "waiting")
            let claimed = try await database.claimOne()
            #expect(try await status()?.0 == "running")
            let reason = Reason(code: "no_location", message: "Please choose a location by hand.")
            try await database.store.end(claimed.lease, as: .rejected(reason))
            let final = try #require(try await status())
            #expect(final.0 == "rejected" && final.1 == reason.message)
        }
    }

    @Test("counts depth, oldest age, recently finished jobs and workers")
    func stats() async throws {
        try await QueueDatabase.with { database in
            for _ in 0..<3 { try await database.enqueue() }
            let claimed = try await database.claimOne()
            try await database.store.end(
                claimed.lease, as: .rejected(Reason(code: "empty_file", message: "Empty.")))
            _ = try await database.claimOne()
            let stats = try await database.store.stats()
            #expect(Set(stats.depths.map(\.state)) == [.waiting, .running])
            #expect(stats.depths.map(\.count) == [1, 1])
            #expect(stats.finished.map(\.reason) == ["empty_file"])
            #expect(stats.workers.map(\.running) == [0, 0], "as of their last heartbeats")
            _ = try await database.heartbeat(of: stats.workers[1].id, running: 1)
            #expect(try await database.store.workers().map(\.running) == [0, 1])
        }
    }
}
