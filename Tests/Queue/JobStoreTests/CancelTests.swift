import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Cancelling", .timeLimit(.minutes(15)))
struct CancelTests {
    @Test(
        "ends a job that is just being given back",
        arguments: [
            "return_job(%job, %lease, 'retry', 'x', 'y', failures => 1, delay => '1 minute')",
            "return_job(%job, %lease, 'returned')",
            "release_jobs(array[%job], 'olga')",
            "sign_off(%worker)",
            "rescue_worker(%worker, 0)",
        ], ["cancel_any_job(%job)", "cancel_job(%job, 'ada')"])
    func givenBack(by ending: String, cancellation: String) async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue(uploader: "ada")
            let lease = try await database.claimOne().lease
            @Sendable func call(_ function: String) -> PostgresQuery {
                let text = function.replacing("%job", with: "\(job)")
                    .replacing("%lease", with: "\(lease.token.rawValue)")
                    .replacing("%worker", with: "\(lease.worker)")
                return "select darkroom.\(unescaped: text)::text as reply"
            }
            try await database.withRivals { holder, waiter in
                try await holder.run("begin")
                try await holder.run(call(ending))
                let reply = try await waiter.start { (session: PostgresConnection) async throws -> String in
                    try await session.query(call(cancellation))[0].decode("reply", as: String.self)
                }
                try await holder.run("commit")
                #expect(try await reply.value == "true")
            }
            #expect(try await database.state(of: job) == .cancelled)
        }
    }

    @Test("cancels many jobs in the order in which a worker ends them")
    func order() async throws {
        try await QueueDatabase.with { database in
            for _ in 0..<3 { try await database.enqueue() }
            let worker = try await database.worker()
            let leases = try await database.store.claim(limit: 3, worker: worker).map(\.lease)
                .sorted { $0.job.rawValue < $1.job.rawValue }
            try #require(leases.count == 3)
            try await database.withRivals { holder, finisher in
                // The finisher has locked the first job when it waits for the second.
                try await holder.run("begin")
                try await holder.run(
                    "select from darkroom.jobs where job_id = \(leases[1].job.rawValue) for update")
                let finish = try await finisher.start(
                    """
                    select darkroom.finish_jobs(
                        \(leases.map(\.job.rawValue))::bigint[], \(leases.map(\.token.rawValue))::bigint[], 'succeeded')
                    """)
                let cancel = Task { try await database.store.cancel(leases.reversed().map(\.job)) }
                while try await database.pool.query(
                    """
                    select from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock' offset 1
                    """
                ).isEmpty { try await Task.sleep(for: .milliseconds(1)) }
                try await holder.run("commit")
                try await finish.value
                #expect(try await cancel.value.isEmpty)
            }
            #expect(try await database.jobs(in: [.succeeded]).count == 3)
        }
    }

    @Test("ends a job as cancelled although its worker dies the job's last death")
    func lastDeath() async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue()
            try await database.pool.query("update darkroom.jobs set deaths = 7")
            let worker = try await database.claimOne().lease.worker
            #expect(try await database.store.cancel(job))
            #expect(try await database.bury(worker).quarantined.isEmpty)
            let record = try #require(try await database.store.job(job))
            #expect(record.state == .cancelled && record.deaths == 8)
        }
    }
}
