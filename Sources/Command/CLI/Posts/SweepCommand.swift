import Arguments
import CommandSupport
import Glibc
import Ingestion
import MediaStore
import Posts

enum SweepCommand {
    static let command = Command(
        "sweep", "Find stored files that nothing refers to, and references to missing files.",
        discussion: """
            Checks every file in the media store against the database, and every reference in the database against the \
            store. Skips recent files, because a running job may be about to refer to them, files that are due for \
            deletion anyway, and originals that an upload may still refer to (setting original_grace). Exits with 1 if it \
            finds something, or if a file cannot be read. With --delete, exits with 1 only if a file is missing or cannot \
            be read or deleted. The schedule 'sweep' runs the same check once a day, deletes nothing and logs what it found.
            """,
        options: [
            .flag("delete", "delete the files that nothing refers to"),
            .value("older-than", "TIME", "skip files stored more recently than this", default: "1d"),
            Settings.json, Settings.database, Settings.media,
        ],
        examples: [
            Example("darkroom sweep", "lists what does not match"),
            Example(
                "darkroom sweep --delete --older-than 7d",
                "deletes files older than a week that nothing refers to"),
        ]
    ) { arguments in
        let age = try arguments.duration("older-than") ?? .seconds(86_400)
        let deletes = arguments.flag("delete")
        let asJSON = arguments.flag("json")
        let interruption = Interruption()
        let tally = try await Settings.withPool(arguments) { pool in
            let total = try await MediaReferenceStore(pool: pool).estimate() * 2
            let progress =
                !asJSON && Terminal.isTerminal(STDERR_FILENO) ? ProgressLine(label: "Sweeping") : nil
            let sweep = MediaSweep(
                pool: pool, media: try Settings.mediaStore(arguments, pool), age: age, deletes: deletes)
            let tally = try await sweep.run { (findings, tally) async throws -> Bool in
                for finding in findings { show(finding, asJSON: asJSON) }
                let done = tally.files + tally.rows
                progress?.update(done: done, total: max(done, total), note: "Ctrl-C stops")
                return !interruption.isAsked
            }
            progress?.finish(interruption.isAsked ? "interrupted" : "")
            return tally
        }
        if asJSON {
            Output.line(tally.json(isComplete: !interruption.isAsked).line)
        } else {
            Output.note(
                "Checked \(tally.files) files and \(tally.rows) references: \(tally.unreferred) files that nothing refers to "
                    + "(\(tally.unreferredBytes) bytes\(deletes ? ", \(tally.deleted) deleted" : "")), "
                    + "\(tally.missing) missing\(tally.faults > 0 ? ", \(tally.faults) could not be read or deleted" : "")."
            )
        }
        if interruption.isAsked { throw ExitCode(interruption.exitCode) }
        if tally.unreferred - tally.deleted + tally.missing + tally.faults > 0 { throw ExitCode(1) }
    }

    private static func show(_ finding: MediaSweep.Finding, asJSON: Bool) {
        if asJSON { return Output.line(finding.json.line) }
        switch finding {
        case .unreferred(let file, let isDeleted):
            Output.line("\(isDeleted ? "deleted" : "unreferred")  \(file.key)  (\(file.byteCount) bytes)")
        case .missing(let file): Output.line("missing  \(file.mediaKey)  (\(file.referrer))")
        case .fault(let error): Output.line("failed  \(Terminal.printable("\(error)"))")
        }
    }
}

extension MediaSweep.Finding {
    fileprivate var json: JSON {
        switch self {
        case .unreferred(let file, let isDeleted):
            .object([
                ("finding", .string("unreferred")), ("path", .string(file.key.path)),
                ("bytes", .integer(file.byteCount)), ("deleted", .bool(isDeleted)),
            ])
        case .missing(let file):
            .object([
                ("finding", .string("missing")), ("path", .string(file.mediaKey)),
                ("referrer", .string(file.referrer)),
            ])
        case .fault(let error):
            .object([
                ("finding", .string("failed")), ("path", .string(error.path)),
                ("message", .string(error.message)),
            ])
        }
    }
}

extension MediaSweep.Tally {
    fileprivate func json(isComplete: Bool) -> JSON {
        .object([
            ("finding", .string("total")), ("files", .integer(Int64(files))), ("rows", .integer(Int64(rows))),
            ("unreferred", .integer(Int64(unreferred))), ("unreferred_bytes", .integer(unreferredBytes)),
            ("deleted", .integer(Int64(deleted))), ("missing", .integer(Int64(missing))),
            ("faults", .integer(Int64(faults))),
            ("complete", .bool(isComplete)),
        ])
    }
}
