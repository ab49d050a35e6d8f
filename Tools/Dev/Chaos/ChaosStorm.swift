import Arguments
import Chaos
import CommandSupport
import Glibc
import Imaging

enum ChaosStorm {
    static let command = Command(
        "storm", "Run a real installation while faults come, and judge what became of every upload.",
        discussion: """
            Real workers with real renderers, PostgreSQL with a standby, and a media store, all of them in /tmp. Uploads come \
            steadily, good and bad ones; some are rolled back, and of some the connection is cut when the commit is on its \
            way. Meanwhile faults come. At the end the exit code is 0 if each upload that was committed has ended exactly \
            once: good ones as one post with all its files, bad ones as rejected for their own reason; and if nothing is \
            left over. A ledger outside of the database says what was committed. Otherwise the exit code is 1, and the \
            command that repeats the storm is printed.

            The seed decides on faults, their moments and lengths, the uploads and their fate, and which of the victims \
            that there are is taken. It does not decide how the system schedules processes.
            """,
        options: [
            .value("seed", "N", "which storm (default: another one each time)"),
            .value("minutes", "M", "how long faults come", default: "1"),
            .repeated(
                "only", "FAULT",
                "only these faults: \(StormFault.allCases.map(\.rawValue).joined(separator: ", "))"),
            .repeated("without", "FAULT", "leave these faults out"),
            .value(
                "kills", "N",
                "so many kills, a third each of workers, renderers and backends, instead of minutes"),
            .value("rate", "R", "kills per second", default: "4"),
            .value("workers", "N", "workers", default: "2"),
            .value(
                "spared", "N",
                "workers that are not killed as a whole (default: 1 with --kills, else 0): others can only take back the jobs of "
                    + "the dead if one lives for 12 s"),
            .value("renderers", "N", "renderers of each worker", default: "1"),
            .value("uploads-per-second", "R", "uploads", default: "4"),
            .value("photos", "DIR", "also upload the JPEGs of this folder"),
            .value("patience", "DURATION", "how long the queue may take to empty afterwards", default: "5m"),
            .value(
                "store", "KIND",
                "where the media store is: directory, or bucket: of an OpenStack Swift that is started for it",
                default: "directory"),
            .value("uploads", "N", "go on until so many uploads are committed, also after the last fault"),
            .flag("asynchronous", "commit without waiting for the standby"),
            .flag("no-standby", "run without a standby, and without its failover"),
            .value("keep", "DIR", "keep the ledger and the workers' logs in this folder"),
            .flag("verbose", "also show every fault"),
        ],
        examples: [
            Example("darkroom-dev chaos storm --seed 7 --minutes 10", "runs storm 7 for ten minutes"),
            Example("darkroom-dev chaos storm --kills 10000 --workers 4", "kills ten thousand processes"),
            Example(
                "darkroom-dev chaos storm --store bucket --uploads 5000 --minutes 10",
                "breaks an object store, and what is between it and the workers"),
        ]
    ) { arguments in
        let seed = try arguments.string("seed").map { text in
            guard let seed = UInt64(text) else { throw UsageError("--seed \(text) is not a whole number") }
            return seed
        }
        try await storm(arguments, seed: seed ?? UInt64.random(in: 1...999_999))
    }

    private static func storm(_ arguments: ParsedArguments, seed: UInt64) async throws {
        let standby = !arguments.flag("no-standby")
        let only = try arguments.choices("only", of: StormFault.self)
        let without = try arguments.choices("without", of: StormFault.self)
        let wanted = (only.isEmpty ? StormFault.allCases : only).filter { !without.contains($0) }
        let store = try arguments.choice("store", of: StormStoreKind.self) ?? .directory
        let (possible, leftOut) = Storm.possible(among: wanted, standby: standby, store: store)
        let minutes = try arguments.double("minutes", in: 0...10_000) ?? 1
        let kills = try arguments.int("kills", in: 1...1_000_000)
        let plan =
            try kills.map {
                StormPlan.kills(
                    $0, rate: try arguments.double("rate", in: 0.01...100) ?? 4, seed: seed, among: only)
            } ?? StormPlan.mixed(possible, for: .seconds(60 * minutes), seed: seed)
        var options = Storm.Options(
            seed: seed, plan: plan, programs: folderOfPrograms,
            pictures: Recipe.standard.renditions.count)
        options.leftOut = kills == nil ? leftOut : []
        options.workers = try arguments.int("workers", in: 1...64) ?? options.workers
        options.spared = try arguments.int("spared", in: 0...64) ?? (kills == nil ? 0 : 1)
        options.renderers = try arguments.int("renderers", in: 1...64) ?? options.renderers
        options.uploadsPerSecond =
            try arguments.double("uploads-per-second", in: 0.01...1000) ?? options.uploadsPerSecond
        options.photos = arguments.string("photos").map(Settings.absolute)
        options.patience = try arguments.duration("patience") ?? options.patience
        options.standby = standby
        options.store = store
        options.uploads = try arguments.int("uploads", in: 0...1_000_000) ?? 0
        options.isSynchronous = !arguments.flag("asynchronous")
        options.keep = arguments.string("keep").map(Settings.absolute)
        Output.note("Storm \(seed): \(plan.scenarios.count) faults.")
        let line = ProgressLine(label: "Faults")
        let run = Storm(options: options) { line.update(done: $0, total: $1, note: $2) }
        try await interruptible {
            let report = try await run.run()
            line.finish("")
            if arguments.flag("verbose") { Output.table(report.happeningsTable) }
            Output.table(report.table)
            for text in report.sentences { Output.line(text) }
            guard !report.verdict.isKept else { return }
            Output.note(
                "Repeat it with: \(CommandLine.arguments.joined(separator: " "))\(arguments.string("seed") == nil ? " --seed \(seed)" : "")"
            )
            throw ExitCode(1)
        }
    }

    /// That of this program.
    private static var folderOfPrograms: String {
        guard let path = realpath("/proc/self/exe", nil) else { return "/usr/bin" }
        defer { free(path) }
        return String(cString: path).split(separator: "/").dropLast().map { "/\($0)" }.joined()
    }
}
