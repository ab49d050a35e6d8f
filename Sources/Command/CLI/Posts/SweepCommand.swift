import Arguments
import CommandSupport
import Glibc
import Ingestion
import JobStore
import MediaStore
import Posts

enum SweepCommand {
    static let command = Command(
        "sweep", "Find stored files that nothing refers to, and references to missing or damaged files.",
        discussion: """
            Checks every file in the media store against the database, and every reference in the database against the \
            store. Skips recent files, because a running job may be about to refer to them, files that are due for \
            deletion anyway, and originals that an upload may still refer to (setting original_grace). The schedule \
            'sweep' runs the same check once a day and logs what it found. It deletes originals that no upload has come to \
            refer to within settings.unclaimed_days, and nothing else.

            With --verify, also reads every file that something refers to, and compares its bytes with their SHA-256. \
            A post whose picture is missing or damaged is rendered again from its original by the workers, after all \
            other jobs. The command waits for that and then looks at the post again. What cannot be rendered again, \
            because the original is gone or damaged too, stays as it is and is listed. You can stop the command at any \
            time and start it again: it begins with the first post.

            Exits with 1 if it finds something, even if that was rendered again, or if a file cannot be read. With \
            --delete, files that were deleted do not count.
            """,
        options: [
            .flag("delete", "delete the files that nothing refers to"),
            .flag(
                "verify", "read every file, and render the posts again whose pictures are missing or damaged"),
            .flag("dry-run", "with --delete or --verify, only list what was found"),
            .value("older-than", "TIME", "skip files stored more recently than this", default: "1d"),
            .value("rate", "MB", "with --verify, read at most this many megabytes a second", default: "20"),
            .value("window", "N", "with --verify, enqueue at most N jobs at a time", default: "20"),
            Settings.json, Settings.database, Settings.media,
        ],
        examples: [
            Example("darkroom sweep", "lists what does not match"),
            Example(
                "darkroom sweep --delete --older-than 7d",
                "deletes files older than a week that nothing refers to"),
            Example("darkroom sweep --verify --dry-run", "reads every file and lists the damaged ones"),
            Example("darkroom sweep --verify --rate 100", "also renders again what is missing or damaged"),
        ]
    ) { arguments in
        let age = try arguments.duration("older-than") ?? .seconds(86_400)
        let verifies = arguments.flag("verify")
        let changes = !arguments.flag("dry-run")
        let deletes = arguments.flag("delete") && changes
        let megabytes = try arguments.double("rate", in: 0.001...1_000_000) ?? 20
        let window = try arguments.int("window", in: 1...100_000) ?? 20
        let report = SweepReport(asJSON: arguments.flag("json"), deletes: deletes)
        let interruption = Interruption()
        let (tally, repair, left) = try await Settings.withPool(arguments) { pool in
            if deletes { try await Settings.requireResponse(arguments) }
            let total = try await MediaReferenceStore(pool: pool).estimate() * 2
            let progress =
                !report.asJSON && Terminal.isTerminal(STDERR_FILENO)
                ? ProgressLine(label: verifies ? "Verifying" : "Sweeping") : nil
            let sweep = MediaSweep(
                pool: pool, media: try Settings.mediaStore(arguments, pool), age: age, deletes: deletes,
                verifies: verifies)
            var repair =
                verifies && changes
                ? SweepRepair(
                    RerenderingStore(pool: pool), JobStore(pool: pool), window: window, interruption)
                : nil
            let pace = Pace(perSecond: megabytes * 1_000_000)
            let tally = try await sweep.run { (findings, tally) async throws -> Bool in
                findings.forEach(report.show)
                try await repair?.add(findings)
                let done = tally.files + tally.rows
                progress?.update(done: done, total: max(done, total), note: "Ctrl-C stops")
                await interruption.sleep(until: pace.due(after: Int(tally.bytesRead)))
                return !interruption.isAsked
            }
            progress?.finish(interruption.isAsked ? "interrupted" : "")
            let left = try await repair?.finish(sweep) ?? []
            left.forEach(report.show)
            return (tally, repair, left)
        }
        report.summarise(
            tally, rerendered: repair?.posts.count, left: left.count, isComplete: !interruption.isAsked)
        if interruption.isAsked { throw ExitCode(interruption.exitCode) }
        if tally.unreferred - tally.deleted + tally.missing + tally.damaged + tally.faults > 0 {
            throw ExitCode(1)
        }
    }
}
