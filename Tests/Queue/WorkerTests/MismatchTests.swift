import JobQueue
import JobStore
import Postgres
import Synchronization
import TestKit
import Testing

@testable import Worker

@Suite("What was read for a job is not what its owner said", .timeLimit(.minutes(15)))
struct MismatchTests {
    private static func mismatch(of owner: String) -> Mismatch {
        Mismatch(
            rejection: Reason(code: "hash_mismatch", message: "It is another photo."), owner: owner,
            suspect: Absence(of: Surroundings.disk, Reason(code: "originals_differ", message: "They differ."))
        )
    }

    /// A worker whose jobs read on the disk, of which `surroundings` say whether it has what it had.
    private static func worker(
        in database: QueueDatabase, _ surroundings: Surroundings,
        body: @escaping @Sendable (ClaimedJob) async throws -> Void
    ) -> Worker {
        let handler = RecordingHandler(store: database.store, reads: Surroundings.disk, body: body)
        return database.makeWorker(handler, concurrency: 8) {
            $0.probes = [surroundings.probe(Surroundings.disk)]
        }
    }

    @Test("an owner who said something wrong is told so after the second look")
    func rejected() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let wrong = try await database.enqueue(uploader: "ada")
            let worker = Self.worker(in: database, Surroundings()) { job in
                if job.id == wrong { throw AttemptError(.mismatched(Self.mismatch(of: "ada"))) }
            }
            try await running(worker) {
                let right = try await database.enqueue(uploader: "bob")
                try await database.waitUntil(right, is: .succeeded)
                try await database.waitUntil(wrong, is: .rejected)
                #expect(worker.readiness.isHealthy)
            }
            let job = try #require(try await database.jobs().first { $0.id == wrong })
            #expect(job.reason?.code == "hash_mismatch" && job.attempt == 2 && job.failures == 0)
        }
    }

    @Test(
        "many owners who say something wrong at once are told so, and hold up no other, while others are right"
    )
    func coincidence() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let first = try await database.enqueue(uploader: "bob")
            let worker = Self.worker(in: database, Surroundings()) { job in
                guard job.id != first, job.id.rawValue % 8 != 0 else { return }
                throw AttemptError(.mismatched(Self.mismatch(of: "owner \(job.id)")))
            }
            try await running(worker) {
                try await database.waitUntil(first, is: .succeeded)
                var wrong: [JobID] = []
                for number in 0..<40 {
                    let job = try await database.enqueue(uploader: "owner \(number)")
                    if job.rawValue % 8 != 0 { wrong.append(job) }
                }
                try await until("all have ended") {
                    try await database.jobs().allSatisfy { $0.state.isFinished }
                }
                let rejected = try await database.jobs().filter { $0.state == .rejected }.map(\.id)
                #expect(Set(rejected) == Set(wrong))
                #expect(worker.readiness.isHealthy)
            }
        }
    }

    @Test(
        "nobody is told so while what was right before is no longer right, however few they are",
        arguments: [1, 2, 20].every(2))
    func changed(owners: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let isWrong = Mutex(true)
            for number in 0..<20 { try await database.enqueue(uploader: "owner \(number % owners)") }
            let surroundings = Surroundings()
            surroundings.take(Surroundings.absence(Surroundings.disk, "originals_differ"))
            let worker = Self.worker(in: database, surroundings) { job in
                guard isWrong.withLock(\.self) else { return }
                throw AttemptError(.mismatched(Self.mismatch(of: "owner \(job.id.rawValue % Int64(owners))")))
            }
            try await running(worker) {
                try await until("each has looked twice") {
                    try await database.jobs().allSatisfy { $0.attempt >= 2 }
                }
                #expect(worker.readiness.description.contains("originals_differ"))
                #expect(try await database.jobs().allSatisfy { !$0.state.isFinished && $0.failures == 0 })
                isWrong.withLock { $0 = false }
                surroundings.giveBack()
                try await until("all are published") {
                    try await database.jobs().allSatisfy { $0.state == .succeeded }
                }
                try await until("the worker is well") { worker.readiness.isHealthy }
            }
        }
    }

    @Test("what was read before the probe found all right again is not believed")
    func mended() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let job = try await database.enqueue(uploader: "ada")
            let surroundings = Surroundings()
            surroundings.take(Surroundings.absence(Surroundings.disk, "originals_differ"))
            let isMended = Mutex(false)
            let runs = Mutex(0)
            let worker = Self.worker(in: database, surroundings) { _ in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                if run == 2 {
                    surroundings.giveBack()
                    try await until("the probe has found it right") { isMended.withLock(\.self) }
                }
                if run <= 2 { throw AttemptError(.mismatched(Self.mismatch(of: "ada"))) }
            }
            try await running(worker) {
                try await until("the second look waits") { runs.withLock(\.self) == 2 }
                try await until("the worker is well") { worker.readiness.isHealthy }
                isMended.withLock { $0 = true }
                try await database.waitUntil(job, is: .succeeded)
            }
        }
    }

    @Test(
        "several owners are not told so before anybody ever said something right",
        .enabled(if: Extent.isCheck, "make check runs it"))
    func sixty() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let isWrong = Mutex(true)
            for number in 0..<60 { try await database.enqueue(uploader: "owner \(number)") }
            let worker = Self.worker(in: database, Surroundings()) { job in
                guard isWrong.withLock(\.self) else { return }
                throw AttemptError(.mismatched(Self.mismatch(of: "owner \(job.id)")))
            }
            try await running(worker) {
                try await until("each has looked twice") {
                    try await database.jobs().allSatisfy { $0.attempt >= 2 }
                }
                #expect(worker.readiness.description.contains("originals_differ: They differ."))
                #expect(try await database.jobs().allSatisfy { !$0.state.isFinished && $0.failures == 0 })
                isWrong.withLock { $0 = false }
                try await until("all are published") {
                    try await database.jobs().allSatisfy { $0.state == .succeeded }
                }
                #expect(worker.readiness.isHealthy)
            }
        }
    }
}
