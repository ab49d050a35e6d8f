import ChildProcess
import Glibc
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Workers killed one after the other", .timeLimit(.minutes(15)))
struct KilledWorkersTests {
    @Test("leave no job behind, and run none twice")
    func killed() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let store = darkroom.database.store
            let pool = darkroom.database.pool
            // Each worker is started and killed in the middle of its jobs.
            let count = 8_000
            _ = try await store.enqueue(.noop, subjects: (0..<Int64(count)).map(\.self), fairKeys: ["a"])
            func finished() async throws -> Int {
                try await pool.query("select count(*) as jobs from darkroom.finished_jobs")[0]
                    .decode("jobs", as: Int.self)
            }
            for blow in 1...5 {
                let worker = try darkroom.command(["work", "--concurrency", "100"]).start()
                try await until("\(blow * 600) have ended") { try await finished() >= blow * 600 }
                worker.send(SIGKILL)
                #expect(try await worker.end() == .killed(signal: SIGKILL))
            }
            try await darkroom.command(["work", "--concurrency", "500", "--drain"]).runSuccessfully()
            let rows = try await pool.query(
                """
                select count(*) as jobs, count(distinct job_id) as different,
                       count(*) filter (where state = 'succeeded') as succeeded,
                       count(*) filter (where attempt <> 1 + (
                           select count(*) from darkroom.job_attempts a where a.job_id = f.job_id)) as miscounted
                from darkroom.finished_jobs f where kind = 'noop'
                """)
            for (name, expected) in [
                ("jobs", count), ("different", count), ("succeeded", count), ("miscounted", 0),
            ] {
                #expect(try rows[0].decode(name, as: Int.self) == expected, "\(name)")
            }
            #expect(try await pool.query("select from darkroom.jobs where kind = 'noop'").isEmpty)
        }
    }
}
