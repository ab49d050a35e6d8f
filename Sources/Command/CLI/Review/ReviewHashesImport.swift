import Arguments
import CommandSupport
import FoundationEssentials
import Glibc
import Postgres
import Posts

enum ReviewHashesImport {
    static let command = Command(
        "import", "Import a list of known photos, or add hashes to one.",
        discussion: """
            FILE has one PDQ hash a line: 64 hexadecimal digits, in the order in which the reference implementation prints them. \
            A comma, the quality (0 to 100) and more fields may follow. Empty lines, lines that begin with # and a heading \
            that begins with 'hash' or 'pdq' are skipped. Hashes with a quality below 50 are left out, because such pictures \
            resemble each other. If any line is wrong, nothing is imported. If there is a list of this name, it keeps its hashes, \
            and gets the new ones, the action, the distance and the note. Uploads are compared with the list from then on: run \
            'darkroom review hashes check' for what is published already.
            """,
        options: [
            .value("name", "NAME", "the list's name, for moderators (required)"),
            .value("action", "hold|refuse", "hold photos for review, or refuse them (required)"),
            .value(
                "distance", "N", "the most bits of 256 in which a photo may differ, 0 to 31", default: "31"),
            .value("reviewer", "NAME", "your name, for the record", environment: "USER"),
            .value("note", "TEXT", "where the list comes from"),
            Settings.json, Settings.database,
        ],
        positionals: [.required("FILE", "the file; - for standard input")],
        examples: [
            Example(
                "darkroom review hashes import stopncii.csv --name stopncii --action hold --note 'StopNCII, May'",
                "holds photos that are on the list")
        ]
    ) { arguments in
        guard let name = arguments.string("name"), !name.allSatisfy(\.isWhitespace) else {
            throw UsageError("--name is missing: give the list a name, such as --name stopncii")
        }
        guard name.unicodeScalars.count <= 100 else {
            throw UsageError("--name is longer than 100 characters: give the list a shorter name")
        }
        guard let action = try arguments.choice("action", of: HashList.Action.self) else {
            throw UsageError("--action is missing: give --action hold or --action refuse")
        }
        let distance = try arguments.int("distance", in: 0...31) ?? 31
        let person = arguments.string("reviewer").flatMap { $0.isEmpty ? nil : $0 } ?? Settings.userName
        let path = arguments.string("FILE") ?? ""
        let input = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw CommandError("\(path): \(String(cString: strerror(errno)))") }
        defer { if path != "-" { close(input) } }
        let isQuiet = arguments.flag("json")
        let note = arguments.string("note")
        let counts = try await Settings.withPool(arguments) { pool in
            try await pool.withTransaction { transaction in
                let list = try await HashListStore.open(
                    name, action, distance: distance, note: note, by: person, in: transaction)
                let counts = try await read(HashListReader(input), into: list, isQuiet, transaction)
                try await HashListStore.close(list, in: transaction)
                return counts
            }
        }
        if isQuiet {
            Output.line(
                JSON.object([
                    ("name", .string(name)), ("added", .integer(Int64(counts.added))),
                    ("known", .integer(Int64(counts.known))),
                    ("low_quality", .integer(Int64(counts.lowQuality))),
                ]).line)
        }
        Output.note(
            "Added \(counts.added) hashes to the list \(name); it had \(counts.known) of the file's already"
                + (counts.lowQuality > 0
                    ? ", and \(counts.lowQuality) of a quality below 50 were left out." : ".")
                + " For published posts: darkroom review hashes check")
    }

    private struct Counts {
        var added = 0
        var known = 0
        var lowQuality = 0
    }

    /// Bad lines that are named; the others are counted.
    private static let named = 10

    private static func read(
        _ reader: HashListReader, into list: Int64, _ isQuiet: Bool, _ transaction: PostgresConnection
    ) async throws -> Counts {
        var (counts, number, bad, badCount) = (Counts(), 0, [String](), 0)
        var batch: [KnownHash] = []
        let progress =
            !isQuiet && reader.size > 0 && Terminal.isTerminal(STDERR_FILENO)
            ? ProgressLine(label: "Importing") : nil
        func add() async throws {
            let added = try await HashListStore.add(batch, to: list, in: transaction)
            counts.added += added
            counts.known += batch.count - added
            batch.removeAll(keepingCapacity: true)
            progress?.update(done: reader.offset, total: max(reader.size, reader.offset), note: "bytes")
        }
        while let line = try reader.next() {
            number += 1
            switch HashListLine(line) {
            case .nothing: continue
            case .hash(let hash) where hash.quality < KnownHash.leastQuality: counts.lowQuality += 1
            case .hash(let hash): if badCount == 0 { batch.append(hash) }
            case .bad(let what):
                badCount += 1
                if bad.count < named { bad.append("line \(number) \(what)") }
            }
            if batch.count == 10_000 { try await add() }
        }
        progress?.finish("")
        guard badCount == 0 else {
            let more = badCount > bad.count ? "; and \(badCount - bad.count) more" : ""
            throw CommandError(
                "nothing was imported: \(bad.joined(separator: "; "))\(more). Correct these lines, and import again"
            )
        }
        if !batch.isEmpty { try await add() }
        guard counts.added + counts.known + counts.lowQuality > 0 else {
            throw CommandError("nothing was imported: the file has no hash")
        }
        return counts
    }
}
