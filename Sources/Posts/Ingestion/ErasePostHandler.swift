package import JobQueue
import JobStore
package import MediaStore
package import Postgres
import Posts
package import Telemetry

extension JobKind {
    package static let erasePost = JobKind("erase_post")
    package static let eraseOriginals = JobKind("erase_originals")
}

/// Erases a post that was deleted or expired long ago: first its rows, then its files.
package struct ErasePostHandler: JobHandler {
    private let pool: PostgresPool
    private let media: any MediaStore
    private let log: Log

    package init(pool: PostgresPool, media: any MediaStore, log: Log) {
        self.pool = pool
        self.media = media
        self.log = log
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        let store = ErasureStore(pool: pool)
        trace.enter("rows")
        guard try await store.isDue(job.subject) else { return .endedByBatch }
        try await store.eraseRows(of: job.subject)
        // After the rows: from then on no attempt begins to store files of the post.
        try await store.stopRendering(of: job.subject)
        trace.enter("files", waitingFor: .storeWriting)
        let tally = try await MediaEraser(pool: pool, media: media).erase(.ofPost(job.subject))
        tally.warnOfAbsent(log, job.logFields(trace))
        try tally.requireNoFault()
        trace.enter("leftovers")
        try await finish(job, trace)
        log.info("post.erased", job.logFields(trace) + ["post": .init(job.subject)] + tally.logFields)
        return .committed
    }

    /// Ends the job if nothing is left of the post, in one transaction.
    private func finish(_ job: ClaimedJob, _ trace: AttemptTrace) async throws {
        do {
            try await pool.withTransaction { (transaction) async throws -> Void in
                try await JobStore.end(job.lease, as: .succeeded, trace: trace, in: transaction)
                if let left = try await ErasureStore.finish(job.subject, in: transaction) {
                    throw Unfinished(left: left)
                }
            }
        } catch let unfinished as Unfinished {
            let (code, message, delay): (String, String, Duration)
            switch unfinished.left {
            case .attempts:
                (code, message, delay) = (
                    "jobs_running", "A job is still storing pictures of the post.", .seconds(2)
                )
            case .files:
                let left = try await RetiredMediaStore(pool: pool).schedule(of: .ofPost(job.subject))
                (code, message) = (
                    "originals_spared", "\(left.files) files were stored too recently to be deleted."
                )
                delay = max(left.lastDue, .seconds(1))
            case .rows, .reactions:
                (code, message, delay) = (
                    "post_active", "Something was done with the post in the meantime.", .seconds(1)
                )
            }
            throw AttemptError(.notYet(Reason(code: code, message: message), delay: delay))
        }
    }

    private struct Unfinished: Error {
        let left: ErasureStore.Remainder
    }
}

/// Retires originals that are old enough and what dead attempts stored, and deletes every file that is due.
package struct EraseOriginalsHandler: JobHandler {
    private let pool: PostgresPool
    private let media: any MediaStore
    private let log: Log
    private let batch: Int

    package init(pool: PostgresPool, media: any MediaStore, log: Log, batch: Int = 500) {
        self.pool = pool
        self.media = media
        self.log = log
        self.batch = batch
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        let store = ErasureStore(pool: pool)
        trace.enter("retire")
        var position = ErasureStore.UploadPosition.start
        var retired = 0
        while let some = try await store.retireOriginals(after: &position, atMost: batch) {
            retired += some
            try Task.checkCancellation()
        }
        trace.enter("files", waitingFor: .storeWriting)
        _ = try await UnpublishedMediaStore(pool: pool).retireDead()
        let tally = try await MediaEraser(pool: pool, media: media).erase(.due)
        tally.warnOfAbsent(log, job.logFields(trace))
        try tally.requireNoFault()
        if retired > 0 || tally != MediaEraser.Tally() {
            log.info(
                "originals.erased", job.logFields(trace) + ["uploads": .init(retired)] + tally.logFields)
        }
        return .endedByBatch
    }
}

extension MediaEraser.Tally {
    /// - Throws: ``AttemptError``, a system fault, if a file could not be deleted.
    func requireNoFault() throws {
        guard let first = firstFault else { return }
        throw AttemptError.storeFault(first, "\(faults) files could not be deleted. ")
    }

    var logFields: Log.Fields {
        [
            "removed": .init(removed), "absent": .init(absent), "kept": .init(kept),
            "postponed": .init(postponed),
        ]
    }

    /// Logs that files were missing: an earlier run was interrupted, a job failed before it stored them, or the store lost
    /// them.
    func warnOfAbsent(_ log: Log, _ fields: Log.Fields) {
        if absent > 0 { log.warning("media.absent", fields + ["files": .init(absent)]) }
    }
}
