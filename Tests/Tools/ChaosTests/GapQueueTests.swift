import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@testable import Chaos

@Suite("The figures of a trial", .timeLimit(.minutes(15)))
struct GapQueueTests {
    /// Calls `body` with a queue whose two jobs have ended as they should.
    private func withFinishedJobs(
        _ body: (QueueDatabase, _ count: () async throws -> GapResult) async throws -> Void
    ) async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(PostgresQuery(stringLiteral: ChaosHandler.table))
            let queue = GapQueue(name: "test", pool: database.pool)
            try await queue.add(2)
            let worker = try await database.worker(concurrency: 2)
            let jobs = try await database.store.claim(limit: 2, worker: worker)
            #expect(Set(jobs.map(\.subject)) == [0, 1])
            #expect(try await queue.running(on: "test").count == 2)
            #expect(try await queue.running(on: "another").isEmpty)
            let handler = ChaosHandler(
                pool: database.pool, jobTime: .zero, events: try JobEvents(path: "/dev/null"))
            for job in jobs {
                if case .endedByBatch = try await handler.run(job, trace: AttemptTrace()) {
                    #expect(try await database.store.complete([job.lease]).isEmpty)
                }
            }
            #expect(try await queue.succeeded() == 2)
            #expect(try await queue.succeeded(among: [jobs[0].id.rawValue]) == 1)
            #expect(try await queue.unfinished() == 0)
            _ = try await database.store.signOff(worker)
            try await body(database) {
                var result = GapResult(victim: .worker, gap: .zero)
                try await queue.count(&result)
                return result
            }
        }
    }

    @Test("are all zero when nothing went wrong")
    func kept() async throws {
        try await withFinishedJobs { _, count in
            let result = try await count()
            #expect(result.isKept && result.deaths == 0)
        }
    }

    @Test(
        "show each wrong that the tables can have",
        arguments: [
            ("double", "insert into public.results select job_id from public.results"),
            ("double", "delete from public.results"),
            (
                "double",
                """
                insert into darkroom.finished_jobs
                select (jsonb_populate_record(f, '{"finished_at": "2026-01-01"}')).* from darkroom.finished_jobs f limit 1
                """
            ),
            ("quarantined", "update darkroom.finished_jobs set reason = 'poison' where subject_id = 1"),
            ("failures", "update darkroom.finished_jobs set failures = 1 where subject_id = 1"),
            ("leases", "insert into darkroom.leases (lease, job_ids) values (1, array[1])"),
        ])
    func broken(figure: String, damage: String) async throws {
        try await withFinishedJobs { database, count in
            try await database.pool.query(PostgresQuery(stringLiteral: damage))
            let result = try await count()
            let figures = [
                "double": result.double, "quarantined": result.quarantined, "failures": result.failures,
                "leases": result.leases,
            ]
            #expect(figures.filter { $0.value > 0 } == [figure: 1])
            #expect(!result.isKept)
        }
    }
}
