import Arguments
import CommandSupport
import FoundationEssentials
import Posts

enum ReviewExport {
    static let command = Command(
        "export", "Print the statements of reasons of a period, for the DSA Transparency Database.",
        discussion: """
            Prints one JSON object a line for each decision that hid, held or removed a post or comment, in their order, with the fields \
            of 'darkroom review statement --json'. What you send must not contain personal data: look at your notes first.
            """,
        options: [
            .value("since", "TIME", "decisions from this time on, or younger than this age (required)"),
            .value("until", "TIME", "decisions before this time, or older than this age (default: now)"),
            Settings.database,
        ],
        examples: [
            Example(
                "darkroom review export --since 2026-01-01T00:00:00Z --until 2026-02-01T00:00:00Z",
                "prints the statements of January"),
            Example("darkroom review export --since 1d", "prints those of the last day"),
        ]
    ) { arguments in
        guard let since = try JobFilterOptions.moment("since", arguments) else {
            throw UsageError("--since needs a time or an age, such as 30d")
        }
        let until = try JobFilterOptions.moment("until", arguments) ?? Date()
        try await Settings.withPool(arguments) { pool in
            try await DecisionStore(pool: pool).statementsOfReasons(since: since, until: until) {
                Output.line($0.record.json.line)
            }
        }
    }
}
