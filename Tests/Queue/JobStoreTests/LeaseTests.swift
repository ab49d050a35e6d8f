import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

extension QueueDatabase {
    /// How many rows of `darkroom.leases` there are.
    func leaseRows() async throws -> Int {
        try await pool.query("select count(*) as n from darkroom.leases")[0].decode("n", as: Int.self)
    }

    /// Locks the row of a job in the rival's transaction.
    func lock(_ job: JobID, by rival: Rival) async throws {
        try await rival.run("begin")
        try await rival.run("select from darkroom.jobs where job_id = \(job.rawValue) for update")
    }
}

@Suite("Leases", .timeLimit(.minutes(15)))
struct LeaseTests {
    @Test("a review returns what the worker holds but does not run, and nothing else")
    func review() async throws {
        try await QueueDatabase.with { database in
            for _ in 0..<6 { try await database.enqueue() }
            let worker = try await database.worker()
            let first = try await database.store.claim(limit: 3, worker: worker)
            let statement = database.statement(of: worker, running: [first[0]], stage: "render")
            // As if the claim had begun after the statement was made, and its reply were still on the way.
            let later = try await database.store.claim(limit: 2, worker: worker)
            let others = try await database.claimOne()

            let review = try await database.store.review(statement)
            #expect(Set(review.returned) == Set(first[1...].map(\.id)))
            #expect(review.cancelled.isEmpty && review.lost.isEmpty)
            let running = try await database.jobs(in: [.running])
            #expect(Set(running.map(\.id)) == Set([first[0].id, others.id] + later.map(\.id)))
            #expect(running.first { $0.id == first[0].id }?.stage == "render")
            let attempts = try await database.store.attempts(of: first[1].id)
            #expect(attempts.map(\.outcome) == ["returned"] && attempts[0].reason?.code == "not_running")
            let back = try #require(try await database.store.job(first[1].id))
            #expect(back.failures == 0 && back.crashes == 0 && back.deaths == 0)
        }
    }

