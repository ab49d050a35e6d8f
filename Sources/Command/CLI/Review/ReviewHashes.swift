import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import Glibc
import Posts

/// Lists of the hashes of known photos.
enum ReviewHashes {
    static let command = Command(
        "hashes", "Keep lists of known photos that uploads are held or refused for.",
        discussion: """
            Organisations such as StopNCII and NCMEC share lists of PDQ hashes: 256 bits of a photo that its copies share, too. \
            Each new photo is compared with every list. A list holds it for review, or refuses it. Import a list, then check \
            the posts that are already published.
            """,
        subcommands: [ReviewHashesImport.command, list, remove, check, refusals])

    private static let list = Command(
        "list", "List the lists of known photos.",
        options: [Settings.json, Settings.database],
        examples: [Example("darkroom review hashes list", "shows each list with its action and size")]
    ) { arguments in
        let lists = try await Settings.withPool(arguments) { try await HashListStore(pool: $0).lists() }
        if arguments.flag("json") {
            for one in lists { Output.line(one.json.line) }
            return
        }
        guard !lists.isEmpty else {
            return Output.note("There is no list: 'darkroom review hashes import' adds one.")
        }
        var table = TextTable(columns: [
            .init("NAME"), .init("ACTION"), .init("DISTANCE", .right), .init("HASHES", .right),
            .init("ADDED BY"),
            .init("ADDED (UTC)"), .init("NOTE"),
        ])
        for one in lists {
            table.add([
                one.name, one.action.rawValue, String(one.distance), String(one.hashes), one.addedBy,
                one.addedAt.shortStamp, one.note ?? "-",
            ])
        }
        Output.table(table)
    }

    private static let remove = Command(
        "remove", "Remove a list with its hashes.",
        discussion: """
            From then on its photos can be published. Posts that the list has put into the review list stay there until you \
            decide on them.
            """,
        options: [Settings.database],
        positionals: [.required("NAME", "the list's name")],
        examples: [Example("darkroom review hashes remove stopncii", "removes the list stopncii")]
    ) { arguments in
        let name = arguments.string("NAME") ?? ""
        let isRemoved = try await Settings.withPool(arguments) {
            try await HashListStore(pool: $0).remove(name)
        }
        guard isRemoved else { throw noList(name) }
        Output.note("Removed the list \(name).")
    }

    private static let check = Command(
        "check", "Compare the posts that there are with the lists.",
        discussion: """
            Hides published posts whose photos are on a list, and puts them into the review list, whether the list holds or \
            refuses photos: a person decides. Works in batches. Ctrl-C stops after the current \
            batch and says how to go on. Run it after an import; photos that are in work during the import are compared with \
            the new list, too. A post that a person has approved after a list had found it is not hidden for the same list \
            again.
            """,
        options: [
            .value("list", "NAME", "compare with this list only"),
            .value("after", "POST", "only posts with higher numbers", default: "0"),
            .value("batch", "N", "posts compared at once", default: "100"),
            Settings.json, Settings.database,
        ],
        examples: [
            Example("darkroom review hashes check", "compares every post with every list"),
            Example(
                "darkroom review hashes check --list stopncii", "compares every post with the list stopncii"),
        ]
    ) { arguments in
        let batch = try arguments.int("batch", in: 1...10_000) ?? 100
        let start = Int64(try arguments.int("after", in: 0...Int.max) ?? 0)
        let name = arguments.string("list")
        try await Settings.withPool(arguments) { pool in
            let store = HashListStore(pool: pool)
            let list: Int64? = if let name { try await store.list(named: name) } else { nil }
            if let name, list == nil { throw noList(name) }
            let total = try await store.lastPost()
            let interruption = Interruption()
            let progress =
                !arguments.flag("json") && total > start && Terminal.isTerminal(STDERR_FILENO)
                ? ProgressLine(label: "Checking") : nil
            var found = HashCheck()
            var last = start
            while !interruption.isAsked,
                let next = try await store.check(
                    after: last, atMost: batch, against: list, adding: &found)
            {
                last = next
                progress?.update(
                    done: Int(last - start), total: Int(max(total, last) - start), note: "Ctrl-C stops")
            }
            progress?.finish(interruption.isAsked ? "interrupted" : "")
            if arguments.flag("json") {
                Output.line(
                    JSON.object([
                        ("examined", .integer(Int64(found.examined))),
                        ("listed", .integer(Int64(found.listed))),
                        ("hidden", .integer(Int64(found.hidden))), ("last_post", .integer(last)),
                    ]).line)
            }
            Output.note(
                "Compared \(posts(found.examined)): \(found.listed) on a list and in the review list now, "
                    + "\(found.hidden) of them hidden.")
            if interruption.isAsked {
                Output.note("Interrupted: go on with --after \(last).")
                throw ExitCode(interruption.exitCode)
            }
        }
    }

    private static let refusals = Command(
        "refusals", "List the uploads that were refused because of a list, the latest first.",
        discussion:
            "Their uploaders are told that the photo cannot be published, but not which list it is on.",
        options: [
            .value("limit", "N", "show at most N", default: "50"), Settings.json, Settings.database,
        ],
        examples: [Example("darkroom review hashes refusals", "lists the latest 50")]
    ) { arguments in
        let limit = try arguments.int("limit", in: 1...10_000) ?? 50
        let found = try await Settings.withPool(arguments) {
            try await HashListStore(pool: $0).refusals(limit: limit)
        }
        if arguments.flag("json") {
            for one in found { Output.line(one.json.line) }
            return
        }
        guard !found.isEmpty else { return Output.note("No upload was refused because of a list.") }
        var table = TextTable(columns: [
            .init("JOB", .right), .init("AT (UTC)"), .init("UPLOADER"), .init("LIST"),
            .init("DISTANCE", .right),
        ])
        for one in found {
            table.add([
                String(one.job), one.at.shortStamp, one.uploader, one.match.name,
                String(one.match.distance),
            ])
        }
        Output.table(table)
    }

    static func noList(_ name: String) -> CommandError {
        CommandError("there is no list \(name): 'darkroom review hashes list' shows their names")
    }

    private static func posts(_ count: Int) -> String { count == 1 ? "1 post" : "\(count) posts" }
}

extension HashList {
    fileprivate var json: JSON {
        .object([
            ("name", .string(name)), ("action", .string(action.rawValue)),
            ("distance", .integer(Int64(distance))), ("hashes", .integer(Int64(hashes))),
            ("note", JSON.optional(note) { .string($0) }), ("added_by", .string(addedBy)),
            ("added_at", .string(addedAt.stamp)),
        ])
    }
}

extension HashRefusal {
    fileprivate var json: JSON {
        .object([
            ("job_id", .integer(job)), ("upload_id", .integer(upload)), ("uploader", .string(uploader)),
            ("list", .string(match.name)), ("distance", .integer(Int64(match.distance))),
            ("refused_at", .string(at.stamp)),
        ])
    }
}
