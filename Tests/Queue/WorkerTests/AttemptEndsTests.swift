import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@testable import Worker

@Suite("What an error means for an attempt", .timeLimit(.minutes(15)))
struct AttemptEndsTests {
    /// The reason, if the job waits without a counted try.
    static func wait(_ error: any Error) -> String? {
        guard case .notYet(let reason, let delay) = AttemptEnds.failure(of: error, stoppedBy: nil) else {
            return nil
        }
        return delay > .zero && delay < .seconds(60) ? reason.code : "a delay of \(delay)"
    }

    @Test(
        "the database's own trouble costs no try, wherever the error comes from",
        arguments: [
            ("57P01", "database_away"), ("08006", "database_away"), ("53300", "database_away"),
            ("25P03", "database_away"), ("40001", "database_busy"), ("40P01", "database_busy"),
            ("55P03", "database_busy"), ("42883", "schema_differs"), ("42P01", "schema_differs"),
        ])
    func database(state: String, code: String) {
        let error = PostgresError(.server, "", sqlState: SQLState(state))
        #expect(Self.wait(error) == code)
        let fault = AttemptError(.systemFault(Reason(code: "store", message: "")), underlying: error)
        #expect(Self.wait(fault) == code)
    }

    @Test("a lost connection and a missed deadline cost no try")
    func connection() {
        for code in [PostgresError.Code.connectionLost, .connectionFailed, .timeout, .connectionClosed] {
            #expect(Self.wait(PostgresError(code, "")) == "database_away")
        }
    }

    @Test(
        "a deadline costs a try, but not if it came while the attempt waited for something that others give")
    func deadline() {
        let error = CancellationError()
        guard case .deadline = AttemptEnds.failure(of: error, stoppedBy: .deadline) else {
            Issue.record("the job took too long by itself")
            return
        }
        guard
            case .notYet(let reason, _) = AttemptEnds.failure(
                of: error, stoppedBy: .deadline, waitingFor: Surroundings.disk)
        else {
            Issue.record("the disk is slow")
            return
        }
        #expect(reason.code == "too_slow" && reason.message.contains("disk"))
    }

    @Test("a fault of the statement, and what a handler says about the photo, stay what they are")
    func others() {
        #expect(Self.wait(PostgresError(.server, "", sqlState: SQLState("23514"))) == nil)
        #expect(Self.wait(AttemptError.rejected("too_big", "Too big.")) == nil)
        #expect(Self.wait(AttemptError(.rendererDied(Reason(code: "renderer_died", message: "")))) == nil)
        if case .cancelled = AttemptEnds.failure(
            of: PostgresError(.connectionLost, ""), stoppedBy: .cancelled)
        {
        } else {
            Issue.record("a cancelled job must not wait")
        }
    }

    @Test("what the database cannot store is left out of a text, and the job ends")
    func unstorable() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store) { _ in
                throw AttemptError(
                    .rejected(Reason(code: "corrupt", message: "a\0b")),
                    underlying: PostgresError(.decoding, "c\0d"))
            }
            try await running(database.makeWorker(handler, concurrency: 1)) {
                let job = try await database.enqueue()
                try await database.waitUntil(job, is: .rejected)
                let attempt = try await database.store.attempts(of: job).last
                #expect(
                    attempt?.reason?.message == "a\u{FFFD}b" && attempt?.cause?.contains("c\u{FFFD}d") == true
                )
            }
        }
    }

    @Test("an end that the database refuses for good is a failure of ours, and its slot is free again")
    func refused() async throws {
        try await QueueDatabase.with { database in
            let bad = try await database.enqueue()
            let handler = RecordingHandler(store: database.store) { job in
                if job.id == bad { throw AttemptError.rejected("no\0code", "No code has a NUL.") }
            }
            try await running(database.makeWorker(handler, concurrency: 1)) {
                let good = try await database.enqueue()
                try await database.waitUntil(good, is: .succeeded)
                try await until("the bad one has failed once") {
                    try await database.store.job(bad)?.failures == 1
                }
                let attempt = try await database.store.attempts(of: bad).first
                #expect(attempt?.reason?.code == "end_refused")
            }
        }
    }

    @Test("if nothing can be written of an end, the database takes the job back, and its slot is free again")
    func unwritable() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                """
                alter table darkroom.job_attempts add constraint refuse check (reason <> 'end_refused' and reason <> 'broken')
                """)
            let bad = try await database.enqueue()
            let handler = RecordingHandler(store: database.store) { job in
                if job.id == bad {
                    throw AttemptError(.systemFault(Reason(code: "broken", message: "It broke.")))
                }
            }
            try await running(database.makeWorker(handler, concurrency: 1)) {
                let good = try await database.enqueue()
                try await database.waitUntil(good, is: .succeeded)
                try await until("the bad one was taken back") {
                    try await database.store.attempts(of: bad).contains { $0.outcome == "returned" }
                }
            }
        }
    }
}
