import JobQueue
import JobStore
import Postgres
import Schema
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import Worker

/// Old and new workers next to each other, while `darkroom migrate` changes the schema below them.
@Suite("Workers of two releases", .timeLimit(.minutes(15)))
struct SchemaGateTests {
    /// A database that release 0.1.0 has migrated.
    private static func withDatabase(_ body: (QueueDatabase) async throws -> Void) async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "update darkroom.schema_release set release = '0.1.0', oldest_served = '0.1.0'")
            try await body(database)
        }
    }

    /// A worker that says it is of another release.
    private struct Side: Sendable {
        let worker: Worker
        let handler: RecordingHandler
        let metrics = WorkerMetrics.unexposed()

        init(
            _ database: QueueDatabase, release: String, needs oldestSchema: String = "0.1.0",
            body: @escaping @Sendable (ClaimedJob) async throws -> Void = { _ in }
        ) {
            let release = WorkerRelease(
                release: ReleaseVersion(release)!, oldestSchema: ReleaseVersion(oldestSchema)!)
            handler = RecordingHandler(store: database.store, body: body)
            worker = database.makeWorker(handler, metrics: metrics) {
                $0.version = release.release.description
                $0.schemas = ServedSchemas(oldest: oldestSchema) {
                    release.fault(release: $0.release, oldestServed: $0.oldestServed)
                }
                $0.heartbeatInterval = .milliseconds(20)
                $0.maintenanceInterval = .milliseconds(10)
            }
        }

        func runMore(_ count: Int) async throws {
            let goal = handler.runs.count + count
            while handler.runs.count < goal { try await Task.sleep(for: .milliseconds(2)) }
        }

        /// Returns when it knows that the schema does not serve it, and what it had begun before has ended. A heartbeat may have
        /// read the release before, and a claim or a duty may be under way.
        func rests() async throws {
            try await until("the worker rests") {
                !worker.gate.isOpen && worker.gate.stepsUnderWay == 0 && worker.running.count == 0
            }
        }
    }

    /// What workers of 0.1.0 call, and 0.2.0 no longer has.
    private static let step = SchemaFile(
        path: "queue/old_step.sql",
        text: "create or replace function darkroom.old_step() returns integer language sql as 'select 1';\n")
    private static let column = SchemaFile(
        path: "tables/0002_note.sql", text: "alter table darkroom.settings add column note text;\n")

    @Test("both go on through a migration that serves the older one")
    func compatible() async throws {
        try await Self.withDatabase { (database: QueueDatabase) async throws -> Void in
            let old = Side(database, release: "0.1.0")
            let new = Side(database, release: "0.2.0")
            try await running(old.worker, new.worker) {
                let count = try await database.withJobs(started: {
                    old.handler.runs.count + new.handler.runs.count
                }) {
                    try await old.runMore(1)
                    try await new.runMore(1)
                    try await database.migrate(
                        SchemaFile.all.map { $0.rephrased } + [Self.step, Self.column], to: "0.2.0",
                        serving: "0.1.0")
                    try await database.waitForHeartbeats()
                    for side in [old, new] {
                        try #require(side.worker.readiness.isHealthy, "\(side.worker.readiness)")
                        #expect(side.metrics.schemaServed.value == 1)
                    }
                    try await old.runMore(1)
                    try await new.runMore(1)
                }
                try await database.waitForEnds(of: count)
            }
            #expect(
                old.handler.runs.count + new.handler.runs.count
                    == Set(old.handler.runs + new.handler.runs).count)
        }
    }

    @Test(
        "after a migration that does not serve the older one, the newer one does everything, and no job is at fault"
    )
    func incompatible() async throws {
        try await Self.withDatabase { (database: QueueDatabase) async throws -> Void in
            try await database.migrate(SchemaFile.all + [Self.step], to: "0.1.0", serving: "0.1.0")
            let old = Side(database, release: "0.1.0") { _ in
                try await database.pool.query("select darkroom.old_step()")
            }
            let new = Side(database, release: "0.2.0")
            try await running(old.worker, new.worker) {
                let count = try await database.withJobs(started: {
                    old.handler.runs.count + new.handler.runs.count
                }) {
                    try await old.runMore(1)
                    try await new.runMore(1)
                    try await database.migrate(
                        SchemaFile.all + [Self.column], to: "0.2.0", serving: "0.2.0")
                    try await database.waitForHeartbeats()
                    #expect(new.worker.readiness.isHealthy, "\(new.worker.readiness)")
                    let readiness = old.worker.readiness.description
                    #expect(
                        readiness.contains(
                            "schema: release 0.2.0 has migrated the database, which no longer serves workers older than 0.2.0, "
                                + "and this one is 0.1.0: update this worker"), "\(readiness)")
                    #expect(old.metrics.schemaServed.value == 0 && new.metrics.schemaServed.value == 1)
                    #expect(old.worker.liveness.isHealthy)
                    try await old.rests()
                    let last = old.handler.runs.count
                    try await new.runMore(50)
                    #expect(old.handler.runs.count == last, "the older worker claims nothing")
                }
                try await database.waitForEnds(of: count)
            }
            #expect(Set(new.handler.runs).count == new.handler.runs.count)
        }
    }

    @Test("a newer one waits for its migration, then starts by itself")
    func early() async throws {
        try await Self.withDatabase { (database: QueueDatabase) async throws -> Void in
            let new = Side(database, release: "0.2.0", needs: "0.2.0")
            let job = try await database.enqueue()
            try await running(new.worker) {
                var milestones = new.worker.milestones.makeAsyncIterator()
                #expect(await milestones.next() == .waiting)
                let readiness = new.worker.readiness.description
                #expect(
                    readiness.contains(
                        "schema: the database has the schema of release 0.1.0, and this worker of release 0.2.0 needs that of 0.2.0 "
                            + "or newer: run 'darkroom migrate'"), "\(readiness)")
                #expect(new.worker.liveness.isHealthy)
                #expect(new.metrics.schemaServed.value == 0)
                #expect(try await database.store.workers().isEmpty, "it registers later")
                try await database.migrate(SchemaFile.all + [Self.column], to: "0.2.0", serving: "0.1.0")
                #expect(await milestones.next() == .registered)
                try await database.waitUntil(job, is: .succeeded)
                #expect(new.worker.readiness.isHealthy && new.metrics.schemaServed.value == 1)
            }
        }
    }

    @Test("one that waits for its migration stops when told to")
    func stopped() async throws {
        try await Self.withDatabase { (database: QueueDatabase) async throws -> Void in
            let new = Side(database, release: "0.2.0", needs: "0.2.0")
            let job = try await database.enqueue()
            try await running(new.worker) {
                var milestones = new.worker.milestones.makeAsyncIterator()
                #expect(await milestones.next() == .waiting)
            }
            #expect(try await database.state(of: job) == .waiting)
        }
    }

    @Test(
        "one that the schema does not serve does nothing for others, and goes on when the schema fits again")
    func reopened() async throws {
        try await Self.withDatabase { (database: QueueDatabase) async throws -> Void in
            let old = Side(database, release: "0.1.0")
            try await running(old.worker) {
                let first = try await database.enqueue()
                try await database.waitUntil(first, is: .succeeded)
                try await database.pool.query(
                    "update darkroom.schema_release set release = '0.2.0', oldest_served = '0.2.0'")
                try await old.rests()
                #expect(!old.worker.readiness.isHealthy)
                let later = try await database.enqueue(runAfterSeconds: 0.01)
                // Far longer than it takes to make the job ready.
                for _ in 0..<10 { try await database.waitForHeartbeats() }
                #expect(try await database.state(of: later) == .scheduled)
                try await database.pool.query(
                    "update darkroom.schema_release set release = '0.1.0', oldest_served = '0.1.0'")
                try await database.waitUntil(later, is: .succeeded)
                #expect(old.worker.readiness.isHealthy && old.metrics.schemaServed.value == 1)
            }
        }
    }

    @Test("one whose heartbeat does not fit the schema claims nothing until it does")
    func heartbeatFails() async throws {
        try await Self.withDatabase { (database: QueueDatabase) async throws -> Void in
            let old = Side(database, release: "0.1.0")
            try await running(old.worker) {
                let first = try await database.enqueue()
                try await database.waitUntil(first, is: .succeeded)
                try await database.pool.query("alter table darkroom.schema_release rename to elsewhere")
                while old.worker.readiness.isHealthy { try await Task.sleep(for: .milliseconds(2)) }
                let readiness = old.worker.readiness.description
                #expect(
                    readiness.contains("schema: the database has the schema of another release: "),
                    "\(readiness)")
                try await database.pool.query("alter table darkroom.elsewhere rename to schema_release")
                let second = try await database.enqueue()
                try await database.waitUntil(second, is: .succeeded)
            }
        }
    }
}

