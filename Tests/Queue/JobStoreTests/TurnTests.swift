import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Jobs that wait for the turn of their key", .timeLimit(.minutes(15)))
struct TurnTests {
    /// How many jobs are in a state, by key.
    private func counts(_ state: JobState, _ database: QueueDatabase) async throws -> [String: Int] {
        try await database.jobs(in: [state]).reduce(into: [:]) { $0[$1.fairKey, default: 0] += 1 }
    }

    /// Queues jobs of many keys, and makes all wait for their turn as claims would, in one statement.
    private func park(_ database: QueueDatabase, keys: Int, each: Int) async throws {
        _ = try await database.store.enqueue(
            .noop, subjects: Array(0..<Int64(keys * each)),
            fairKeys: (0..<keys * each).map { "key \($0 % keys)" })
        try await database.pool.query(
            "select setval(position, 1000 * 1048576) from darkroom.lanes where kind = 'noop'")
        try await database.pool.query("update darkroom.jobs set waits_for = 'turn', slot = 0")
    }

    private func unparkOnce(_ database: QueueDatabase) async throws -> Int {
        try await database.pool.query("select darkroom.unpark_all() as jobs")[0].decode("jobs", as: Int.self)
    }

    @Test("every key advances, however much the others may start")
    func everyKey() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, per_minute) values ('*', 600)")
            try await park(database, keys: 60, each: 100)
            let worker = try await database.worker(concurrency: 500)
            var started: Set<String> = []
            // Each call releases 21 jobs of a key: what it may start in the next two seconds.
            for _ in 0..<3 {
                #expect(try await unparkOnce(database) <= 500)
                for job in try await database.store.claim(limit: 500, worker: worker) {
                    started.insert(job.fairKey)
                }
                // What the rate schedules is as good as started.
                for key in try await counts(.scheduled, database).keys { started.insert(key) }
                // As time passes, the keys that had their turn may start as many again.
                try await database.pool.query(
                    "update darkroom.fair_key_paces set next_at = now() - interval '1 minute'")
            }
            #expect(started.count == 60)
        }
    }

    @Test("a key gets no more than its limit has room for, however often the upkeep looks")
    func noMoreThanRoom() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running, per_minute) values ('*', 8, null), ('key 1', null, 60)"
            )
            try await park(database, keys: 2, each: 100)
            for _ in 0..<5 { _ = try await database.store.unparkAll() }
            #expect(try await counts(.waiting, database) == ["key 0": 8, "key 1": 3])
            let worker = try await database.worker(concurrency: 500)
            let claimed = try await database.store.claim(limit: 5, worker: worker)
            for _ in 0..<5 { _ = try await database.store.unparkAll() }
            let ready = try await counts(.waiting, database)["key 0"] ?? 0
            #expect(ready + claimed.count { $0.fairKey == "key 0" } == 8)
            #expect(try await database.store.complete(claimed.map(\.lease)).isEmpty)
            for _ in 0..<5 { _ = try await database.store.unparkAll() }
            #expect(try await counts(.waiting, database)["key 0"] == 8)
        }
    }

    @Test("the jobs of a paused kind do not keep those of another from their turn")
    func pausedKind() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', 2)")
            try await park(database, keys: 1, each: 10)
            try await database.store.pause(queue: nil, kind: .noop, by: "olga")
            _ = try await database.store.unparkAll()
            _ = try await database.store.enqueue(
                JobKind("moderate"), subjects: [1, 2, 3], fairKeys: ["key 0"])
            try await database.pool.query(
                "update darkroom.jobs set waits_for = 'turn', slot = 0 where kind = 'moderate'")
            _ = try await database.store.unparkAll()
            #expect(try await database.jobs(in: [.waiting]).count { $0.kind == JobKind("moderate") } == 2)
        }
    }

    @Test("a call looks at a bounded number of keys, and the next goes on behind them")
    func manyKeys() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', 1)")
            try await park(database, keys: 2_500, each: 1)
            // All but one key are at their limit: it is the last that is looked at.
            try await database.pool.query(
                """
                insert into darkroom.jobs (kind, lane, slot, subject_id, fair_key, fair_hash, lease, leased_at, running_key)
                select 'noop', lane, 1, 0, fair_key, fair_hash, 1, now(), fair_hash from darkroom.jobs
                where fair_hash <> (select max(fair_hash) from darkroom.jobs where fair_hash < 0)
                """)
            var released = 0
            for _ in 0..<3 { released += try await unparkOnce(database) }
            #expect(released == 1)
        }
    }

    @Test("their release is not repeated while another worker does it")
    func atOnce() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', 8)")
            try await park(database, keys: 3, each: 50)
            try await database.withRivals { first, _ in
                try await first.run("begin")
                try await first.run("select darkroom.unpark_all()")
                #expect(try await database.store.unparkAll() == 0)
                try await first.run("commit")
            }
            _ = try await database.store.unparkAll()
            #expect(try await counts(.waiting, database).values.allSatisfy { $0 == 8 })
        }
    }

    @Test("those that wait for their turn advance, although newer jobs of their key keep coming")
    func newcomers() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', 2)")
            let worker = try await database.worker()
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<30), fairKeys: ["a"])
            var running = try await database.store.claim(limit: 4, worker: worker)
            #expect(running.count == 2)
            var subject: Int64 = 1000
            for key in ["b", "c", "d"] {
                _ = try await database.store.enqueue(.noop, subjects: Array(0..<300), fairKeys: [key])
            }
            var old = 0
            for _ in 0..<400 where old < 28 {
                let more = try await database.store.claim(limit: 4 - running.count, worker: worker)
                running += more
                let ended = running.removeFirst()
                #expect(try await database.store.complete([ended.lease]).isEmpty)
                if ended.fairKey == "a" {
                    if ended.subject < 1000 { old += 1 }
                    subject += 1
                    _ = try await database.store.enqueue(.noop, subjects: [subject], fairKeys: ["a"])
                }
                _ = try await database.store.unparkAll()
            }
            #expect(old == 28)
        }
    }

    @Test("the oldest has each turn, although a newer job comes just before it begins", arguments: [1, 3])
    func oldest(limit: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', \(limit))")
            let worker = try await database.worker()
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<40), fairKeys: ["a"])
            var running = try await database.store.claim(limit: 50, worker: worker)
            var ended: [Int64] = []
            while ended.count < 40 {
                _ = try await database.store.enqueue(
                    .noop, subjects: [Int64(1000 + ended.count)], fairKeys: ["a"])
                let first = running.removeFirst()
                ended.append(first.subject)
                #expect(try await database.store.complete([first.lease]).isEmpty)
                running += try await database.store.claim(limit: 50, worker: worker)
                try #require(running.count == limit)
            }
            #expect(ended == Array(0..<40))
        }
    }

    @Test(
        "no more are released than there is room for, however many newer ones are ready", arguments: [2, 600])
    func newerReady(limit: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', \(limit))")
            try await park(database, keys: 1, each: 1_500)
            _ = try await database.store.enqueue(
                .noop, subjects: Array(0..<Int64(limit / 2)), fairKeys: ["key 0"])
            for _ in 0..<60 { _ = try await unparkOnce(database) }
            #expect(try await counts(.waiting, database) == ["key 0": min(limit, 500)])
        }
    }

    @Test("the oldest have each turn, also if several begin together", arguments: [2, 6])
    func severalTurns(limit: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', \(limit))")
            let worker = try await database.worker()
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<60), fairKeys: ["a"])
            var running = try await database.store.claim(limit: 50, worker: worker)
            var started = running.map(\.subject)
            while started.count < 60 {
                // Between the ends, a newer job comes.
                for index in 0..<min(2, running.count) {
                    #expect(try await database.store.complete([running.removeFirst().lease]).isEmpty)
                    guard index == 0 else { continue }
                    _ = try await database.store.enqueue(
                        .noop, subjects: [Int64(1000 + started.count)], fairKeys: ["a"])
                }
                let more = try await database.store.claim(limit: 50, worker: worker)
                try #require(!more.isEmpty)
                running += more
                started += more.map(\.subject).sorted()
            }
            #expect(started.prefix(60).elementsEqual(0..<60))
        }
    }

    @Test("ready jobs that are far away keep none of the others from their turn")
    func farAway() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('a', 1)")
            let worker = try await database.worker()
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<500), fairKeys: ["a"])
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<400), fairKeys: ["b"])
            var running = try await database.store.claim(limit: 20, worker: worker)
            for job in try await database.jobs(in: [.waiting])
            where job.fairKey == "a" && job.subject < 499 { _ = try await database.store.cancel(job.id) }
            var ended: [String] = []
            for _ in 0..<60 {
                let first = running.removeFirst()
                ended.append(first.fairKey)
                #expect(try await database.store.complete([first.lease]).isEmpty)
                running += try await database.store.claim(limit: 1, worker: worker)
            }
            // One of twenty places is for it.
            #expect(ended.count { $0 == "a" } == 3)
        }
    }

    @Test(
        "a suspect is never parked, and is the first to start if the worker may take one",
        arguments: [true, false])
    func suspect(isTaken: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', 1)")
            let worker = try await database.worker()
            _ = try await database.store.enqueue(.noop, subjects: [7], fairKeys: ["key 0"])
            let running = try await database.store.claim(limit: 1, worker: worker)
            _ = try await database.store.enqueue(.noop, subjects: [0, 8, 9], fairKeys: ["key 0"])
            try await database.pool.query("update darkroom.jobs set deaths = 1 where subject_id = 0")
            let claim = { try await database.store.claim(limit: 5, worker: worker, takesSuspect: isTaken) }
            #expect(try await claim().isEmpty)
            #expect(try await database.jobs(in: [.waiting]).map(\.deaths) == [1])
            #expect(try await counts(.parked, database) == ["key 0": 2])
            #expect(try await database.store.complete(running.map(\.lease)).isEmpty)
            #expect(try await claim().map(\.subject) == [isTaken ? 0 : 8])
        }
    }

    @Test("a suspect that a limit holds back hides no other suspect")
    func suspects() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, per_minute) values ('a', 0.01)")
            let worker = try await database.worker()
            for key in ["a", "b", "c"] {
                _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: [key])
            }
            #expect(try await database.store.claim(limit: 3, worker: worker).count == 3)
            #expect(try await database.bury(worker).rescued.count == 3)
            let other = try await database.worker()
            var started: Set<String> = []
            for _ in 0..<2 {
                let claimed = try await database.store.claim(limit: 5, worker: other)
                started.formUnion(claimed.map(\.fairKey))
                #expect(try await database.store.complete(claimed.map(\.lease)).isEmpty)
            }
            #expect(started == ["b", "c"])
        }
    }

    @Test("no more are released than there is room for, although one that came back is far away")
    func farBack() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', 8)")
            try await park(database, keys: 1, each: 300)
            _ = try await database.store.enqueue(.noop, subjects: [1000], fairKeys: ["key 0"])
            try await database.pool.query(
                "update darkroom.jobs set came_back = true, slot = slot + 1048576 * 600::bigint where waits_for is null"
            )
            for _ in 0..<60 { _ = try await unparkOnce(database) }
            #expect(try await counts(.waiting, database) == ["key 0": 9], "eight, and the far one")
        }
    }
}
