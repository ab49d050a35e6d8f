import Arguments
import CommandSupport
import Postgres
import Posts

/// `darkroom review approve`, `remove`, `restore` and `appeal`.
enum ReviewDecisions {
    static let approve = Command(
        "approve", "Let readers see a held or hidden post.",
        discussion: """
            Its reporters' records say that a review did not agree with them. From then on the post stands more \
            reports, and those from before count nothing. A post whose time is over meanwhile is expired instead.
            """,
        options: options, positionals: [post],
        examples: [
            Example(
                "darkroom review approve 17 --note 'a statue'", "readers see it again, or for the first time")
        ]
    ) { try await decide($0, .approve) }

    static let remove = Command(
        "remove", "Take a post away, or answer an appeal with no.",
        discussion: """
            Its reporters' records say that a review agreed with them; its uploader's that one more post was removed; \
            and photos like it are held from then on.
            """,
        options: [
            .value("law", "PROVISION", "the law that it breaks, for the statement of reasons"),
            .value(
                "terms", "CLAUSE", "the clause of the terms that it breaks (default: what the policy names)"),
        ] + options, positionals: [post],
        examples: [
            Example("darkroom review remove 17 --terms 'section 4, spam'", "against the terms"),
            Example(
                "darkroom review remove 17 --law '§ 201a StGB' --note 'taken in a changing room'", "illegal"),
        ]
    ) { arguments in
        let law = arguments.string("law")
        let terms = said("terms", in: arguments)
        guard law == nil || terms == nil else { throw UsageError("give --law or --terms, not both") }
        // A statement of reasons names the law; the terms have a default.
        if law.map(isBlank) == true { throw UsageError("--law names no law, such as '§ 201a StGB'") }
        try await decide(arguments, .remove(law.map { .law($0) } ?? .terms(terms)))
    }

    static let restore = Command(
        "restore", "Let readers see a removed post again.",
        discussion: """
            Undoes what the removal did to the records of its reporters and uploader. A post whose time is over meanwhile \
            is expired instead.
            """,
        options: options, positionals: [post],
        examples: [
            Example(
                "darkroom review restore 17 --note 'the appeal is right'", "as if it had not been removed")
        ]
    ) { try await decide($0, .restore) }

    static let appeal = Command(
        "appeal", "Put a held, hidden or removed post back into the list, for its uploader.",
        discussion: """
            As darkroom.appeal_post(post_id, uploader, text) does for an API. approve or restore grants an appeal, \
            remove declines it.
            """,
        options: [
            .value("uploader", "ID", "whose post it is"), .value("text", "TEXT", "what the uploader says"),
            Settings.json, Settings.database,
        ], positionals: [post],
        examples: [
            Example(
                "darkroom review appeal 17 --uploader user-9 --text 'It is a statue.'", "came in by letter")
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
        Output.line("Appeal \(appeal) on post \(post) waits for a decision.")
    }

    private static let refusals: Set<SQLState> = ["P0002", "55000", .uniqueViolation, .checkViolation]
    private static let post = Positional.required("POST", "the post's number")
    private static let options: [Option] = [
        .value("note", "TEXT", "why, for the record and the statement of reasons"),
        .value("reviewer", "NAME", "who decides, for the record", environment: "USER"),
        .value("seen", "DECISION", "the latest decision that you know of, which then is no conflict"),
        Settings.json, Settings.database,
    ]

    /// The text of an option; nil where it has none, as a script's that a variable without a value was given to.
    private static func said(_ option: String, in arguments: ParsedArguments) -> String? {
        arguments.string(option).flatMap { isBlank($0) ? nil : $0 }
    }

    private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }

    private static func decide(_ arguments: ParsedArguments, _ action: ReviewAction) async throws {
        let post = try ReviewText.post(arguments)
        let seen = try arguments.int("seen", in: 1...Int.max).map(Int64.init)
        let reviewer = arguments.string("reviewer").flatMap { $0.isEmpty ? nil : $0 } ?? Settings.userName
        let outcome = try await Settings.withPool(arguments) { pool in
            try await ReviewStore(pool: pool).review(
                post, action, by: reviewer, note: said("note", in: arguments), seen: seen)
        }
        if arguments.flag("json") {
            return Output.line(
                JSON.object([
                    ("post_id", .integer(post)), ("decision_id", .integer(outcome.decision)),
                    ("state", .string(outcome.state.rawValue)),
                    ("reports_judged", .integer(Int64(outcome.judged))),
                    ("appeal_id", JSON.optional(outcome.appeal) { .integer($0) }),
                ]).line)
        }
        var text = "Post \(post) is \(outcome.state.rawValue) (decision \(outcome.decision), by \(reviewer))."
        if outcome.state == .expired { text += " Its time is over: readers do not see it." }
        if outcome.judged > 0 {
            text +=
                " \(outcome.judged) \(outcome.judged == 1 ? "report counts" : "reports count") in their reporters' records."
        }
        if let appeal = outcome.appeal { text += " Appeal \(appeal) is answered." }
        Output.line(Terminal.printable(text))
        if outcome.state == .removed {
            Output.note("What to tell the uploader: darkroom review statement \(outcome.decision)")
        }
    }
}
