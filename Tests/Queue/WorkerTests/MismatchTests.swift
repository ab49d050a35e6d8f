import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry
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

    @Test("of one or two owners, it is believed when it is seen again")
    func believed() {
        let record = MismatchRecord()
        for (number, owner) in ["ada", "ada", "bob", "ada", "bob"].enumerated() {
            let job = JobID(rawValue: Int64(number))
            #expect(record.judge(Self.mismatch(of: owner), of: job) == .unknown)
            #expect(record.judge(Self.mismatch(of: owner), of: job) == .owner)
        }
    }

    @Test(
        "of three owners in a row, or of a quarter of the last jobs, it is the store's fault",
        arguments: [0, 1, 2, 3])
    func share(matches: Int) {
        let record = MismatchRecord()
        var blamed = 0
        for number in 0..<60 {
            for _ in 0..<matches { record.noteMatch(at: Surroundings.disk) }
            let job = JobID(rawValue: Int64(number))
            _ = record.judge(Self.mismatch(of: "owner \(number)"), of: job)
            if record.judge(Self.mismatch(of: "owner \(number)"), of: job) == .owner { blamed += 1 }
        }
        #expect(blamed <= 2, "\(blamed) of 60")
    }

    @Test(
        "of a few owners among many others, it is theirs after a while, however many they are and often they come"
    )
    func fewOwners() {
        let record = MismatchRecord()
        var open = Set((0..<90).map { JobID(rawValue: $0) })
        var rounds = 0
        while !open.isEmpty, rounds < 12 {
            rounds += 1
            for job in open
            where record.judge(Self.mismatch(of: "owner \(job.rawValue % 3)"), of: job) == .owner {
                open.remove(job)
            }
            record.noteMatch(at: Surroundings.disk)
        }
        #expect(open.isEmpty, "\(open.count) are left")
    }

    @Test(
        "sixty in a row reject nobody, stop the claims and say why; when the store is right again, all are published"
    )
    func sixty() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let isWrong = Mutex(true)
            for number in 0..<60 { try await database.enqueue(uploader: "owner \(number)") }
            let handler = RecordingHandler(store: database.store, reads: Surroundings.disk) { job in
                guard isWrong.withLock(\.self) else { return }
                throw AttemptError(.mismatched(Self.mismatch(of: "owner \(job.id)")))
            }
            let surroundings = Surroundings()
            let worker = database.makeWorker(handler, concurrency: 8) {
                $0.probes = [surroundings.probe(Surroundings.disk)]
                $0.needs = [JobKind("ingest"): [Surroundings.disk]]
            }
            try await running(worker) {
                try await until("the worker says so") {
                    worker.readiness.description.contains("originals_differ: They differ.")
                }
                #expect(try await database.jobs().allSatisfy { !$0.state.isFinished && $0.failures == 0 })
                isWrong.withLock { $0 = false }
                try await until("all are published") {
                    try await database.jobs().allSatisfy { $0.state == .succeeded }
                }
                #expect(worker.readiness.isHealthy)
            }
        }
    }

    @Test("an owner who said something wrong is told so after the second look, and holds up no other")
    func rejected() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let wrong = try await database.enqueue(uploader: "ada")
            let handler = RecordingHandler(store: database.store, reads: Surroundings.disk) { job in
                if job.id == wrong { throw AttemptError(.mismatched(Self.mismatch(of: "ada"))) }
            }
            let surroundings = Surroundings()
            let worker = database.makeWorker(handler) {
                $0.probes = [surroundings.probe(Surroundings.disk)]
                $0.needs = [JobKind("ingest"): [Surroundings.disk]]
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
}
