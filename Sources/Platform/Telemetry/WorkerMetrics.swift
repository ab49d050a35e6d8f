import Synchronization

/// The metrics of a worker, and the only place that names them.
///
/// Queue metrics are read from the database and equal on every worker: dashboards take their maximum over the
/// workers, not their sum.
package struct WorkerMetrics: Sendable {
    /// How many jobs may run at once.
    package let concurrency: Gauge
    package let jobsRunning: Gauge
    /// By kind.
    package let jobsClaimed: MetricFamily<Counter>
    /// By kind and outcome; outcomes are named as in the database's table of attempts.
    package let attempts: MetricFamily<Counter>
    /// The time from when a job was due until its claim, by kind; seconds.
    package let jobWait: MetricFamily<Histogram>
    /// The time from a job's claim to the end of the attempt, by kind; seconds.
    package let jobRun: MetricFamily<Histogram>
    /// The time of one stage of a job, by stage; seconds.
    package let stage: MetricFamily<Histogram>
    /// The time of one claim query, whether or not it found jobs; seconds.
    package let claim: Histogram
    package let claimFailures: Counter
    package let leasesLost: Counter
    /// When the database last accepted a heartbeat; seconds since 1970.
    package let lastHeartbeat: Gauge
    /// 1 while listening for notifications, otherwise 0.
    package let listenerConnected: Gauge
    /// By queue, kind and state; all values are replaced together.
    package let queueJobs: MetricFamily<Gauge>
    /// How long the oldest due job has waited, by queue and kind; seconds; all values are replaced together.
    package let queueOldest: MetricFamily<Gauge>
    /// Live workers registered in the database.
    package let workers: Gauge
    /// By schedule.
    package let scheduleRuns: MetricFamily<Counter>
    package let jobsRescued: Counter
    package let jobsQuarantined: Counter
    /// Leases that no living worker runs; read together with the queue's metrics.
    package let strayLeases: Gauge
    /// Leases that the database gave back because the worker that held them did not run them.
    package let leasesReturned: Counter
    /// Jobs whose worker died while it ran them; read together with the queue's metrics.
    package let suspectJobs: Gauge
    /// 1 if this release can serve the database's schema, otherwise 0; NaN until that is known.
    package let schemaServed: Gauge
    /// By dependency: 1 while it is there, 0 while its breaker is open.
    package let dependencyUp: MetricFamily<Gauge>
    /// How often the breaker opened, by dependency.
    package let dependencyFailures: MetricFamily<Counter>
    /// Connections to the database that this worker holds.
    package let databaseConnections: Gauge
    /// By duty, one of ``upkeepDuties``.
    package let upkeepFailures: MetricFamily<Counter>
    /// 1 for the index in use, by checksum and date; all values are replaced together.
    package let gazetteer: MetricFamily<Gauge>
    /// Replacements found for the index file in use, by result: `used` or `refused`.
    package let gazetteerReplacements: MetricFamily<Counter>

    /// What a worker does at intervals, for itself and for all.
    package static let upkeepDuties = [
        "review", "deadlines", "promote", "rescue", "orphans", "unpark", "schedules", "policies", "history",
        "paces",
    ]

    private let rejections: MetricFamily<Counter>
    private let reasons: BoundedLabel

    package init(registry: MetricsRegistry, version: String, known: KnownLabels = KnownLabels()) {
        let kinds = KnownLabels.each(known.kinds)
        reasons = BoundedLabel(known.rejections.values.joined(), limit: 200)
        registry.gauge("darkroom_build_info", "The running version; always 1.", labels: ["version"])[
            version
        ]
        .set(1)
        concurrency = registry.gauge("darkroom_worker_concurrency", "Jobs that may run at once.")
        jobsRunning = registry.gauge("darkroom_jobs_running", "Jobs that are running.")
        jobsClaimed = registry.counter(
            "darkroom_jobs_claimed_total", "Jobs claimed.", labels: ["kind"], known: kinds)
        attempts = registry.counter(
            "darkroom_attempts_total", "Attempts that ended, by outcome.", labels: ["kind", "outcome"],
            known: KnownLabels.pairs(known.kinds, known.outcomes))
        rejections = registry.counter(
            "darkroom_rejections_total", "Jobs rejected, by reason code.", labels: ["kind", "reason"],
            known: known.rejections.flatMap { KnownLabels.pairs([$0], $1) })
        jobWait = registry.histogram(
            "darkroom_job_wait_seconds", "Time from when a job was due until its claim.", labels: ["kind"],
            known: kinds,
            buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600])
        jobRun = registry.histogram(
            "darkroom_job_run_seconds", "Time from a claim to the end of the attempt.", labels: ["kind"],
            known: kinds,
            buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120])
        stage = registry.histogram(
            "darkroom_stage_seconds", "Time of one stage of a job.", labels: ["stage"],
            known: KnownLabels.each(known.stages),
            buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60])
        claim = registry.histogram(
            "darkroom_claim_seconds", "Time of one query for jobs, whether or not it found any.",
            buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5])
        claimFailures = registry.counter("darkroom_claim_failures_total", "Failed queries for jobs.")
        leasesLost = registry.counter(
            "darkroom_leases_lost_total", "Jobs stopped because their lease could not be renewed.")
        lastHeartbeat = registry.gauge(
            "darkroom_last_heartbeat_timestamp_seconds",
            "When the database last accepted a heartbeat, in seconds since 1970.")
        listenerConnected = registry.gauge(
            "darkroom_listener_connected",
            "1 while the worker listens for notifications; 0 while it only polls.")
        queueJobs = registry.gauge(
            "darkroom_queue_jobs", "Jobs in the database that are not finished.",
            labels: ["queue", "kind", "state"])
        queueOldest = registry.gauge(
            "darkroom_queue_oldest_seconds", "How long the oldest due job has waited.",
            labels: ["queue", "kind"])
        workers = registry.gauge("darkroom_workers", "Live workers registered in the database.")
        scheduleRuns = registry.counter(
            "darkroom_schedule_runs_total", "Jobs that this worker enqueued for a schedule.",
            labels: ["schedule"], known: KnownLabels.each(known.schedules))
        jobsRescued = registry.counter(
            "darkroom_jobs_rescued_total", "Jobs taken from dead workers and made ready again.")
        jobsQuarantined = registry.counter(
            "darkroom_jobs_quarantined_total", "Jobs failed because they kept killing their worker.")
        gazetteer = registry.gauge(
            "darkroom_gazetteer_info", "The gazetteer's index in use; always 1.",
            labels: ["checksum", "date"])
        gazetteerReplacements = registry.counter(
            "darkroom_gazetteer_replacements_total",
            "Replacements found for the index file in use, by result.",
            labels: ["result"], known: [["used"], ["refused"]])
        strayLeases = registry.gauge("darkroom_stray_leases", "Leases that no living worker runs.")
        leasesReturned = registry.counter(
            "darkroom_leases_returned_total",
            "Leases that the database gave back because the worker that held them did not run them.")
        suspectJobs = registry.gauge(
            "darkroom_suspect_jobs", "Jobs whose worker died while it ran them; they run one at a time.")
        schemaServed = registry.gauge(
            "darkroom_schema_served", "1 if this release can serve the database's schema, otherwise 0.")
        dependencyUp = registry.gauge(
            "darkroom_dependency_up",
            "1 while the dependency is there; 0 while no jobs that need it are claimed.",
            labels: ["dependency"])
        dependencyFailures = registry.counter(
            "darkroom_dependency_failures_total", "How often the dependency went away.",
            labels: ["dependency"],
            known: KnownLabels.each(known.dependencies))
        databaseConnections = registry.gauge(
            "darkroom_database_connections", "Connections to the database that this worker holds.")
        upkeepFailures = registry.counter(
            "darkroom_upkeep_failures_total", "Failed turns of the work that is done at intervals.",
            labels: ["duty"], known: KnownLabels.each(Self.upkeepDuties))
        // Unknown until they are read from the database: 0 would be a false alarm, or a false comfort.
        for gauge in [workers, strayLeases, suspectJobs, schemaServed] { gauge.set(.nan) }
    }

    /// Metrics that nobody reads: for tests and for workers without a metrics address.
    package static func unexposed() -> WorkerMetrics {
        WorkerMetrics(registry: MetricsRegistry(), version: "")
    }

    /// Counts a rejection. After 200 different reasons, new ones count as `other`.
    package func countRejection(kind: String, reason: String) {
        rejections[kind, reasons.bounded(reason)].increment()
    }
}

/// Limits the number of values of a label.
private final class BoundedLabel: Sendable {
    private let limit: Int
    private let values: Mutex<Set<String>>

    init(_ known: some Sequence<String>, limit: Int) {
        self.limit = limit
        values = Mutex(Set(known))
    }

    func bounded(_ value: String) -> String {
        values.withLock { values in
            if values.contains(value) { return value }
            guard values.count < limit else { return "other" }
            values.insert(value)
            return value
        }
    }
}
