package import JobQueue
import JobStore
package import MediaStore
package import Postgres
import Posts
package import Telemetry

extension JobKind {
    package static let erasePerson = JobKind("erase_person")
}

/// Erases everything that is kept about a person.
///
/// The order is: jobs, so that nothing new appears; posts and uploads with the names of their files; reactions; the
/// record; and the files. Every step is repeated until it finds nothing, so the next attempt can go on after a stop
/// anywhere. The erasure order keeps the person's name until nothing else does. If the person does something
/// meanwhile, all steps run once more.
package struct ErasePersonHandler: JobHandler {
    private let pool: PostgresPool
    private let media: any MediaStore
    private let log: Log

    package init(pool: PostgresPool, media: any MediaStore, log: Log) {
        self.pool = pool
        self.media = media
        self.log = log
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        let people = PersonStore(pool: pool)
        let order = job.subject
        trace.enter("jobs")
        let running = try await people.cancelJobs(order)
        trace.enter("posts")
        while try await people.erasePost(order) { try Task.checkCancellation() }
        trace.enter("uploads")
        while try await people.eraseUploads(order) > 0 { try Task.checkCancellation() }
        trace.enter("reactions")
        while try await people.eraseReactions(order) > 0 { try Task.checkCancellation() }
        guard running == 0 else {
            throw Self.notYet("jobs_running", "\(running) jobs of the person are still running.", .seconds(5))
        }
        trace.enter("record")
        try await people.eraseRecord(order)
        trace.enter("files", waitingFor: .storeWriting)
        let storing = try await people.stopStoring(order)
        guard storing == 0 else {
            throw Self.notYet(
                "jobs_running", "\(storing) jobs are still storing pictures of the person.", .seconds(2))
        }
        let tally = try await MediaEraser(pool: pool, media: media).erase(.ofErasure(order))
        try await people.countFiles(tally.removed, order)
        tally.warnOfAbsent(log, job.logFields(trace))
        try tally.requireNoFault()
        try await finish(job, trace)
        log.info(
            "person.erased", job.logFields(trace) + ["erasure": .init(order)] + tally.logFields)
        return .committed
    }

    /// Ends the job and removes the person's name from the order in one transaction.
    private func finish(_ job: ClaimedJob, _ trace: AttemptTrace) async throws {
        do {
            try await pool.withTransaction { (transaction) async throws -> Void in
                try await JobStore.end(job.lease, as: .succeeded, trace: trace, in: transaction)
                // Last, because whatever is written in the person's name waits from here to the commit.
                guard try await PersonStore.finish(job.subject, in: transaction) else { throw Unfinished() }
            }
            return
        } catch is Unfinished {}
        let left = try await RetiredMediaStore(pool: pool).schedule(of: .ofErasure(job.subject))
        guard left.files > 0 else {
            throw Self.notYet(
                "person_active", "The person did something in the meantime.", .seconds(1))
        }
        throw Self.notYet(
            "originals_spared", "\(left.files) files were stored too recently to be deleted.",
            max(left.lastDue, .seconds(1)))
    }

    private struct Unfinished: Error {}

    private static func notYet(_ code: String, _ message: String, _ delay: Duration) -> AttemptError {
        AttemptError(.notYet(Reason(code: code, message: message), delay: delay))
    }
}
