package import JobQueue
package import Telemetry

extension ClaimedJob {
    /// What every line of the log about this attempt says: `job`, `kind`, `attempt`, `lease`, `worker`, and `stage`
    /// once it has entered one.
    package func logFields(_ trace: AttemptTrace) -> Log.Fields {
        Self.logFields(lease, kind: kind, attempt: attempt)
            + (trace.stage.map { ["stage": .init($0)] } ?? [:])
    }

    /// The same of an attempt of which no more is known.
    package static func logFields(_ lease: Lease, kind: JobKind, attempt: Int) -> Log.Fields {
        [
            "job": .init(lease.job), "kind": .init(kind.rawValue), "attempt": .init(attempt),
            "lease": .init(lease.token), "worker": .init(lease.worker),
        ]
    }
}