    @Test(
        "a review forgets claims whose jobs have ended, and jobs that have ended, near each other or far apart"
    )
    func ended() async throws {
        for step in [1, 1000] {
            try await QueueDatabase.with { database in
                for _ in 0..<10 {
                    try await database.enqueue()
                    try await database.pool.query(
                        "select setval('darkroom.jobs_job_id_seq', nextval('darkroom.jobs_job_id_seq') + \(step))"
                    )
                }
                let worker = try await database.worker()
                let over = try await database.store.claim(limit: 2, worker: worker)
                let partly = try await database.store.claim(limit: 5, worker: worker)
                let running = try await database.store.claim(limit: 1, worker: worker)
                #expect(try await database.store.complete((over + partly[..<3]).map(\.lease)).isEmpty)
                #expect(try await database.leaseRows() == 3)
                let said = partly[3...] + running
                for _ in 1...2 {
                    let review = try await database.store.review(
                        database.statement(of: worker, running: Array(said)))
                    #expect(review.returned.isEmpty && review.lost.isEmpty)
                    #expect(try await database.leaseRows() == 2)
                }
                let kept = try await database.pool.query(
                    "select job_ids from darkroom.leases where lease = \(partly[0].lease.token.rawValue)")
                #expect(
                    try kept[0].decode("job_ids", as: [Int64].self)
                        == partly[3...].map(\.id.rawValue).sorted())
                #expect(try await database.jobs(in: [.running]).count == 3)
                #expect(try await database.bury(worker).rescued.count == 3)
            }
        }
    }

    @Test("the end of a job that a crash of the server undid leaves no lease behind")
    func undoneEnd() async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue()
            let claimed = try await database.claimOne()
            // The worker believes that the job has ended, and the database does not know of it.
            let review = try await database.store.review(database.statement(of: claimed.lease.worker))
            #expect(review.returned == [job])
            #expect(try await database.leaseRows() == 0)
        }
    }

    @Test("a claim that reaches the server after a review has passed it takes nothing")
    func lateClaim() async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue()
            let worker = try await database.worker()
            let late = nextClaim(of: worker)
            let passed = ClaimToken(rawValue: late.rawValue + 1_000)
            _ = try await database.store.review(
                LeaseStatement(worker: worker, upTo: passed, running: []))
            let found = try await database.store.claim(
                as: late, limit: 1, queue: "default", kinds: [JobKind("ingest")])
            #expect(found.jobs.isEmpty)
            #expect(try await database.state(of: job) == .waiting)
            let next = try await database.store.claim(
                as: ClaimToken(rawValue: passed.rawValue + 1), limit: 1, queue: "default",
                kinds: [JobKind("ingest")])
            #expect(next.jobs.map(\.id) == [job])
        }
    }

    @Test("a claim under way holds up no review, and is not passed by one")
    func claimUnderWay() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            let worker = try await database.worker()
            try await database.withRivals { claimer, _ in
                let token = nextClaim(of: worker)
                try await claimer.run("begin")
                try await claimer.run(
                    "select from darkroom.claim_jobs(\(token.rawValue), 'default', '{ingest}', 1)")
                // The worker gave the claim up.
                _ = try await database.store.review(
                    LeaseStatement(
                        worker: worker, upTo: ClaimToken(rawValue: token.rawValue + 1_000), running: []))
                try await claimer.run("commit")
            }
            #expect(try await database.jobs(in: [.running]).count == 1)
            let review = try await database.store.review(database.statement(of: worker))
            #expect(review.returned.count == 1, "the next review finds it")
        }
    }

    @Test("a late claim that commits while a review moves on is refused, or found by the next review")
    func claimWhileReviewMoves() async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue()
            let worker = try await database.worker()
            let late = nextClaim(of: worker)
            let passed = ClaimToken(rawValue: late.rawValue + 1_000)
            try await database.withRivals { holder, reviewer in
                try await database.withRivals { claimer, _ in
                    // Lets the review look, and holds up what it writes.
                    try await holder.run("begin")
                    try await holder.run("lock table darkroom.workers in share mode")
                    let review = try await reviewer.start(
                        "select darkroom.review_leases(\(worker.rawValue), \(passed.rawValue), '{}', '{}', '{}')"
                    )
                    let claim = try await claimer.start(
                        "select from darkroom.claim_jobs(\(late.rawValue), 'default', '{ingest}', 1)")
                    try await holder.run("commit")
                    try await review.value
                    try await claim.value
                }
            }
            _ = try await database.store.review(LeaseStatement(worker: worker, upTo: passed, running: []))
            #expect(try await database.state(of: job) == .waiting)
            #expect(try await database.leaseRows() == 0)
        }
    }

    @Test("a job that somebody has locked holds up neither review, rescue nor sign-off of the others")
    func locked() async throws {
        for way in ["review", "rescue", "sign-off"] {
            try await QueueDatabase.with { database in
                for _ in 0..<3 { try await database.enqueue() }
                let worker = try await database.worker()
                let jobs = try await database.store.claim(limit: 3, worker: worker)
                @Sendable func takeBack() async throws -> [JobID] {
                    switch way {
                    case "review": try await database.store.review(database.statement(of: worker)).returned
                    case "rescue": try await database.bury(worker).rescued
                    default: try await database.store.signOff(worker)
                    }
                }
                try await database.withRivals { rival, _ in
                    try await database.lock(jobs[1].id, by: rival)
                    #expect(Set(try await takeBack()) == [jobs[0].id, jobs[2].id], "\(way)")
                    #expect(try await database.store.workers().map(\.id) == [worker], "it still holds a job")
                    #expect(try await takeBack().isEmpty, "\(way)")
                    try await rival.run("rollback")
                }
                #expect(try await database.bury(worker).rescued == [jobs[1].id])
                #expect(try await database.store.workers().isEmpty)
                #expect(try await database.leaseRows() == 0)
            }
        }
    }

    @Test("a stop asks the database what is left: nothing stays with a worker that is gone")
    func signOff() async throws {
        try await QueueDatabase.with { database in
            for _ in 0..<3 { try await database.enqueue() }
            let worker = try await database.worker()
            let jobs = try await database.store.claim(limit: 2, worker: worker)
            #expect(try await database.store.signOff(worker) == jobs.map(\.id).sorted())
            #expect(try await database.jobs(in: [.waiting]).count == 3)
            #expect(try await database.store.workers().isEmpty)
            #expect(try await database.store.claim(limit: 1, worker: worker).isEmpty, "it has no row")
        }
    }

    @Test("leases of a worker without a row are found and rescued")
    func orphans() async throws {
        try await QueueDatabase.with { database in
            for _ in 0..<3 { try await database.enqueue() }
            let (gone, alive) = (try await database.worker(), try await database.worker())
            let lost = try await database.store.claim(limit: 2, worker: gone)
            _ = try await database.store.claim(limit: 1, worker: alive)
            #expect(try await database.store.orphanedWorkers().isEmpty)
            try await database.pool.query("delete from darkroom.workers where worker_id = \(gone.rawValue)")
            #expect(try await database.store.orphanedWorkers() == [gone])
            let (rescued, _) = try await database.store.rescue(gone, heartbeats: nil)
            #expect(Set(rescued) == Set(lost.map(\.id)))
            #expect(try await database.store.orphanedWorkers().isEmpty)
            #expect(try await database.jobs(in: [.running]).count == 1)
        }
    }

    @Test("an operator's release takes a running job from its worker")
    func release() async throws {
        try await QueueDatabase.with { database in
            let waiting = try await database.enqueue(uploader: "bo", priority: 5)
            let job = try await database.enqueue()
            let claimed = try await database.claimOne()
            let released = try await database.store.release(
                [job, waiting, JobID(rawValue: 99)], by: "olga", why: "stuck")
            #expect(released == [job])
            #expect(try await database.state(of: job) == .waiting)
            let attempt = try #require(try await database.store.attempts(of: job).first)
            #expect(attempt.outcome == "returned" && attempt.reason?.code == "released")
            #expect(attempt.reason?.message == "Released by olga: stuck.")
            let review = try await database.store.review(
                database.statement(of: claimed.lease.worker, running: [claimed]))
            #expect(review.lost == [claimed.lease])
            await #expect(throws: QueueError.self) {
                try await database.store.end(claimed.lease, as: .succeeded)
            }
        }
    }
}
