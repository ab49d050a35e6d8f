import JobQueue
import JobStore
import Telemetry

/// The gauges of the queue: what the database has, and 0 for what it has not.
///
/// The database counts only jobs that exist, so a state without a job would be a gap instead of 0.
struct QueueSamples {
    /// By queue, kind and state.
    let jobs: [MetricSample]
    /// By queue and kind.
    let oldest: [MetricSample]

    /// - Parameters:
    ///   - queues: the queues that the worker serves. They and their kinds are shown even if they are empty.
    init(_ depths: [QueueStats.Depth], queues: [String], kinds: [JobKind]) {
        let lanes = Set(
            queues.flatMap { queue in kinds.map { [queue, $0.rawValue] } }
                + depths.map { [$0.queue, $0.kind.rawValue] })
        // Of samples with equal labels, the last one counts.
        jobs =
            lanes.flatMap { lane in
                JobState.allCases.filter { !$0.isFinished }.map {
                    MetricSample(lane[0], lane[1], $0.rawValue, value: 0)
                }
            }
            + depths.map {
                MetricSample($0.queue, $0.kind.rawValue, $0.state.rawValue, value: Double($0.count))
            }
        oldest =
            lanes.map { MetricSample($0[0], $0[1], value: 0) }
            + depths.compactMap { depth in
                depth.overdue.map { MetricSample(depth.queue, depth.kind.rawValue, value: $0.inSeconds) }
            }
    }
}
