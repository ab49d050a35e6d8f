import JobStore
import Synchronization

/// What a worker answers when it is asked how it is: its checks, and of each what is wrong.
package struct HealthReport: Sendable, CustomStringConvertible {
    package struct Check: Sendable {
        package let name: String
        /// Nil where nothing is wrong.
        package let fault: String?

        package init(name: String, fault: String?) {
            self.name = name
            self.fault = fault
        }
    }

    package let checks: [Check]

    package init(checks: [Check]) { self.checks = checks }

    package var isHealthy: Bool { checks.allSatisfy { $0.fault == nil } }

    /// A line a check: `claim_loop: ok`.
    package var description: String {
        checks.map { "\($0.name): \($0.fault ?? "ok")" }.joined(separator: "\n")
    }
}

extension Worker {
    /// What happens once in the life of a worker.
    package enum Milestone: Sendable {
        /// The database knows the worker, which claims jobs from now on.
        case registered
        /// It was told to stop: no new jobs, and those running have the shutdown budget.
        case stopping
    }

    /// Whether its loops turn. A database that is down is no fault of theirs; a fault is what a restart mends.
    package var liveness: HealthReport {
        HealthReport(checks: [check("claim_loop", claimLoop), check("heartbeat_loop", heartbeatLoop)])
    }

    /// Whether it takes jobs at present.
    package var readiness: HealthReport {
        let (worker, isCutOff, phase) = state.withLock { ($0.worker, $0.isCutOff, $0.phase) }
        let sinceRenewal = ContinuousClock.now - lastRenewal.withLock { $0 }
        let lease: String? =
            if worker == nil {
                "there is none"
            } else if isCutOff || sinceRenewal > Self.longestSilence {
                "cut off from the database: last renewed \(sinceRenewal.components.seconds) s ago"
            } else {
                nil
            }
        return HealthReport(checks: [
            .init(name: "registered", fault: worker == nil ? "the database does not know this worker" : nil),
            .init(name: "lease", fault: lease),
            .init(
                name: "taking_jobs",
                fault: phase == .working
                    ? nil : "it stops: \(running.count) jobs are running, and no new ones are taken"),
        ])
    }

    /// What it does, in a line for people: `2 of 4 jobs running, 117 waiting in the queue`.
    package var summary: String {
        let (waiting, isCutOff, phase) = state.withLock { ($0.waiting, $0.isCutOff, $0.phase) }
        var parts = ["\(running.count) of \(configuration.concurrency) jobs running"]
        if let waiting {
            parts.append("\(waiting)\(waiting >= JobStore.depthLimit ? " or more" : "") waiting in the queue")
        }
        if isCutOff { parts.append("cut off from the database") }
        if phase != .working { parts.append("stopping") }
        return parts.joined(separator: ", ")
    }

    private func check(_ name: String, _ loop: LoopWatch) -> HealthReport.Check {
        guard let silence = loop.sinceLastTurn, silence > configuration.standstillLimit else {
            return .init(name: name, fault: nil)
        }
        return .init(name: name, fault: "has stood still for \(silence.components.seconds) s")
    }
}
