import Arguments
import CommandSupport
import Postgres
import Posts

enum ReviewDecisions {
    static let approve = Command(
        "approve", "Let readers see a held or hidden post, or leave a reported one.",
        discussion: """
            Counts against the records of its reporters, because a review disagreed with them. From then on it takes \
            more reports to hide the post, and earlier reports no longer count. If the post's time is over, it becomes \
            expired instead. If its uploader has deleted it, it is erased.
            """,
        options: options, positionals: [post],
        examples: [
            Example(
                "darkroom review approve 17 --note 'a statue'", "publishes the post, or publishes it again")
        ]
    ) { try await decide($0, .approve) }

    static let remove = Command(
        "remove", "Remove a post, or decline an appeal.",
        discussion: """
            Counts in favour of the records of its reporters, and against the record of its uploader. From then on, \
            similar photos are held for review.
            """,
        options: grounds + options, positionals: [post],
        examples: [
            Example(
                "darkroom review remove 17 --terms 'section 4, spam'", "removes a post that breaks the terms"),
            Example(
                "darkroom review remove 17 --law '§ 201a StGB' --note 'taken in a changing room'",
                "removes an illegal post"),
        ]
    ) { try await decide($0, .remove(ground($0))) }

    static let restore = Command(
        "restore", "Let readers see a removed post again.",
        discussion: """
            Undoes the effect of the removal on the records of its reporters and uploader. If the post's time is over, it \
            becomes expired instead.
            """,
        options: options, positionals: [post],
        examples: [
            Example("darkroom review restore 17 --note 'the appeal is right'", "publishes the post again")
        ]
    ) { try await decide($0, .restore) }

    static let appeal = Command(
        "appeal", "Record an uploader's appeal, and list the post for review.",
        discussion: """
            Works for held, hidden and removed posts. An API calls darkroom.appeal_post(post_id, uploader, text) \
            instead. 'approve' and 'restore' grant an appeal; 'remove' declines it.
            """,
        options: [
            .value("uploader", "ID", "the post's uploader"),
            .value("text", "TEXT", "the uploader's reasons"),
            Settings.json, Settings.database,
        ], positionals: [post],
        examples: [
            Example(
                "darkroom review appeal 17 --uploader user-9 --text 'It is a statue.'", "records an appeal")
        ]
    ) { arguments in
        let post = try ReviewText.post(arguments)
        guard let uploader = arguments.string("uploader"), let text = arguments.string("text") else {
            throw UsageError("give --uploader and --text")
        }
        let appeal = try await Settings.withPool(arguments) { pool in
            do {
                return try await ReviewStore(pool: pool).appeal(post, by: uploader, text: text)
            } catch let error as PostgresError where error.sqlState.map(refusals.contains) == true {
                throw CommandError(error.message)
            }
        }
        if arguments.flag("json") { return Output.line(JSON.object([("appeal_id", .integer(appeal))]).line) }
        Output.line("Appeal \(appeal) on post \(post) is waiting for a decision.")
    }

    private static let refusals: Set<SQLState> = ["P0002", "55000", .uniqueViolation, .checkViolation]
    private static let post = Positional.required("POST", "the post's number")
    static let options: [Option] = [
        .value("note", "TEXT", "your reasons, for the record and the statement of reasons"),
        .value("reviewer", "NAME", "your name, for the record", environment: "USER"),
        .value("seen", "DECISION", "latest decision you have seen; lets you decide right after it"),
        Settings.json, Settings.database,
    ]

    static let grounds: [Option] = [
        .value("law", "PROVISION", "the law that it breaks, for the statement of reasons"),
        .value(
            "terms", "CLAUSE",
            "the clause of the terms that it breaks (default: the terms that the policy names)"),
    ]

    static func ground(_ arguments: ParsedArguments) throws -> RemovalGround {
        let law = arguments.string("law")
        let terms = said("terms", in: arguments)
        guard law == nil || terms == nil else { throw UsageError("give --law or --terms, not both") }
        // A statement of reasons names the law; the terms have a default.
        if law.map(isBlank) == true { throw UsageError("--law names no law, such as '§ 201a StGB'") }
        return law.map { .law($0) } ?? .terms(terms)
    }

    /// The text of an option; nil if it is empty, such as from an unset variable in a script.
    private static func said(_ option: String, in arguments: ParsedArguments) -> String? {
        arguments.string(option).flatMap { isBlank($0) ? nil : $0 }
    }

    private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }

    static func decide(
        _ arguments: ParsedArguments, _ action: ReviewAction, on kind: ModeratedKind = .post
    ) async throws {
        let id = try ReviewText.number(arguments, of: kind)
        let seen = try arguments.int("seen", in: 1...Int.max).map(Int64.init)
        let reviewer = arguments.string("reviewer").flatMap { $0.isEmpty ? nil : $0 } ?? Settings.userName
        let outcome = try await Settings.withPool(arguments) { pool in
            try await ReviewStore(pool: pool).review(
                id, of: kind, action, by: reviewer, note: said("note", in: arguments), seen: seen)
        }
        if arguments.flag("json") {
            return Output.line(
                JSON.object([
                    ("\(kind.rawValue)_id", .integer(id)), ("decision_id", .integer(outcome.decision)),
                    ("state", .string(outcome.state.rawValue)),
                    ("reports_judged", .integer(Int64(outcome.judged))),
                    ("erased", .bool(outcome.isErased)),
                    ("appeal_id", JSON.optional(outcome.appeal) { .integer($0) }),
                ]).line)
        }
        var text =
            "\(kind == .post ? "Post" : "Comment") \(id) is \(outcome.state.rawValue) (decision \(outcome.decision), by \(reviewer))."
        if outcome.isErased {
            text +=
                kind == .post
                ? " Its uploader has deleted it, and now it is erased."
                : " It was deleted, and now its text is erased."
        }
        if outcome.state == .expired { text += " Readers do not see it, because it has expired." }
        if outcome.judged > 0 {
            text +=
                " \(outcome.judged) \(outcome.judged == 1 ? "report counts" : "reports count") in their reporters' records."
        }
        if let appeal = outcome.appeal { text += " Appeal \(appeal) is decided." }
        Output.line(Terminal.printable(text))
        if action.kind == .remove {
            Output.note("For the statement to its author: darkroom review statement \(outcome.decision)")
        }
    }
}
