import Postgres
import Telemetry

/// One thing that a worker does at intervals, in a task of its own: a duty that waits or fails does not hold up others.
struct Duty: Sendable {
    /// As in the metric of failures.
    let name: String
    let interval: Duration
    var deadline = Duration.seconds(15)
    /// Makes the next turn come at once. However often it is signalled during a turn, one more turn follows.
    var hurry = Wakeup()
    /// Returns when to do it again, if sooner than after the interval.
    let body: @Sendable () async throws -> Duration?

    /// - Parameter gate: while it is closed, nothing is done; nil for what no schema matters to.
    func run(through gate: SchemaGate?, metrics: WorkerMetrics, log: Log) async {
        while !Task.isCancelled {
            var pause = interval
            do {
                let sooner =
                    if let gate {
                        try await gate.ifOpen { try await withDeadline(deadline, body) } ?? nil
                    } else {
                        try await withDeadline(deadline, body)
                    }
                if let sooner { pause = min(pause, sooner) }
            } catch is CancellationError {
                return
            } catch {
                metrics.upkeepFailures[name].increment()
                log.warning("worker.upkeep_failed", ["duty": .init(name), "error": .init("\(error)")])
            }
            await hurry.wait(atMost: pause)
        }
    }
}
