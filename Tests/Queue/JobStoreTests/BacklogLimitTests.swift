import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Limits on long backlogs", .timeLimit(.minutes(15)))
struct BacklogLimitTests {
    @Test("a claim sends away a bounded number of jobs, says that more may wait, and the next goes on")
    func bounded() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('busy', 1)")
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<5_000), fairKeys: ["busy"])
            // Behind all of them.
            let last = try await database.store.enqueue(
                .noop, subjects: [1], fairKeys: ["other"], priority: 1)
            #expect(last == 1)
            let worker = try await database.worker()
            var found: [ClaimedJob] = []
            var claims = 0
            var parked = 0
            while true {
                let claim = try await database.store.claim(
                    as: nextClaim(of: worker), limit: 10, queue: "default", kinds: [.noop])
                claims += 1
                found += claim.jobs
                let now = try await database.store.depths().first { $0.state == .parked }?.count ?? 0
                #expect(now - parked <= 1_010, "in one claim")
                parked = now
                guard claim.endedEarly else { break }
                try #require(claims < 20)
            }
            #expect(claims >= 5)
            #expect(Set(found.map(\.fairKey)) == ["busy", "other"] && found.count == 2)
            #expect(parked == 4_999)
        }
    }

    @Test("a worker gets through a backlog that a limit holds back, and finds the jobs behind it")
    func worker() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('busy', 1)")
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<4_000), fairKeys: ["busy"])
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["other"], priority: 1)
            let worker = try await database.worker()
            var claims = 0
            while true {
                let claim = try await database.store.claim(
                    as: nextClaim(of: worker), limit: 2, queue: "default", kinds: [.noop])
                claims += 1
                if claim.jobs.contains(where: { $0.fairKey == "other" }) { break }
                try #require(claims < 10)
            }
        }
    }

    @Test("jobs of one slot are all looked at, although a limit holds back the first of them")
    func sameSlot() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('busy', 1)")
            _ = try await database.store.enqueue(
                .noop, subjects: Array(0..<40),
                fairKeys: (0..<40).map { $0 % 2 == 0 ? "busy" : "free \($0)" })
            try await database.pool.query("update darkroom.jobs set slot = 7")
            let worker = try await database.worker()
            let claim = try await database.store.claim(
                as: nextClaim(of: worker), limit: 21, queue: "default", kinds: [.noop])
            #expect(claim.jobs.count == 21 && Set(claim.jobs.map(\.id)).count == 21)
            #expect(claim.jobs.count { $0.fairKey == "busy" } == 1)
        }
    }

    @Test(
        "no more jobs than 500 go on in the transaction that ends one, if the limit was taken away meanwhile")
    func unparkedInSteps() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('busy', 1)")
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<900), fairKeys: ["busy"])
            let worker = try await database.worker()
            let claimed = try await database.store.claim(limit: 1, worker: worker)
            _ = try await database.store.claim(limit: 100, worker: worker)
            try await database.pool.query("delete from darkroom.fair_keys")
            #expect(try await database.store.complete(claimed.map(\.lease)).isEmpty)
            let waiting = { try await database.jobs(in: [.waiting]).count }
            #expect(try await waiting() == 500)
            #expect(try await database.store.unparkAll() == 399)
            #expect(try await waiting() == 899)
        }
    }
}

@Suite("Rates", .timeLimit(.minutes(15)))
struct RateTests {
    /// When the jobs that are scheduled may start, in seconds from now.
    func starts(_ database: QueueDatabase) async throws -> [Double] {
        try await database.pool.query(
            """
            select extract(epoch from run_at - clock_timestamp())::float8 as after
            from darkroom.jobs where waits_for = 'time' order by run_at
            """
        ).map { try $0.decode("after", as: Double.self) }
    }

    @Test("plan only starts of the next two seconds, however long the backlog is")
    func soon() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, per_minute) values ('slow', 60)")
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<500), fairKeys: ["slow"])
            let worker = try await database.worker()
            #expect(try await database.store.claim(limit: 100, worker: worker).count == 1)
            let planned = try await starts(database)
            #expect(planned.count == 2 && planned.allSatisfy { $0 <= 2 })
            #expect(try await database.jobs(in: [.parked]).count == 497)
        }
    }

    @Test("that are raised, or taken away, hold nobody to the old rate")
    func raised() async throws {
        for change in ["update darkroom.fair_keys set per_minute = 6000", "delete from darkroom.fair_keys"] {
            try await QueueDatabase.with { database in
                try await database.pool.query(
                    "insert into darkroom.fair_keys (fair_key, per_minute) values ('slow', 0.2)")
                _ = try await database.store.enqueue(.noop, subjects: Array(0..<100), fairKeys: ["slow"])
                let worker = try await database.worker()
                #expect(try await database.store.claim(limit: 100, worker: worker).count == 1)
                #expect(try await database.store.unparkAll() == 0, "the next may start in five minutes")
                try await database.pool.query("\(unescaped: change)")
                _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["slow"])
                #expect(try await database.store.unparkAll() > 50)
                #expect(try await !database.store.claim(limit: 100, worker: worker).isEmpty)
                let planned = try await starts(database)
                #expect(planned.allSatisfy { $0 <= 2.1 })
            }
        }
    }

    @Test("are kept over many claims: no more start than the rate and the burst allow")
    func kept() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, per_minute, burst) values ('*', 600, 3)")
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<60), fairKeys: ["one"])
            let worker = try await database.worker()
            let began = ContinuousClock.now
            var started = 0
            while started < 25 {
                started += try await database.store.claim(limit: 100, worker: worker).count
                let allowed = 3 + (ContinuousClock.now - began) / .milliseconds(100)
                #expect(Double(started) <= allowed + 1)
                _ = try await database.store.promoteDue()
                _ = try await database.store.unparkAll()
            }
        }
    }

    @Test("leave no row behind for a key that may start a job at once")
    func pruned() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                """
                insert into darkroom.fair_key_paces (fair_hash, next_at)
                select n, clock_timestamp() + make_interval(secs => case when n <= 5 then 60 else -1 end)
                from generate_series(1, 20) n
                """)
            try await database.store.prunePaces()
            let left = try await database.pool.query("select count(*) as n from darkroom.fair_key_paces")
            #expect(try left[0].decode("n", as: Int.self) == 5)
        }
    }
}
