import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres
import Telemetry
import TestKit
import Testing
import Worker

@Suite("Draining", .timeLimit(.minutes(15)))
struct DrainTests {
    @Test("of a queue that is over holds back no job that is committed after its end")
    func drainEnded() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store)
            let worker = database.makeWorker(handler)
            try await database.store.pause(queue: "default", kind: nil, drain: true, by: "olga")
            try await database.withRivals { enqueuing, _ in
                try await enqueuing.run("begin")
                try await enqueuing.run("select darkroom.enqueue_job('ingest', 1, 'ada')")
                #expect(try await database.store.resume(queue: "default", kind: nil))
                try await enqueuing.run("commit")
            }
            let job = try #require(try await database.jobs(in: [.parked]).first?.id)
            try await running(worker) { try await database.waitUntil(job, is: .succeeded) }
        }
    }

    @Test("does not wait for jobs that the worker cannot run, and logs what it left")
    func leavesOthersWork() async throws {
        try await QueueDatabase.with { database in
            let own = try await database.enqueue()
            // The worker has no handler for these, like a benchmark's worker for jobs of schedules.
            for kind in ["tally", "expire"] {
                try await database.pool.query(
                    "select darkroom.enqueue_job(\(kind), 1, 'schedule')")
            }
            try await database.pool.query(
                "select darkroom.enqueue_job('ingest', 1, 'ada', queue => 'another')")
            let later = try await database.enqueue(runAfterSeconds: 3600)
            let handler = RecordingHandler(store: database.store)
            let lines = try await linesLogged { log in
                try await database.makeWorker(handler, log: log) { $0.drains = true }.run()
            }
            #expect(handler.runs == [own])
            #expect(try await database.state(of: later) == .scheduled)
            let said = try #require(lines.first { $0.contains("worker.drained") })
            #expect(said.contains(#""level":"warning""#), "\(said)")
            #expect(said.contains(#""left":4"#), "\(said)")
            for left in [
                "default/tally/waiting=1", "default/expire/waiting=1", "default/ingest/scheduled=1",
                "another/ingest/waiting=1",
            ] { #expect(said.contains(left), "\(said)") }
        }
    }

    @Test("logs that nothing is left")
    func leavesNothing() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            let handler = RecordingHandler(store: database.store)
            let lines = try await linesLogged { log in
                try await database.makeWorker(handler, log: log) { $0.drains = true }.run()
            }
            let said = try #require(lines.first { $0.contains("worker.drained") })
            #expect(said.contains(#""level":"info""#) && said.contains(#""left":0"#), "\(said)")
        }
    }

    @Test(
        "still ends a worker that counted as dead before it heard of the order, and came back under a new number"
    )
    func takenForDead() async throws {
        try await QueueDatabase.with { database in
            let worker = database.makeWorker(RecordingHandler(store: database.store)) {
                $0.heartbeatInterval = .milliseconds(20)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                var number: Int64?
                while number == nil {
                    let rows = try await database.pool.query("select worker_id from darkroom.workers")
                    number = try rows.first?.decode("worker_id", as: Int64.self)
                }
                try await database.withRivals { other, _ in
                    try await other.run("begin")
                    try await other.run("update darkroom.workers set drain_requested = true")
                    try await other.run(
                        """
                        select darkroom.rescue_worker(worker_id, heartbeats) from darkroom.workers
                        where worker_id = \(number)
                        """)
                    try await other.run("commit")
                }
                // It ends by itself.
                try await group.waitForAll()
            }
            #expect(try await database.pool.query("select from darkroom.workers").isEmpty)
        }
    }
}
