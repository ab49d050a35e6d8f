import JobQueue
import JobStore

extension Worker {
    /// Whether its loops run. An unreachable database is not a fault here, because a restart would not fix it.
    package var liveness: HealthReport {
        HealthReport(checks: [
            claims.loop.check("claim_loop", limit: configuration.standstillLimit),
            leases.loop.check("heartbeat_loop", limit: configuration.standstillLimit),
        ])
    }

    /// Whether it takes jobs now.
    package var readiness: HealthReport {
        let standing = leases.standing
        let isRegistered = standing.worker != nil
        let sinceRenewal = ContinuousClock.now - standing.renewedAt
        let lease: String? =
            if !isRegistered {
                "the worker has none"
            } else if standing.isCutOff || sinceRenewal > leases.longestSilence {
                "cut off from the database: last renewed \(sinceRenewal.components.seconds) s ago"
            } else {
                nil
            }
        let dependencies = breakers.all.map {
            HealthReport.Check(name: $0.dependency.name, fault: $0.opening?.reason.description)
        }
        return HealthReport(
            checks: [
                .init(
                    name: "registered", fault: isRegistered ? nil : "the database does not know this worker"),
                .init(name: "lease", fault: lease),
                .init(name: "schema", fault: gate.fault),
                // The heartbeats have a connection of their own, and go on when the pool's are of no use.
                claims.unanswered.check("claims", limit: configuration.standstillLimit),
                .init(
                    name: "taking_jobs",
                    fault: shutdown.phase == .working
                        ? nil : "the worker is stopping: \(running.count) running jobs, no new ones"),
            ] + dependencies)
    }

    /// A status line for people: `2 of 4 jobs running, 117 waiting in the queue`.
    package var summary: String {
        var parts = ["\(running.count) of \(configuration.concurrency) jobs running"]
        if let waiting = queueWatch.waiting {
            parts.append("\(waiting)\(waiting >= JobStore.depthLimit ? " or more" : "") waiting in the queue")
        }
        if let fault = gate.fault { parts.append(fault) }
        parts += breakers.reports
        if leases.standing.isCutOff { parts.append("cut off from the database") }
        if shutdown.phase != .working { parts.append("stopping") }
        return parts.joined(separator: ", ")
    }
}
