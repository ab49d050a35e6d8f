import FoundationEssentials
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

    @Test(
        "what was put off while the server's clock was a month ahead waits for its own delay, and nothing else changes"
    )
    func wrongClock() async throws {
        try await QueueDatabase.with { database in
            let later = try await database.enqueue(uploader: "later", runAfterSeconds: 20 * 86_400)
            var jobs: [JobID] = []
            for delay in [10, 900, 864_000] {
                let id = try await database.enqueue()
                let job = try await database.claimOne()
                #expect(job.id == id)
                try await database.store.end(
                    job.lease, as: .retry(Reason(code: "disk_full", message: ""), delay: .seconds(delay)))
                jobs.append(id)
            }
            try await database.pool.query(
                """
                update darkroom.job_attempts set ended_at = ended_at + interval '30 days'
                where job_id = any (\(jobs[..<2].map(\.rawValue))::bigint[])
                """)
            try await database.pool.query(
                """
                update darkroom.jobs set run_at = run_at + interval '30 days'
                where job_id = any (\(jobs[..<2].map(\.rawValue))::bigint[])
                """)
            #expect(try await database.store.planAgain() == 2)
            #expect(try await database.store.planAgain() == 0)
            let delays: [Double] = [10, 900, 864_000, 20 * 86_400]
            for (id, delay) in zip(jobs + [later], delays) {
                let at = try #require(try await database.store.job(id)?.runAt)
                #expect(abs(at.timeIntervalSinceNow - delay) < 120, "\(id)")
            }
        }
    }

    @Test("only failed attempts and the waits after them count towards the total deadline")
    func tried() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue(runAfterSeconds: -10 * 86_400)
            let reason = Reason(code: "disk_full", message: "")
            let trace = AttemptTrace()
            trace.enter("render")
            var tried: [Duration] = []
            let ends: [(Outcome, AttemptTrace?)] = [
                (.snoozed(reason, delay: .seconds(3600)), trace), (.retry(reason, delay: .seconds(2)), nil),
                (.crashed(reason), trace), (.killed(reason, delay: .seconds(2)), nil),
                (.returned(reason), trace), (.retry(reason, delay: .seconds(4)), trace),
            ]
            for (outcome, trace) in ends {
                let job = try await database.claimOne()
                tried.append(job.tried)
                try await database.store.end(job.lease, as: outcome, trace: trace)
                try await database.pool.query(
                    "update darkroom.jobs set run_at = now() - interval '9 days' where waits_for = 'time'")
                _ = try await database.store.promoteDue()
            }
            tried.append(try await database.claimOne().tried)
            #expect(tried[0] == .zero && tried[1] == .zero, "an outage does not count")
            #expect(tried[2] == .seconds(2))
            #expect(tried[3] > tried[2], "its stages count, too")
            #expect(tried[4] == tried[3] + .seconds(2) && tried[5] == tried[4])
            #expect(tried[6] > tried[5] + .seconds(4))
        }
    }
}
