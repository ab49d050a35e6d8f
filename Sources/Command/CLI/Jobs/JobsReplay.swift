import Arguments
import CommandSupport
import JobQueue
import JobStore

enum JobsReplay {
    static let replay = Command(
        "replay", "Run unsuccessful jobs again.",
        discussion: """
            Give job numbers, or a filter to replay every rejected and failed job that matches it; --state alone is a \
            filter. To replay cancelled and discarded jobs, give their numbers or --state cancelled.

            The jobs go back into the queue, oldest first. They keep their numbers and the history of their attempts; \
            the counts of failures and crashes start at zero. 'darkroom jobs show' shows who replayed a job, when and \
            why. Ctrl-C stops after the current batch. A job that fails again meanwhile is not replayed twice.
            """,
        options: JobFilterOptions.options(states: BulkAction.replay.states)
            + BulkOrder.options(
                limit: "at most N jobs, oldest first") + author + [
                Settings.json, Settings.database,
            ],
        positionals: [JobFilterOptions.numbers],
        examples: [
            Example("darkroom jobs replay 17 18", "replays these two"),
            Example("darkroom jobs replay --state failed --dry-run", "counts the jobs by reason"),
            Example(
                "darkroom jobs replay --reason storage_unavailable --since 3h --rate 20 --why 'disk replaced'",
                "replays what one outage left behind, 20 jobs per second"),
        ]
    ) { arguments in
        try await BulkOrder.run(arguments, .replay)
    }

    static let discard = Command(
        "discard", "Give up on unsuccessful jobs.",
        discussion: """
            Give job numbers, or a filter to discard every rejected and failed job that matches it; --state alone is a \
            filter. Discarded jobs become cancelled with the reason 'discarded', and the message keeps the earlier \
            reason. They no longer appear among the failed jobs. You can still replay them by number.
            """,
        options: JobFilterOptions.options(states: BulkAction.discard.states)
            + BulkOrder.options(
                limit: "at most N jobs, oldest first") + author + [
                Settings.json, Settings.database,
            ],
        positionals: [JobFilterOptions.numbers],
        examples: [
            Example("darkroom jobs discard 17 --why 'user deleted the account'", "discards job 17"),
            Example("darkroom jobs discard --reason no_location --before 7d", "discards old jobs"),
        ]
    ) { arguments in
        try await BulkOrder.run(arguments, .discard)
    }

    static let author: [Option] = [
        .value("why", "TEXT", "the reason, for the record"),
        .value("by", "NAME", "your name, for the record", environment: "USER"),
    ]

    static func operatorName(_ arguments: ParsedArguments) -> String {
        arguments.string("by").flatMap { $0.isEmpty ? nil : $0 } ?? Settings.userName
    }
}
