import Arguments
import Chaos
import CommandSupport
import Glibc
import Threads

enum ChaosGaps {
    static let command = Command(
        "gaps", "Stall each victim for every length of time, and count what became of the jobs.",
        discussion: """
            Each trial has a database, two workers and 24 jobs. One victim stalls for the gap while the jobs run: the \
            process of a worker, every process of the server, or a worker's connections, which afterwards go on \
            (connection) or are cut (cut). 20 seconds after the gap every job must be finished, none twice, none \
            quarantined and none with a failure counted, and no lease may be left once the workers have stopped. Then \
            the exit code is 0, else 1. Trials run side by side, on PostgreSQL servers in /tmp that are theirs alone. If the \
            harness itself is more than two seconds late, the trial is run again. If it is late each time, the machine is \
            too busy to judge, and the exit code is 75.
            """,
        options: [
            .repeated(
                "victim", "NAME",
                "stall only these: \(GapVictim.allCases.map(\.rawValue).joined(separator: ", "))"),
            .value("from", "DURATION", "shortest gap", default: "0s"),
            .value("to", "DURATION", "longest gap", default: "30s"),
            .value("step", "DURATION", "difference between two gaps", default: "500ms"),
            .value("job-time", "DURATION", "how long a job takes", default: "3s"),
            .value("at-once", "N", "trials at the same time (default: 12 per core)"),
            .value("logs", "DIR", "keep what the workers logged below this folder"),
            .flag("verbose", "also show every trial"), Settings.json,
        ],
        examples: [
            Example("darkroom-dev chaos gaps", "takes about six minutes on two cores"),
            Example("darkroom-dev chaos gaps --victim cut --from 8s --to 13s --verbose", "looks closer"),
        ]
    ) { arguments in
        var options = GapSweep.Options()
        let victims = try arguments.choices("victim", of: GapVictim.self)
        if !victims.isEmpty { options.victims = victims }
        options.from = try arguments.duration("from") ?? options.from
        options.to = try arguments.duration("to") ?? options.to
        options.step = max(.milliseconds(1), try arguments.duration("step") ?? options.step)
        options.jobTime = try arguments.duration("job-time") ?? options.jobTime
        options.atOnce = try arguments.int("at-once", in: 1...200) ?? 12 * UsableCores.count
        options.logs = arguments.string("logs").map(Settings.absolute)
        let line = ProgressLine(label: "Stalling")
        let sweep = GapSweep(options: options) { line.update(done: $0, total: $1, note: $2) }
        try await interruptible {
            let results = try await sweep.run()
            line.finish("trials")
            if arguments.flag("json") {
                for result in results { Output.line(result.json.line) }
            } else {
                if arguments.flag("verbose") { Output.table(GapResult.table(of: results)) }
                Output.table(GapResult.summary(of: results))
            }
            report(results)
            guard results.allSatisfy(\.isKept) else {
                // 75 is EX_TEMPFAIL of sysexits(3).
                throw ExitCode(results.allSatisfy { $0.isKept || $0.isVoid } ? 75 : 1)
            }
        }
    }

    /// Says what was wrong, and whether the machine could keep up.
    private static func report(_ results: [GapResult]) {
        var load = [0.0, 0, 0]
        getloadavg(&load, 3)
        let latest = results.map(\.delay).max() ?? .zero
        Output.note(
            "The harness was at most \(latest.shortText) late, \(results.reduce(0) { $0 + $1.repeats }) trials were "
                + "run again, and the load of the last five minutes was \(Int(load[1])) on \(UsableCores.count) cores."
        )
        for result in results where !result.isKept {
            Output.note(
                result.isVoid
                    ? "\(result.name): the harness was \(result.delay.shortText) late each time; use a lower --at-once"
                    : "\(result.name): broke the guarantee: \(result.json.line)")
        }
    }
}
