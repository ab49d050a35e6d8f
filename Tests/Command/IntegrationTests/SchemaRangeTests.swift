import ChildProcess
import Glibc
import JobQueue
import JobStore
import Postgres
import Schema
import TestKit
import Testing

@Suite("A database migrated by another release", .timeLimit(.minutes(15)))
struct SchemaRangeTests {
    @Test("lets a worker that it does not serve wait: /readyz says why, and SIGTERM ends it")
    func waits() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.pool.query(
                "update darkroom.schema_release set release = '9.2.0', oldest_served = '9.1.0'")
            let job = try await darkroom.database.enqueue()
            try await WatchedWorker.with(darkroom) { worker in
                let answer = try await worker.wait(for: "/readyz") { $0.body.contains("schema: release") }
                #expect(answer.status == 503)
                #expect(
                    answer.body.contains(
                        "release 9.2.0 has migrated the database, which no longer serves workers older than 9.1.0"
                    ), "\(answer.body)")
                #expect(try await worker.get("/livez").status == 200)
                let samples = WatchedWorker.samples(try await worker.get("/metrics").body)
                #expect(samples["darkroom_schema_served"] == 0)
                #expect(try await darkroom.database.store.workers().isEmpty)
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
                #expect(worker.log.contains("worker.schema_not_served"))
            }
            #expect(try await darkroom.database.state(of: job) == .waiting)
        }
    }

    @Test("is told before and after when a migration stops older workers")
    func migrate() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let current = try await darkroom.darkroom("migrate")
            #expect(!current.standardError.contains("older than"), "\(current.standardError)")
            try await darkroom.database.pool.query(
                "update darkroom.schema_release set release = '0.0.9', oldest_served = '0.0.9'")
            let oldest = SchemaRelease.current.oldestServed
            let asked = try await darkroom.darkroom("migrate", "--status")
            #expect(asked.ending == .exited(1))
            #expect(asked.standardError.contains("Would stop workers older than \(oldest)."))
            let done = try await darkroom.darkroom("migrate")
            #expect(done.ending == .exited(0))
            #expect(
                done.standardError.contains("Workers older than \(oldest) take no more jobs: update them."))
            let again = try await darkroom.darkroom("migrate")
            #expect(!again.standardError.contains("older than"), "\(again.standardError)")
        }
    }
}
