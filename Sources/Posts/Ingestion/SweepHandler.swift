package import JobQueue
import JobStore
package import MediaStore
package import Postgres
import Posts
package import Telemetry

extension JobKind {
    package static let sweep = JobKind("sweep")
}

/// Compares the media store with the rows that refer to it, and logs what does not match.
///
/// Deletes originals that no upload has come to refer to in time, such as direct uploads that were never enqueued, and nothing else.
package struct SweepHandler: JobHandler {
    private let pool: PostgresPool
    private let media: any MediaStore
    private let log: Log

    package init(pool: PostgresPool, media: any MediaStore, log: Log) {
        self.pool = pool
        self.media = media
        self.log = log
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        trace.enter("sweep")
        let sweep = MediaSweep(
            pool: pool, media: media, age: .seconds(86_400), deletes: false,
            unclaimed: try await RetiredMediaStore(pool: pool).unclaimedAge())
        let tally: MediaSweep.Tally
        do {
            tally = try await sweep.run { (_, _) async throws -> Bool in true }
        } catch let error as MediaError {
            throw AttemptError.storeFault(error)
        }
        let fields: Log.Fields = [
            "files": .init(tally.files), "rows": .init(tally.rows), "unreferred": .init(tally.unreferred),
            "unreferred_bytes": .init(tally.unreferredBytes), "deleted": .init(tally.deleted),
            "missing": .init(tally.missing),
            "faults": .init(tally.faults),
        ]
        if tally.unreferred - tally.deleted + tally.missing + tally.faults > 0 {
            log.warning("media.mismatch", job.logFields(trace) + fields)
        } else {
            log.info("media.swept", job.logFields(trace) + fields)
        }
        return .endedByBatch
    }
}
