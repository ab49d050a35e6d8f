import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Fair shares and limits", .timeLimit(.minutes(15)))
struct LimitTests {
    @Test("a single job starts within two claims behind another key's backlog of ten thousand")
    func single() async throws {
        try await QueueDatabase.with { database in
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<10_000), fairKeys: ["busy"])
            let worker = try await database.worker()
            _ = try await database.store.claim(limit: 100, worker: worker)
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["single"])
            let next =
                try await database.store.claim(limit: 100, worker: worker)
                + database.store.claim(limit: 100, worker: worker)
            #expect(next.contains { $0.fairKey == "single" })
        }
    }

    @Test("weights of one to three give shares of one to three")
    func weights() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, weight) values ('light', 1), ('heavy', 3)")
            for key in ["light", "heavy"] {
                _ = try await database.store.enqueue(.noop, subjects: Array(0..<2000), fairKeys: [key])
            }
            let worker = try await database.worker()
            var started: [String: Int] = [:]
            for _ in 0..<20 {
                for job in try await database.store.claim(limit: 50, worker: worker) {
                    started[job.fairKey, default: 0] += 1
                }
            }
            let share = Double(started["heavy"] ?? 0) / Double(started["light"] ?? 1)
            #expect(share > 2.7 && share < 3.3, "\(started)")
        }
    }

    @Test("an endless stream of new keys does not keep a key's second job waiting forever")
    func newcomers() async throws {
        try await QueueDatabase.with { database in
            let worker = try await database.worker()
            _ = try await database.store.enqueue(.noop, subjects: [1, 2], fairKeys: ["patient"])
            var claims = 0
            var seen = 0
            while seen < 2, claims < 200 {
                claims += 1
                // Two arrive for each one that is served.
                for side in 0..<2 {
                    _ = try await database.store.enqueue(
                        .noop, subjects: [3], fairKeys: ["newcomer \(claims) \(side)"])
                }
                seen += try await database.store.claim(limit: 1, worker: worker).count {
                    $0.fairKey == "patient"
                }
            }
            // Those that arrived while 64 were served are before it, two for each.
            #expect(seen == 2 && claims <= 132, "after \(claims) claims")
        }
    }

    @Test("many concurrent claims never exceed a cap, and every job gets its turn")
    func cap() async throws {
        try await QueueDatabase.with(connections: 12) { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', 3)")
            let keys = (0..<120).map { "key \($0 % 4)" }
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<120), fairKeys: keys)
            let done = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let worker = try await database.worker()
                        var done = 0
                        while try await database.store.hasWorkLeft(in: ["default"], kinds: [.noop]) {
                            let jobs = try await database.store.claim(limit: 5, worker: worker)
                            let most = try await database.pool.query(
                                """
                                select coalesce(max(n), 0) as most
                                from (select count(*) as n from darkroom.jobs where lease is not null group by fair_key) c
                                """)
                            let running = try most[0].decode("most", as: Int.self)
                            #expect(running <= 3)
                            done += jobs.count
                            #expect(try await database.store.complete(jobs.map(\.lease)).isEmpty)
                            if jobs.isEmpty { _ = try await database.store.unparkAll() }
                        }
                        return done
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(done == 120)
            #expect(try await database.jobs().allSatisfy { $0.state == .succeeded && $0.attempt == 1 })
        }
    }

    @Test("a rate spaces the starts of a key after its burst, and no other key's")
    func rate() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, per_minute, burst) values ('fast', 60, 3)")
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<8), fairKeys: ["fast"])
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<4), fairKeys: ["free"])
            let worker = try await database.worker()
            let first = try await database.store.claim(limit: 20, worker: worker)
            #expect(first.count { $0.fairKey == "fast" } == 3)
            #expect(first.count { $0.fairKey == "free" } == 4)
            let rows = try await database.pool.query(
                """
                select extract(epoch from run_at - first_value(run_at) over (order by run_at))::float8 as after
                from darkroom.jobs where waits_for = 'time' order by run_at
                """)
            let starts = try rows.map { try $0.decode("after", as: Double.self) }
            #expect(starts.count == 2, "those within two seconds; the others wait for their turn")
            #expect(try await database.jobs(in: [.parked]).count == 3)
            for (index, start) in starts.enumerated() { #expect(abs(start - Double(index)) < 0.001) }

            try await database.pool.query("update darkroom.jobs set run_at = now() where waits_for = 'time'")
            _ = try await database.store.promoteDue()
            let second = try await database.store.claim(limit: 20, worker: worker)
            #expect(second.count == 2, "they have used their turn under the rate")
        }
    }

    @Test("somebody who has locked a key's pace holds up that key, and no claim")
    func lockedPace() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                """
                insert into darkroom.fair_keys (fair_key, per_minute, burst) values ('held', 600, 10), ('rated', 600, 10)
                """)
            func enqueue() async throws {
                for key in ["held", "rated", "free"] {
                    _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: [key])
                }
            }
            let worker = try await database.worker()
            try await enqueue()
            #expect(try await database.store.claim(limit: 9, worker: worker).count == 3)
            try await enqueue()
            try await database.withRivals { holder, claimer in
                try await holder.run("begin")
                try await holder.run(
                    "select from darkroom.fair_key_paces where fair_hash = hashtextextended('held', 0) for update"
                )
                try await claimer.run("set lock_timeout = '1min'")
                let found = try await claimer.session.query(
                    """
                    select fair_key from darkroom.claim_jobs(
                        \(nextClaim(of: worker).rawValue), 'default', '{noop}', 9) order by 1
                    """
                ).map { try $0.decode("fair_key", as: String.self) }
                #expect(found == ["free", "rated"])
                try await holder.run("commit")
            }
            #expect(try await database.store.unparkAll() == 1)
            #expect(try await database.store.claim(limit: 9, worker: worker).map(\.fairKey) == ["held"])
        }
    }

    @Test(
        "a policy's times are bounded",
        arguments: ["backoff_base", "backoff_cap", "attempt_deadline", "total_deadline"])
    func boundedPolicy(column: String) async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.kind_policies (kind) values ('ingest') on conflict do nothing")
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    "update darkroom.kind_policies set \(unescaped: column) = '178000000 years'")
            }
            #expect(error?.constraint == "kind_policies_\(column)_check")
        }
    }

    @Test("the extremes of a rate stop no claim, and values beyond them are refused")
    func extremes() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query("insert into darkroom.fair_keys (fair_key) values ('odd')")
            for (value, rule) in [
                ("per_minute = 'NaN'", "rate_is_0_001_to_1_000_000_per_minute"),
                ("per_minute = 'Infinity'", "rate_is_0_001_to_1_000_000_per_minute"),
                ("per_minute = 0.0009", "rate_is_0_001_to_1_000_000_per_minute"),
                ("burst = 1000001", "burst_is_1_to_1_000_000"), ("burst = 0", "burst_is_1_to_1_000_000"),
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query("update darkroom.fair_keys set \(unescaped: value)")
                }
                #expect(error?.constraint == rule, "\(value)")
            }
            let worker = try await database.worker()
            for (rate, burst) in [(0.001, 1_000_000), (0.001, 1), (1e6, 1_000_000), (1e6, 1)] {
                try await database.pool.query(
                    "update darkroom.fair_keys set per_minute = \(rate), burst = \(burst)")
                try await database.pool.query("delete from darkroom.fair_key_paces")
                _ = try await database.store.enqueue(.noop, subjects: Array(0..<300), fairKeys: ["odd"])
                _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["free"])
                let claimed = try await database.store.claim(limit: 500, worker: worker)
                #expect(claimed.contains { $0.fairKey == "free" }, "\(rate) \(burst)")
                _ = try await database.store.unparkAll()
            }
        }
    }

    @Test("upkeep unparks a job whose key's last job ended at the wrong moment")
    func unparked() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', 1)")
            _ = try await database.store.enqueue(.noop, subjects: [1, 2], fairKeys: ["one"])
            let worker = try await database.worker()
            let first = try await database.store.claim(limit: 2, worker: worker)
            #expect(first.count == 1)
            #expect(try await database.jobs(in: [.parked]).count == 1)
            #expect(try await database.store.unparkAll() == 0, "the key is at its limit")
            try await database.pool.query("update darkroom.jobs set running_key = null")
            #expect(try await database.store.unparkAll() == 1)
            #expect(try await database.jobs(in: [.waiting]).count == 1)
        }
    }
}
