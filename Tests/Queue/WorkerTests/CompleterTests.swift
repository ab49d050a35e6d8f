import JobQueue
import JobStore
import Postgres
import Telemetry
import TestKit
import Testing
import Worker

/// One job whose end cannot be written, among others that end in the same batches.
@Suite("Ends written in batches", .timeLimit(.minutes(15)))
struct CompleterTests {
    /// Its jobs end together once the gate opens.
    private struct GatedHandler: JobHandler {
        let gate = Wakeups()

        func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
            await gate.wait()
            return .endedByBatch
        }
    }

    private actor Wakeups {
        private var isOpen = false
        private(set) var waiting: [CheckedContinuation<Void, Never>] = []

        func wait() async {
            if !isOpen { await withCheckedContinuation { waiting.append($0) } }
        }

        func open() {
            isOpen = true
            for waiter in waiting { waiter.resume() }
            waiting = []
        }
    }

    /// Has a worker run jobs, calls `block` with one of them, lets all end, and expects that the others succeed while this
    /// one cannot. Calls `unblock` then, after which it succeeds too.
    private static func expectOthersEnd(
        _ database: QueueDatabase, block: @escaping @Sendable (JobID) async throws -> Void,
        unblock: @escaping @Sendable () async throws -> Void
    ) async throws {
        let count = 40
        let handler = GatedHandler()
        let worker = database.makeWorker(handler, concurrency: count)
        try await running(worker) {
            var jobs: [JobID] = []
            for _ in 0..<count { jobs.append(try await database.enqueue()) }
            while await handler.gate.waiting.count < count { try await Task.sleep(for: .milliseconds(5)) }
            try await block(jobs[count / 3])
            await handler.gate.open()
            while try await database.jobs(in: [.succeeded]).count < count - 1 {
                try await Task.sleep(for: .milliseconds(5))
            }
            let later = try await database.enqueue()
            try await database.waitUntil(later, is: .succeeded)
            #expect(try await database.state(of: jobs[count / 3]) == .running)
            try await unblock()
            try await database.waitUntil(jobs[count / 3], is: .succeeded)
        }
    }

    @Test("do not wait for a job that another transaction has locked")
    func locked() async throws {
        try await QueueDatabase.with { database in
            try await database.withRivals { holder, _ in
                try await Self.expectOthersEnd(database) { job in
                    try await holder.run("begin")
                    try await holder.run("select darkroom.cancel_any_job(\(job.rawValue))")
                } unblock: {
                    try await holder.run("rollback")
                }
            }
        }
    }

    @Test("do not wait for a job whose end the database refuses")
    func refused() async throws {
        try await QueueDatabase.with { database in
            try await Self.expectOthersEnd(database) { job in
                try await database.pool.query(
                    """
                    alter table darkroom.finished_jobs add constraint refusal check (job_id <> \(unescaped: job.description))
                    """)
            } unblock: {
                try await database.pool.query("alter table darkroom.finished_jobs drop constraint refusal")
            }
        }
    }
}
