package import JobQueue
package import Telemetry

extension ClaimedJob {
    /// The fields of every log line about this attempt: `job`, `kind`, `attempt`, `lease`, `worker`, and `stage` once it
    /// has entered one.
    package func logFields(_ trace: AttemptTrace) -> Log.Fields {
        Self.logFields(lease, kind: kind, attempt: attempt)
            + (trace.stage.map { ["stage": .init($0)] } ?? [:])
    }

    /// The same for an attempt of which only this is known.
    package static func logFields(_ lease: Lease, kind: JobKind, attempt: Int) -> Log.Fields {
        [
            "job": .init(lease.job), "kind": .init(kind.rawValue), "attempt": .init(attempt),
            "lease": .init("\(lease.token)"), "worker": .init(lease.worker),
        ]
    }
}
