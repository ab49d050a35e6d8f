import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Ending an attempt", .timeLimit(.minutes(15)))
struct FinishTests {
    static let reason = Reason(code: "a_reason", message: "A sentence.")
    static let outcomes: [(Outcome, JobState)] = [
        (.succeeded, .succeeded), (.rejected(reason), .rejected), (.failed(reason), .failed),
        (.cancelled(reason), .cancelled), (.retry(reason, delay: .seconds(60)), .scheduled),
        (.snoozed(reason, delay: .seconds(60)), .scheduled), (.crashed(reason), .waiting),
        (.killed(reason, delay: .seconds(60)), .scheduled),
        (.returned(reason), .waiting),
    ]

    @Test("moves the job and keeps the attempt, for every outcome", arguments: outcomes)
    func outcome(outcome: Outcome, expected: JobState) async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue()
            let claimed = try await database.claimOne()
            try await database.store.end(claimed.lease, as: outcome)

            let record = try #require(try await database.store.job(job))
            #expect(record.state == expected)
            #expect(record.attempt == 1)
            #expect(record.failures == (["retry", "failed"].contains(outcome.name) ? 1 : 0))
            let isKill = if case .killed = outcome { true } else { false }
            #expect(record.crashes == (outcome.name == "crashed" && !isKill ? 1 : 0))
            let deaths = try await database.pool.query(
                """
                select deaths::int as deaths from darkroom.jobs where job_id = \(job.rawValue)
                union all select deaths from darkroom.finished_jobs where job_id = \(job.rawValue)
                """)
            #expect(try deaths.map { try $0.decode("deaths", as: Int.self) } == [0])
            #expect(record.worker == (expected.isFinished ? claimed.lease.worker : nil))
            let attempts = try await database.store.attempts(of: job)
            #expect(attempts.map(\.outcome) == [outcome.name])
            #expect(attempts.first?.reason == outcome.reason)
            #expect(attempts.first?.worker == claimed.lease.worker)
        }
    }

    @Test("is refused with a lease that the job no longer has", arguments: outcomes)
    func staleLease(outcome: Outcome, expected: JobState) async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue()
            let stale = try await database.claimOne()
            try await database.store.end(stale.lease, as: .returned(Self.reason))
            let current = try await database.claimOne()
            #expect(current.id == job && current.lease != stale.lease)

            let error = await #expect(throws: QueueError.self) {
                try await database.store.end(stale.lease, as: outcome)
            }
            #expect(error?.code == .leaseLost(stale.lease))
            #expect(try await database.state(of: job) == .running)
            #expect(try await database.store.attempts(of: job).count == 1)
        }
    }

    @Test("rolls back the caller's writes when the lease is lost")
    func fencesTheTransaction() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            let stale = try await database.claimOne()
            try await database.store.end(stale.lease, as: .returned(Self.reason))
            await #expect(throws: QueueError.self) {
                try await database.pool.withTransaction { transaction in
                    try await transaction.query(
                        "insert into darkroom.outbox (post_id, event) values (1, 'published')")
                    try await JobStore.end(stale.lease, as: .succeeded, in: transaction)
                }
            }
            #expect(try await database.pool.query("select from darkroom.outbox").isEmpty)
        }
    }

    @Test("refuses leases that do not match the jobs, and finishes none")
    func unmatchedLeases() async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue().rawValue
            for leases in ["'{}'", "'{1,2}'", "'{null}'"] {
                let error = await #expect(throws: PostgresError.self, "\(leases)") {
                    try await database.pool.query(
                        "select darkroom.finish_jobs(array[\(job)::bigint], \(unescaped: leases), 'succeeded')"
                    )
                }
                #expect(error?.sqlState == .invalidParameterValue)
            }
            #expect(try await database.state(of: JobID(rawValue: job)) == .waiting)
        }
    }

    @Test("knows the job of each lease where a job is named under two")
    func twoLeases() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            let job = try await database.claimOne()
            let rows = try await database.pool.query(
                """
                select darkroom.finish_jobs(
                    array[\(job.id.rawValue), \(job.id.rawValue)]::bigint[],
                    array[\(job.lease.token.rawValue), \(job.lease.token.rawValue - 1)]::bigint[], 'succeeded') as undone
                """)
            #expect(try rows[0].decode("undone", as: [Int].self) == [2])
        }
    }

    @Test("takes no unknown kind of job, wherever it is named")
    func unknownKind() async throws {
        try await QueueDatabase.with { database in
            for (statement, state) in [
                ("select darkroom.enqueue_job('ingset', 1, 'ada')", SQLState.invalidParameterValue),
                ("insert into darkroom.kind_policies (kind) values ('ingset')", "23503"),
                ("select darkroom.pause_queue(null, 'ingset', 'olga')", "23503"),
                (
                    "insert into darkroom.schedules (name, cron, kind) values ('x', '* * * * *', 'ingset')",
                    "23503"
                ),
            ] {
                let error = await #expect(throws: PostgresError.self, "\(statement)") {
                    try await database.pool.query(PostgresQuery(unescaped: statement))
                }
                #expect(error?.sqlState == state, "\(statement)")
            }
        }
    }

}
