import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import JobStore
import Postgres
import Posts

enum PeopleCommand {
    static let command = Command(
        "people", "Bar a person, or erase what is stored about one.",
        subcommands: [bar, unbar, bars, erase, showErasures])

    private static let erase = Command(
        "erase", "Erase everything that is stored about a person.",
        discussion: """
            Erases posts with their pictures, originals and exact coordinates, votes, comments and reports. The command \
            queues the order, and a worker carries it out. Records that must stay, such as the moderation log, show a \
            random pseudonym from then on. This cannot be undone: it shows what is stored first, and asks on a terminal.
            """,
        options: [
            .flag("dry-run", "only count what would be erased"),
            .flag("yes", "erase without a question"),
            .value("by", "NAME", "your name, for the record", environment: "USER"),
            Settings.json, Settings.database,
        ],
        positionals: [.required("PERSON", "the identifier that the upload API uses as uploader")],
        examples: [
            Example("darkroom people erase user-4711 --dry-run", "counts what is stored about this person"),
            Example("darkroom people erase user-4711", "erases it, after a question"),
        ]
    ) { arguments in
        let person = try name(arguments)
        let by = JobsReplay.operatorName(arguments)
        let isJSON = arguments.flag("json")
        let traces = try await Settings.withPool(arguments) {
            try await PersonStore(pool: $0).traces(of: person)
        }
        if !isJSON {
            var table = TextTable(columns: [.init("STORED"), .init("ROWS", .right)])
            for trace in traces { table.add([trace.what, String(trace.rows)]) }
            Output.table(table)
        }
        var order: Int64?
        if !arguments.flag("dry-run") {
            guard arguments.flag("yes") || Question.isApproved("Erase all of this? It cannot be undone.")
            else { throw CommandError("nothing was erased") }
            order = try await Settings.withPool(arguments) { pool in
                var action = OperatorAction("erase person", of: nil, by: by)
                action.uploader = person
                return try await OperatorActions(JobStore(pool: pool)).record(action) {
                    try await PersonStore(pool: pool).erase(person, requestedBy: by)
                }
            }
        }
        if isJSON {
            let counts = traces.map { ($0.what, JSON.integer(Int64($0.rows))) }
            Output.line(JSON.object([("erasure_id", JSON.optional(order) { .integer($0) })] + counts).line)
        } else if let order {
            Output.note("Erasure \(order) is queued: 'darkroom people show-erasures' shows its progress.")
        } else {
            Output.note("Nothing was erased.")
        }
    }

    private static let showErasures = Command(
        "show-erasures", "List erasures and their progress, latest first.",
        options: [.value("limit", "N", "show at most N", default: "50"), Settings.json, Settings.database],
        examples: [Example("darkroom people show-erasures", "shows running and finished erasures")]
    ) { arguments in
        let limit = try arguments.int("limit", in: 1...10_000) ?? 50
        let erasures = try await Settings.withPool(arguments) {
            try await PersonStore(pool: $0).erasures(limit: limit)
        }
        if arguments.flag("json") {
            for erasure in erasures { Output.line(erasure.json.line) }
            return
        }
        guard !erasures.isEmpty else { return Output.note("There are no erasures.") }
        var table = TextTable(columns: [
            .init("ERASURE", .right), .init("STATE"), .init("ORDERED (UTC)"), .init("FINISHED (UTC)"),
            .init("ERASED SO FAR"),
        ])
        for erasure in erasures {
            table.add([
                String(erasure.id), erasure.state.rawValue, erasure.requestedAt.shortStamp,
                erasure.finishedAt?.shortStamp ?? "-",
                erasure.counts.filter { $0.rows > 0 }.map { "\($0.rows) \($0.what)" }.joined(separator: ", "),
            ])
        }
        Output.table(table)
    }
}

extension PersonErasure {
    fileprivate var json: JSON {
        .object(
            [
                ("erasure_id", .integer(id)), ("person", JSON.optional(person) { .string($0) }),
                ("state", .string(state.rawValue)),
                ("requested_by", JSON.optional(requestedBy) { .string($0) }),
                ("requested_at", .string(requestedAt.stamp)),
                ("finished_at", JSON.optional(finishedAt) { .string($0.stamp) }),
            ] + counts.map { ($0.what, JSON.integer(Int64($0.rows))) })
    }
}
