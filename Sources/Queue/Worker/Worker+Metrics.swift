import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry

extension Worker {
    func noteClaim(of jobs: [ClaimedJob], took: Duration) {
        metrics.claim.observe(took)
        for stretch in Stretches(of: jobs, kind: \.kind) {
            let kind = metrics(of: jobs[stretch.lowerBound].kind)
            kind.claimed.increment(by: stretch.count)
            for job in jobs[stretch] { kind.wait.observe(job.waited) }
        }
    }

    /// Counts attempts that the completer has ended.
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
            metrics.attempts[job.kind.rawValue, outcome.name].increment()
        }
        if case .rejected(let reason) = outcome {
            metrics.countRejection(kind: job.kind.rawValue, reason: reason.code)
        }
        kind.run.observe(took)
    }

    func countStages(_ trace: AttemptTrace) {
        for stage in trace.stages { metrics.stage[stage.stage].observe(stage.duration) }
    }

    private func metrics(of kind: JobKind) -> KindMetrics {
        kindMetrics[kind] ?? KindMetrics(metrics, kind)
    }

    /// Shows what the queue holds, at intervals and where that is asked for.
    func watchQueue() async {
        guard let interval = configuration.queueMetricsInterval else { return }
        while !Task.isCancelled {
            do {
                let (depths, workers) = try await withDeadline(.seconds(15)) { [store] in
                    (try await store.depths(), try await store.workers())
                }
                show(depths)
                metrics.workers.set(workers.count { $0.silence < JobStore.leaseDuration })
            } catch is CancellationError {
                return
            } catch {
                // Old figures would pass for the present ones.
                show([])
                state.withLock { $0.waiting = nil }
                metrics.workers.set(.nan)
                log.warning("worker.queue_not_read", ["error": .init("\(error)")])
            }
            // Jitter keeps a fleet from looking all at once.
            try? await Task.sleep(for: interval * Double.random(in: 1.0...1.2))
        }
    }

    private func show(_ depths: [QueueStats.Depth]) {
        metrics.queueJobs.replaceAll(
            with: depths.map {
                MetricSample($0.queue, $0.kind.rawValue, $0.state.rawValue, value: Double($0.count))
            })
        metrics.queueOldest.replaceAll(
            with: depths.compactMap { depth in
                depth.overdue.map {
                    MetricSample(depth.queue, depth.kind.rawValue, value: $0.inSeconds)
                }
            })
        let waiting = depths.reduce(0) { $0 + ($1.state == .waiting ? $1.count : 0) }
        state.withLock { $0.waiting = waiting }
    }
}

/// The ranges of neighbours of one kind. A batch nearly always is a single one.
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
