import JobQueue
import Telemetry

/// The metrics of one kind of job that change with every job, looked up once.
struct KindMetrics: Sendable {
    let claimed: Counter
    let wait: Histogram
    let run: Histogram
    let succeeded: Counter

    init(_ metrics: WorkerMetrics, _ kind: JobKind) {
        claimed = metrics.jobsClaimed[kind.rawValue]
        wait = metrics.jobWait[kind.rawValue]
        run = metrics.jobRun[kind.rawValue]
        succeeded = metrics.attempts[kind.rawValue, Outcome.succeeded.name]
    }
}
