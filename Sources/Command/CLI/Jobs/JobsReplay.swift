import Arguments
import CommandSupport
import JobQueue
import JobStore

/// `darkroom jobs replay` and `darkroom jobs discard`: what to do with jobs that did not succeed.
enum JobsReplay {
    static let replay = Command(
        "replay", "Send jobs that did not succeed round again.",
        discussion: """
            By number, or every rejected and failed job that matches; a filter then is required, and --state alone \
            is one. Cancelled and discarded jobs are replayed only by number or with --state cancelled.

            The jobs wait again under their numbers and keep the history of their attempts; failures and crashes \
            are counted anew. Who replayed what, when and why is recorded: see 'darkroom jobs show'. Jobs go in \
            pages, oldest first; Ctrl-C stops between two pages. A job that fails again meanwhile is not taken twice.
            """,
        options: JobFilterOptions.options(states: replayable)
            + BulkOrder.options(
                limit: "at most so many, oldest first") + author + [Settings.json, Settings.database],
        positionals: [JobFilterOptions.numbers],
        examples: [
            Example("darkroom jobs replay 17 18", "these two"),
            Example("darkroom jobs replay --state failed --dry-run", "what would be replayed, by reason"),
            Example(
                "darkroom jobs replay --reason storage_unavailable --since 3h --rate 20 --why 'disk replaced'",
                "what one outage left behind, twenty a second"),
        ]
    ) { arguments in
        let why = arguments.string("why")
        let by = operatorName(arguments)
        try await BulkOrder.run(arguments, states: replayable, usual: [.rejected, .failed]) { store, filter in
            order("replay", "replayed", store, filter) { try await store.replay($0, by: by, why: why) }
        }
    }

    static let discard = Command(
        "discard", "Mark jobs that did not succeed as not worth a replay.",
        discussion: """
            By number, or every rejected and failed job that matches; a filter then is required, and --state alone \
            is one. Discarded jobs are cancelled, with the reason 'discarded' and what they had ended with in the \
            message, and no longer come up among those that failed. They can still be replayed by number.
            """,
        options: JobFilterOptions.options(states: [.rejected, .failed])
            + BulkOrder.options(
                limit: "at most so many, oldest first") + author + [Settings.json, Settings.database],
        positionals: [JobFilterOptions.numbers],
        examples: [
            Example("darkroom jobs discard 17 --why 'user deleted the account'", "this one"),
            Example("darkroom jobs discard --reason no_location --before 7d", "whose users gave up"),
        ]
    ) { arguments in
        let why = arguments.string("why")
        let by = operatorName(arguments)
        try await BulkOrder.run(arguments, states: [.rejected, .failed]) { store, filter in
            order("discard", "discarded", store, filter) { try await store.discard($0, by: by, why: why) }
        }
    }

    private static let replayable = JobState.allCases.filter { $0.after(.replay) != nil }

    private static let author: [Option] = [
        .value("why", "TEXT", "the reason, for the record"),
        .value("by", "NAME", "who does it, for the record", environment: "USER"),
    ]

    private static func operatorName(_ arguments: ParsedArguments) -> String {
        arguments.string("by").flatMap { $0.isEmpty ? nil : $0 } ?? Settings.userName
    }

    private static func order(
        _ verb: String, _ participle: String, _ store: JobStore, _ filter: JobFilter,
        apply: @escaping ([JobID]) async throws -> [JobID]
    ) -> BulkOrder {
        BulkOrder(
            verb: verb, participle: participle,
            count: {
                filter.ids.isEmpty ? try await store.countUnsuccessful(filter) : try await store.count(filter)
            },
            pages: {
                var cursor: UnsuccessfulJob?
                return { limit in
                    let page = try await store.unsuccessful(filter, after: cursor, limit: limit)
                    cursor = page.last ?? cursor
                    return page.map(BulkOrder.Candidate.init)
                }
            }, apply: apply)
    }
}
