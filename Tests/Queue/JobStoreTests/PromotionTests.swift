import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Promotion", .timeLimit(.minutes(15)))
struct PromotionTests {
    @Test("rests while somebody has locked a due job, and comes back in time for the next")
    func locked() async throws {
        try await QueueDatabase.with { database in
            let due = try await database.enqueue(runAfterSeconds: 60)
            try await database.pool.query("update darkroom.jobs set run_at = now() - interval '1 second'")
            try await database.withRivals { holder, _ in
                try await holder.run("begin")
                try await holder.run(
                    "select from darkroom.jobs where job_id = \(due.rawValue) for update")
                #expect(try await database.store.promoteDue() == nil)
                try await database.enqueue(runAfterSeconds: 3600)
                let rest = try #require(try await database.store.promoteDue())
                #expect(rest > .seconds(3000) && rest <= .seconds(3600))
                try await holder.run("rollback")
            }
            #expect(try await database.state(of: due) == .scheduled)
            _ = try await database.store.promoteDue()
            #expect(try await database.state(of: due) == .waiting)
        }
    }
}
