import ChildProcess
import FoundationEssentials
import Glibc

/// Tries every gap of every victim, and sees that every job is finished once.
package struct GapSweep: Sendable {
    package struct Options: Sendable {
        package var victims = GapVictim.allCases
        package var from = Duration.zero
        package var to = Duration.seconds(30)
        package var step = Duration.milliseconds(500)
        /// How long a job takes.
        package var jobTime = Duration.seconds(3)
        /// Trials at the same time.
        package var atOnce = 24
        /// Where to keep the logs of the workers; nil to remove them.
        package var logs: String?

        package init() {}

        var gaps: [Duration] {
            Array(sequence(first: from) { $0 + step }.prefix { $0 <= to })
        }
    }

    let options: Options
    let progress: @Sendable (_ done: Int, _ total: Int, _ note: String) -> Void

    package init(
        options: Options, progress: @escaping @Sendable (_ done: Int, _ total: Int, _ note: String) -> Void
    ) {
        self.options = options
        self.progress = progress
    }

    /// - Returns: the results by victim and gap.
    /// - Throws: ``ChaosError`` if the harness cannot do its work.
    package func run() async throws -> [GapResult] {
        let root = try makeTemporaryFolder("darkroom-chaos", isPassable: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let trials = try trials(logs: options.logs ?? "\(root)/logs")
        let punctuality = Punctuality()
        let turns = TrialTurns(trials)
        let slots = min(options.atOnce, trials.count)
        // A server that stalls serves one trial at a time. Otherwise so many share one as it has connections for.
        let share = options.victims.contains(.server) ? 1 : 8
        try await TrialServer.with((slots + share - 1) / share, in: root) { servers in
            let measuring = Task { await punctuality.measure() }
            defer { measuring.cancel() }
            try await withThrowingTaskGroup { group in
                for slot in 0..<slots {
                    group.addTask {
                        while let turn = turns.next() {
                            let result = try await turn.trial.run(
                                on: servers[slot % servers.count], punctuality)
                            progress(turns.note(result, of: turn), trials.count, "trials")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let order = GapVictim.allCases
        return turns.results.sorted {
            (order.firstIndex(of: $0.victim)!, $0.gap) < (order.firstIndex(of: $1.victim)!, $1.gap)
        }
    }

    /// The longest gaps are last, and are taken first, so that no single one is left at the end.
    private func trials(logs: String) throws -> [GapTrial] {
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
        guard let executable = realpath("/proc/self/exe", nil) else {
            throw ChaosError("cannot find the running program")
        }
        defer { free(executable) }
        return options.gaps.flatMap { gap in
            options.victims.map { victim in
                let name = "\(victim.rawValue)-\(gap / .seconds(1))"
                return GapTrial(
                    victim: victim, gap: gap, jobTime: options.jobTime,
                    executable: String(cString: executable), directory: "\(logs)/\(name)")
            }
        }
    }
}
