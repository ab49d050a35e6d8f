import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Rescue", .timeLimit(.minutes(5)))
struct RescueTests {
    @Test("gives a dead worker's jobs to others, and leaves live workers alone")
    func deadWorker() async throws {
        try await QueueDatabase.with { database in
            let lost = try await database.enqueue()
            let dead = try await database.claimOne()
            let kept = try await database.enqueue()
            let living = try await database.claimOne()
            try await database.silence(dead.lease.worker, seconds: 13)
            try await database.silence(living.lease.worker, seconds: 8)

            let (rescued, quarantined) = try await database.store.rescue()
            #expect(rescued == [lost])
            #expect(quarantined.isEmpty)
            #expect(try await database.state(of: kept) == .running)
            let again = try await database.claimOne()
            #expect(again.id == lost && again.attempt == 2 && again.crashes == 1 && again.failures == 0)
            await #expect(throws: QueueError.self) {
                try await database.store.end(dead.lease, as: .succeeded)
            }
            let removed = await #expect(throws: QueueError.self) {
                _ = try await database.store.heartbeat(of: dead.lease.worker)
            }
            #expect(removed?.code == .workerRemoved(dead.lease.worker))
            try await database.enqueue()
            #expect(try await database.store.claim(limit: 1, worker: dead.lease.worker).isEmpty)
        }
    }

    @Test("quarantines a job at its third crash, with every crash kept")
    func poison() async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue()
            for crash in 1...3 {
                let claimed = try await database.claimOne()
                try await database.silence(claimed.lease.worker, seconds: 60)
                let (rescued, quarantined) = try await database.store.rescue()
                #expect(rescued == (crash < 3 ? [job] : []))
                #expect(quarantined == (crash == 3 ? [job] : []))
            }
            let record = try #require(try await database.store.job(job))
            #expect(record.state == .failed)
            #expect(record.reason?.code == "poison")
            #expect(record.crashes == 3 && record.failures == 0)
            #expect(
                try await database.store.attempts(of: job).map(\.outcome) == ["crashed", "crashed", "failed"])
        }
    }

    @Test("keeps a worker that renews its lease")
    func heartbeat() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            let claimed = try await database.claimOne()
            try await database.silence(claimed.lease.worker, seconds: 60)
            #expect(try await !database.store.heartbeat(of: claimed.lease.worker), "nobody asked it to drain")
            #expect(try await database.store.rescue().rescued.isEmpty)
        }
    }

    @Test("finds jobs that a worker holds without knowing")
    func stray() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            try await database.enqueue()
            let worker = try await database.worker()
            let known = try await database.store.claim(limit: 1, worker: worker)
            let unknown = try await database.store.claim(limit: 1, worker: worker)
            let strays = try await database.store.strayLeases(of: worker, known: known.map(\.lease))
            #expect(strays.map(\.lease) == unknown.map(\.lease))
            #expect(strays.map(\.attempt) == [1])
        }
    }
}
