import Arguments
import CommandSupport
import Ingestion
import MediaStore
import Posts

/// What a sweep prints.
struct SweepReport {
    let asJSON: Bool
    let deletes: Bool

    func show(_ finding: MediaSweep.Finding) {
        if asJSON { return Output.line(JSON.object(finding.fields).line) }
        // The name of a file may have ends of lines, too.
        Output.line(Terminal.printable(text(finding)))
    }

    func show(_ left: SweepRepair.Left) {
        let file = left.file
        if asJSON {
            return Output.line(
                JSON.object([
                    ("finding", .string("left")), ("path", .string(file.mediaKey)),
                    ("referrer", .string("\(file.referrer)")), ("message", .string(left.why)),
                ]).line)
        }
        Output.line(Terminal.printable("left  \(file.mediaKey)  (\(file.referrer)): \(left.why)"))
    }

    private func text(_ finding: MediaSweep.Finding) -> String {
        switch finding {
        case .unreferred(let file, let isDeleted):
            "\(isDeleted ? "deleted" : "unreferred")  \(file.key)  (\(file.byteCount) bytes)"
        case .missing(let file): "missing  \(file.mediaKey)  (\(file.referrer))\(advice(file))"
        case .damaged(let file, let damage):
            "damaged  \(file.mediaKey)  (\(file.referrer)): \(damage)\(advice(file))"
        case .fault(let error): "failed  \(error)"
        }
    }

    /// An original cannot be made again.
    private func advice(_ file: ReferredFile) -> String {
        if case .original = file.referrer {
            "; restore it from a backup, or store the photo again"
        } else {
            ""
        }
    }

    /// - Parameter rerendered: how many posts were rendered again or should have been; nil without `--verify`.
    func summarise(_ tally: MediaSweep.Tally, rerendered posts: Int?, left: Int, isComplete: Bool) {
        if asJSON {
            return Output.line(tally.json(posts: posts, left: left, isComplete: isComplete).line)
        }
        var parts = [
            "\(tally.unreferred) files that nothing refers to (\(tally.unreferredBytes) bytes"
                + "\(deletes ? ", \(tally.deleted) deleted" : ""))",
            "\(tally.missing) missing",
        ]
        if tally.bytesRead > 0 { parts.append("\(tally.damaged) damaged") }
        if tally.faults > 0 { parts.append("\(tally.faults) could not be read or deleted") }
        Output.note(
            "Checked \(tally.files) files and \(tally.rows) references: \(parts.joined(separator: ", "))."
                + (tally.bytesRead > 0 ? " Read \(tally.bytesRead) bytes." : ""))
        guard let posts, posts > 0 else { return }
        Output.note(
            isComplete
                ? "\(posts) posts were to be rendered again; \(left) of their pictures are still missing or damaged."
                : "The jobs that were enqueued go on. Run the command again for the rest.")
    }
}

extension MediaSweep.Finding {
    fileprivate var fields: [(String, JSON)] {
        switch self {
        case .unreferred(let file, let isDeleted):
            [
                ("finding", .string("unreferred")), ("path", .string(file.key.path)),
                ("bytes", .integer(file.byteCount)), ("deleted", .bool(isDeleted)),
            ]
        case .missing(let file):
            [
                ("finding", .string("missing")), ("path", .string(file.mediaKey)),
                ("referrer", .string("\(file.referrer)")),
            ]
        case .damaged(let file, let damage):
            [
                ("finding", .string("damaged")), ("path", .string(file.mediaKey)),
                ("referrer", .string("\(file.referrer)")), ("message", .string(damage)),
            ]
        case .fault(let error):
            [
                ("finding", .string("failed")), ("path", .string(error.path)),
                ("message", .string(error.message)),
            ]
        }
    }
}

extension MediaSweep.Tally {
    fileprivate func json(posts: Int?, left: Int, isComplete: Bool) -> JSON {
        .object([
            ("finding", .string("total")), ("files", .integer(Int64(files))), ("rows", .integer(Int64(rows))),
            ("unreferred", .integer(Int64(unreferred))), ("unreferred_bytes", .integer(unreferredBytes)),
            ("deleted", .integer(Int64(deleted))), ("missing", .integer(Int64(missing))),
            ("damaged", .integer(Int64(damaged))), ("bytes_read", .integer(bytesRead)),
            ("rerendered", JSON.optional(posts) { .integer(Int64($0)) }), ("left", .integer(Int64(left))),
            ("faults", .integer(Int64(faults))),
            ("complete", .bool(isComplete)),
        ])
    }
}
