import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("The end of a drain", .timeLimit(.minutes(15)))
struct ResumeTests {
    private func drain(_ database: QueueDatabase, queue: String? = "default", kind: JobKind? = nil)
        async throws
    {
        try await database.store.pause(queue: queue, kind: kind, drain: true, by: "olga")
    }

    private func count(_ state: JobState, _ database: QueueDatabase) async throws -> Int {
        try await database.store.depths().filter { $0.state == state }.reduce(0) { $0 + $1.count }
    }

    @Test("releases a job that is committed after it")
    func committedLater() async throws {
        try await QueueDatabase.with { database in
            try await drain(database)
            try await database.withRivals { enqueuing, _ in
                try await enqueuing.run("begin")
                try await enqueuing.run("select darkroom.enqueue_job('noop', 1, 'ada')")
                #expect(try await database.store.resume(queue: "default", kind: nil))
                try await enqueuing.run("commit")
            }
            #expect(try await count(.parked, database) == 1)
            #expect(try await database.store.isReleasing(queue: "default", kind: nil))
            #expect(try await database.store.unparkDrained() == 1)
            #expect(try await count(.waiting, database) == 1)
            #expect(try await !database.store.isReleasing(queue: "default", kind: nil))
        }
    }

    @Test("releases what two drains held back that end at the same time")
    func twoEnds() async throws {
        try await QueueDatabase.with { database in
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["ada"])
            try await drain(database)
            try await drain(database, queue: nil, kind: .noop)
            _ = try await database.store.enqueue(.noop, subjects: [2], fairKeys: ["ada"])
            try await database.withRivals { first, second in
                // Each still sees the other's drain.
                for rival in [first, second] { try await rival.run("begin") }
                try await first.run("select darkroom.resume_queue('default', null)")
                try await second.run("select darkroom.resume_queue(null, 'noop')")
                for rival in [first, second] { try await rival.run("commit") }
            }
            #expect(try await count(.parked, database) == 1)
            #expect(try await database.store.unparkDrained() == 1)
            #expect(try await count(.waiting, database) == 2)
        }
    }

    @Test("releases nothing that another drain covers")
    func anotherDrain() async throws {
        try await QueueDatabase.with { database in
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["ada"])
            try await drain(database)
            try await drain(database, queue: nil, kind: .noop)
            _ = try await database.store.enqueue(.noop, subjects: [2], fairKeys: ["ada"])
            #expect(try await database.store.resume(queue: "default", kind: nil))
            #expect(try await database.store.unparkDrained() == 0)
            #expect(try await count(.parked, database) == 1)
        }
    }

    @Test("takes effect although a parked job is locked, and releases the first 500 at once")
    func bounded() async throws {
        try await QueueDatabase.with { database in
            _ = try await database.store.enqueue(.noop, subjects: [0], fairKeys: ["ada"])
            try await drain(database)
            _ = try await database.store.enqueue(.noop, subjects: Array(1...1_200), fairKeys: ["ada"])
            try await database.withRivals { holder, _ in
                try await holder.run("begin")
                try await holder.run("select from darkroom.jobs where subject_id = 7 for update")
                #expect(try await database.store.resume(queue: "default", kind: nil))
                #expect(try await count(.waiting, database) == 501)
                #expect(try await database.store.unparkDrained() == 699)
                #expect(try await count(.parked, database) == 1)
                try await holder.run("rollback")
            }
            #expect(try await database.store.unparkDrained() == 1)
            #expect(try await count(.waiting, database) == 1_201)
        }
    }
}
