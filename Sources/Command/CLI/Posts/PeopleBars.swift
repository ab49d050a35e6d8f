import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import Posts

extension PeopleCommand {
    static let bar = Command(
        "bar", "Keep a person from uploading, commenting, voting and reporting.",
        discussion: """
            The person is told the reason. What they have posted stays, and what waits in the queue is still published: see \
            'darkroom jobs cancel --uploader' and 'darkroom review'. Another call changes the reason and the end. Each is kept \
            with your name.
            """,
        options: [
            .value("reason", "TEXT", "what the person is told, at most 200 characters"),
            .value("days", "N", "for how many days (default: until 'darkroom people unbar')"),
            .value("note", "TEXT", "for moderators only"), by, Settings.json, Settings.database,
        ],
        positionals: [personArgument],
        examples: [
            Example(
                "darkroom people bar user-4711 --reason 'Advertising in every post.' --days 7",
                "bars them for a week")
        ]
    ) { arguments in
        let person = try name(arguments)
        guard let reason = arguments.string("reason"), !reason.isEmpty, reason.count <= 200 else {
            throw UsageError("--reason is missing, or longer than 200 characters: the person must know why")
        }
        let days = try arguments.int("days", in: 1...36_500)
        let end = days.map { Date().addingTimeInterval(Double($0) * 86_400) }
        let moderator = JobsReplay.operatorName(arguments)
        try await Settings.withPool(arguments) {
            try await BarStore(pool: $0).bar(
                person, by: moderator, reason: reason, until: end, note: arguments.string("note"))
        }
        if arguments.flag("json") {
            Output.line(
                JSON.object([
                    ("person", .string(person)), ("ends_at", JSON.optional(end) { .string($0.stamp) }),
                ]).line)
        } else {
            Output.note(
                "\(person) is barred \(end.map { "until \($0.shortStamp) UTC" } ?? "until you lift it"). "
                    + "'darkroom people unbar \(person)' ends it.")
        }
    }

    static let unbar = Command(
        "unbar", "End the bar of a person.",
        options: [.value("note", "TEXT", "for moderators only"), by, Settings.json, Settings.database],
        positionals: [personArgument],
        examples: [Example("darkroom people unbar user-4711", "lets them upload and comment again")]
    ) { arguments in
        let person = try name(arguments)
        let moderator = JobsReplay.operatorName(arguments)
        let wasBarred = try await Settings.withPool(arguments) {
            try await BarStore(pool: $0).lift(person, by: moderator, note: arguments.string("note"))
        }
        if arguments.flag("json") {
            Output.line(JSON.object([("person", .string(person)), ("was_barred", .bool(wasBarred))]).line)
        } else {
            Output.note(wasBarred ? "\(person) is not barred any more." : "\(person) was not barred.")
        }
    }

    static let bars = Command(
        "bars", "List who is barred, or all bars of one person.",
        options: [
            .value("limit", "N", "show at most N", default: "50"), Settings.json, Settings.database,
        ],
        positionals: [.optional("PERSON", "show what was decided about this person")],
        examples: [
            Example("darkroom people bars", "lists who is barred now"),
            Example(
                "darkroom people bars user-4711", "shows who barred this person and when, and who ended it"),
        ]
    ) { arguments in
        let limit = try arguments.int("limit", in: 1...10_000) ?? 50
        let person = try arguments.string("PERSON").map { _ in try name(arguments) }
        let bars = try await Settings.withPool(arguments) {
            let store = BarStore(pool: $0)
            return if let person { try await store.bars(of: person) } else {
                try await store.barred(atMost: limit)
            }
        }
        if arguments.flag("json") {
            for bar in bars { Output.line(bar.json.line) }
            return
        }
        guard !bars.isEmpty else {
            return Output.note(person.map { "\($0) was never barred." } ?? "Nobody is barred.")
        }
        var table = TextTable(columns: [
            .init("PERSON"), .init("DECIDED (UTC)"), .init("BY"), .init("UNTIL (UTC)"), .init("REASON"),
            .init("NOTE"),
        ])
        for bar in bars {
            table.add([
                bar.person, bar.decidedAt.shortStamp, bar.decider,
                bar.reason == nil ? "ended" : bar.endsAt?.shortStamp ?? "no end", bar.reason ?? "-",
                bar.note ?? "-",
            ])
        }
        Output.table(table)
    }

    private static let by = Option.value("by", "NAME", "your name, for the record", environment: "USER")
    private static let personArgument = Positional.required(
        "PERSON", "the identifier that the upload API uses as uploader")

    static func name(_ arguments: ParsedArguments) throws -> String {
        let person = arguments.string("PERSON") ?? ""
        guard 1...200 ~= person.count, person != "*" else {
            throw UsageError("the identifier of a person must have 1 to 200 characters and must not be *")
        }
        return person
    }
}

extension Bar {
    fileprivate var json: JSON {
        .object([
            ("person", .string(person)), ("decided_at", .string(decidedAt.stamp)),
            ("decider", .string(decider)),
            ("is_lifted", .bool(reason == nil)), ("reason", JSON.optional(reason) { .string($0) }),
            ("ends_at", JSON.optional(endsAt) { .string($0.stamp) }),
            ("note", JSON.optional(note) { .string($0) }),
        ])
    }
}
