import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Claiming", .timeLimit(.minutes(15)))
struct ClaimTests {
    @Test("gives each job to only one worker, however many claim at once")
    func exclusive() async throws {
        try await QueueDatabase.with { database in
            for _ in 0..<60 { try await database.enqueue() }
            let claims = try await withThrowingTaskGroup(of: [ClaimedJob].self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let worker = try await database.worker()
                        var mine: [ClaimedJob] = []
                        while true {
                            let batch = try await database.store.claim(limit: 3, worker: worker)
                            if batch.isEmpty { return mine }
                            mine += batch
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(claims.count == 60)
            #expect(Set(claims.map(\.id)).count == 60)
            #expect(Set(claims.map(\.lease)).count == 60)
        }
    }

    @Test("takes lower priorities first, then the order of enqueueing")
    func priority() async throws {
        try await QueueDatabase.with { database in
            let worker = try await database.worker()
            // Several times: any order may come by chance.
            for _ in 0..<6 {
                let late = try await database.enqueue(priority: 5)
                let first = try await database.enqueue(priority: 0)
                let urgent = try await database.enqueue(priority: -5)
                var order: [JobID] = []
                while let job = try await database.store.claim(limit: 1, worker: worker).first {
                    order.append(job.id)
                }
                #expect(order == [urgent, first, late])
            }
        }
    }

    @Test("does not let one uploader's backlog delay another's photo")
    func fairness() async throws {
        try await QueueDatabase.with { database in
            for _ in 0..<50 { try await database.enqueue(uploader: "busy") }
            let worker = try await database.worker()
            _ = try await database.store.claim(limit: 10, worker: worker)
            let single = try await database.enqueue(uploader: "single")
            let next = try await database.store.claim(limit: 2, worker: worker)
            #expect(next.map(\.id).contains(single))
        }
    }

    @Test("leaves a scheduled job until its time, and then takes it")
    func scheduled() async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue(runAfterSeconds: 3600)
            let worker = try await database.worker()
            let due = try #require(try await database.store.promoteDue())
            #expect(due > .seconds(3500))
            #expect(try await database.store.claim(limit: 1, worker: worker).isEmpty)
            #expect(try await !database.store.hasWorkLeft(in: ["default"], kinds: [JobKind("ingest")]))

            try await database.pool.query("update darkroom.jobs set run_at = now() - interval '1 second'")
            #expect(try await database.store.promoteDue() == nil)
            #expect(try await database.store.claim(limit: 1, worker: worker).map(\.id) == [job])
        }
    }

    @Test("a flood of one kind does not starve the others, whatever their priorities")
    func flood() async throws {
        try await QueueDatabase.with { database in
            _ = try await database.store.enqueue(
                .noop, subjects: (0..<2000).map(Int64.init), fairKeys: ["flood"], priority: -100)
            for _ in 0..<20 { try await database.enqueue(priority: 100) }
            let worker = try await database.worker()
            // One claim in four begins with any of the two kinds: 50 of 400 on average, with a deviation of 6.6.
            var uploads = 0
            for _ in 0..<400 {
                let job = try #require(try await database.store.claim(limit: 1, worker: worker).first)
                if job.kind != .noop { uploads += 1 }
                try await database.store.end(job.lease, as: .succeeded)
            }
            #expect(uploads == 20)
        }
    }

    @Test("a worker that was told to drain gets nothing, even before it knows")
    func drained() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            let worker = try await database.worker()
            #expect(try await database.store.drain(worker))
            #expect(try await database.store.claim(limit: 1, worker: worker).isEmpty)
            let other = try await database.worker()
            #expect(try await database.store.claim(limit: 1, worker: other).count == 1)
        }
    }
}
