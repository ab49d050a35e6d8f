import JobQueue
import Telemetry

/// Counts claims, attempts and how they end.
struct AttemptMetrics: Sendable {
    private let all: WorkerMetrics
    private let kinds: [JobKind: KindMetrics]

    init(_ metrics: WorkerMetrics, kinds: some Sequence<JobKind>) {
        all = metrics
        self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0, KindMetrics(metrics, $0)) })
    }

    func countFailedClaim() { all.claimFailures.increment() }

    func countLostLease() { all.leasesLost.increment() }

    /// Counts an attempt that is returned before it began.
    func count(_ outcome: Outcome, of kind: JobKind) {
        all.attempts[kind.rawValue, outcome.name].increment()
    }

    func countClaim(of jobs: [ClaimedJob], took: Duration) {
        all.claim.observe(took)
        for stretch in Stretches(of: jobs, kind: \.kind) {
            let kind = metrics(of: jobs[stretch.lowerBound].kind)
            kind.claimed.increment(by: stretch.count)
            for job in jobs[stretch] { kind.wait.observe(job.waited) }
        }
    }

    /// Counts attempts whose ends the completer has written.
    func count(_ succeeded: [Completer.Done]) {
        for stretch in Stretches(of: succeeded, kind: \.job.job.kind) {
            let kind = metrics(of: succeeded[stretch.lowerBound].job.job.kind)
            kind.succeeded.increment(by: stretch.count)
            for done in succeeded[stretch] { kind.run.observe(done.took) }
        }
    }

    /// Counts an attempt whose end is written.
    func count(_ outcome: Outcome, of job: ClaimedJob, took: Duration) {
        let kind = metrics(of: job.kind)
        if case .succeeded = outcome {
            kind.succeeded.increment()
        } else {
            all.attempts[job.kind.rawValue, outcome.name].increment()
        }
        if case .rejected(let reason) = outcome {
            all.countRejection(kind: job.kind.rawValue, reason: reason.code)
        }
        kind.run.observe(took)
    }

    func countStages(_ trace: AttemptTrace) {
        for stage in trace.stages { all.stage[stage.stage].observe(stage.duration) }
    }

    private func metrics(of kind: JobKind) -> KindMetrics {
        kinds[kind] ?? KindMetrics(all, kind)
    }
}

/// The runs of consecutive elements of one kind. A batch is nearly always a single run.
private struct Stretches<Element>: Sequence, IteratorProtocol {
    private let elements: [Element]
    private let kind: (Element) -> JobKind
    private var start = 0

    init(of elements: [Element], kind: @escaping (Element) -> JobKind) {
        self.elements = elements
        self.kind = kind
    }

    mutating func next() -> Range<Int>? {
        guard start < elements.count else { return nil }
        let first = kind(elements[start])
        let end = elements[start...].firstIndex { kind($0) != first } ?? elements.count
        defer { start = end }
        return start..<end
    }
}
