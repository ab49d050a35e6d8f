import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// An enqueue looks for drains and weights only while the sequence `darkroom.exceptions` says that there may be one.
@Suite("An enqueue of one job", .timeLimit(.minutes(15)))
struct EnqueueJobTests {
    private func enqueue(_ database: QueueDatabase) async throws {
        try await database.pool.query("select darkroom.enqueue_job('noop', 1, 'ada')")
    }

    private func parked(_ database: QueueDatabase) async throws -> Int {
        try await database.jobs(in: [.parked]).count
    }

    private func looks(_ database: QueueDatabase) async throws -> Bool {
        try await database.pool.query(
            "select pg_sequence_last_value('darkroom.exceptions') is not null as looks")[0]
            .decode("looks", as: Bool.self)
    }

    @Test("finds a drain that was not committed when the upkeep looked")
    func uncommittedDrain() async throws {
        try await QueueDatabase.with { database in
            try await database.withRivals { draining, _ in
                try await draining.run("begin")
                try await draining.run("select darkroom.pause_queue('default', null, 'olga', true)")
                _ = try await database.store.unparkDrained()
                try await draining.run("commit")
            }
            try await enqueue(database)
            #expect(try await parked(database) == 1)
        }
    }

    @Test("finds a drain whose end was rolled back")
    func resumeRolledBack() async throws {
        try await QueueDatabase.with { database in
            try await database.store.pause(queue: "default", kind: nil, drain: true, by: "olga")
            try await database.withRivals { resuming, _ in
                try await resuming.run("begin")
                try await resuming.run("select darkroom.resume_queue('default', null)")
                _ = try await database.store.unparkDrained()
                try await resuming.run("rollback")
            }
            try await enqueue(database)
            #expect(try await parked(database) == 1)
        }
    }

    @Test("finds a pause that became a drain")
    func pauseBecomesDrain() async throws {
        try await QueueDatabase.with { database in
            try await database.store.pause(queue: "default", kind: nil, drain: false, by: "olga")
            #expect(try await !looks(database))
            try await database.store.pause(queue: "default", kind: nil, drain: true, by: "olga")
            try await enqueue(database)
            #expect(try await parked(database) == 1)
        }
    }

    @Test("uses the weight of its key, which another transaction may have just changed")
    func weights() async throws {
        try await QueueDatabase.with { database in
            try await database.withRivals { weighing, _ in
                try await weighing.run("begin")
                try await weighing.run("insert into darkroom.fair_keys (fair_key, weight) values ('ada', 4)")
                _ = try await database.store.unparkDrained()
                try await weighing.run("commit")
            }
            for _ in 0..<2 { try await enqueue(database) }
            try await database.pool.query("update darkroom.fair_keys set weight = 1")
            for _ in 0..<2 {
                _ = try await database.store.unparkDrained()
                try await enqueue(database)
            }
            let slots = try await database.pool.query("select slot from darkroom.jobs order by slot").map {
                try $0.decode("slot", as: Int64.self)
            }
            let strides: [Int64] = zip(slots.dropFirst(), slots).map { later, slot in later - slot }
            #expect(strides == [1 << 18, 1 << 20, 1 << 20])
        }
    }

    @Test("looks for neither once the upkeep has seen that none is left")
    func forgets() async throws {
        try await QueueDatabase.with { database in
            #expect(try await !looks(database))
            try await database.store.pause(queue: "default", kind: nil, drain: true, by: "olga")
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, weight) values ('bo', 2)")
            #expect(try await database.store.resume(queue: "default", kind: nil))
            _ = try await database.store.unparkDrained()
            #expect(try await looks(database))
            try await database.pool.query("delete from darkroom.fair_keys")
            #expect(try await looks(database))
            _ = try await database.store.unparkDrained()
            #expect(try await !looks(database))
            try await enqueue(database)
            #expect(try await parked(database) == 0)
        }
    }

    @Test("refuses a time that no clock shows")
    func times() async throws {
        try await QueueDatabase.with { database in
            for time in ["infinity", "1799-12-31", "2200-01-02"] {
                await #expect(throws: PostgresError.self) {
                    try await database.pool.query(
                        PostgresQuery(
                            unescaped: "select darkroom.enqueue_job('noop', 1, 'ada', run_at => '\(time)')"))
                }
            }
            try await enqueue(database)
            await #expect(throws: PostgresError.self) {
                try await database.pool.query("update darkroom.jobs set run_at = 'infinity'")
            }
        }
    }

    @Test(
        "makes no row that contradicts itself; the check of the tests finds each that does",
        arguments: [
            "lease = 1", "leased_at = now()", "lease = 1, leased_at = now(), waits_for = 'time', slot = 0",
            "waits_for = 'turn', slot = 1",
        ])
    func contradictions(change: String) async throws {
        try await QueueDatabase.with { database in
            try await enqueue(database)
            try await database.pool.query(
                "select darkroom.enqueue_job('noop', 1, 'ada', run_at => now() + interval '1 day')")
            #expect(try await database.contradictoryJobs() == [])
            try await database.pool.query(
                PostgresQuery(unescaped: "update darkroom.jobs set \(change) where waits_for is null"))
            #expect(try await database.contradictoryJobs().count == 1)
        }
    }
}