extension QueueDatabase {
    fileprivate func migrate(_ files: [SchemaFile], to release: String, serving oldest: String) async throws {
        let release = SchemaRelease(
            release: ReleaseVersion(release)!, oldestServed: ReleaseVersion(oldest)!)
        let connection = try await PostgresConnection.connect(configuration)
        _ = try await Migrator(connection, files: files, release: release).migrate()
        await connection.close()
    }

    /// Waits until every worker knows the present schema: the reply to the heartbeat before its last one has arrived.
    fileprivate func waitForHeartbeats() async throws {
        let most = try await pool.query("select max(heartbeats) as x from darkroom.workers")[0]
            .decode("x", as: Int64.self)
        try await until("the heartbeats") {
            let rows = try await pool.query(
                "select bool_and(heartbeats >= \(most + 2)) as x from darkroom.workers")
            return try rows[0].decode("x", as: Bool.self)
        }
    }

    /// Enqueues jobs while `body` runs, as fast as workers start them.
    ///
    /// - Returns: how many.
    fileprivate func withJobs(
        started: @escaping @Sendable () -> Int, _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> Int {
        let hasEnded = Mutex(false)
        async let ended: Void = {
            defer { hasEnded.withLock { $0 = true } }
            try await body()
        }()
        var count = 0
        while !hasEnded.withLock(\.self) {
            do {
                try await enqueue()
                count += 1
            } catch let error as PostgresError where error.isContention {
                // Like an app, it tries again: two tables were locked in another order than the migration locks them.
                continue
            }
            while !hasEnded.withLock(\.self), started() < count - 20 {
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        try await ended
        return count
    }

    /// Waits until as many jobs have succeeded, and checks that no attempt at any of them counted. Jobs that were snoozed need
    /// not wait.
    fileprivate func waitForEnds(of count: Int) async throws {
        try await until("all have succeeded") {
            try await pool.query(
                "update darkroom.jobs set run_at = now() where waits_for = 'time' and kind = 'ingest'")
            let row = try await pool.query(
                """
                select count(*)::int as jobs, (count(*) filter (where state = 'succeeded'))::int as done,
                       sum(failures + crashes + deaths)::int as faults
                from darkroom.all_jobs where kind = 'ingest'
                """)[0]
            #expect(try row.decode("jobs", as: Int.self) == count)
            #expect(try row.decode("faults", as: Int.self) == 0)
            return try row.decode("done", as: Int.self) == count
        }
        let outcomes = try await pool.query(
            "select distinct outcome::text as x from darkroom.job_attempts")
        for row in outcomes { #expect(try row.decode("x", as: String.self) == "snoozed") }
    }
}

extension SchemaFile {
    /// The same function with another text, so that a migration replaces it.
    fileprivate var rephrased: SchemaFile {
        kind == .function ? SchemaFile(path: path, text: text + "\n-- Another text.\n") : self
    }
}
