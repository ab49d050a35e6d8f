import Arguments
import CommandSupport
import JobQueue
import JobStore

/// `darkroom jobs`: what operators ask of single jobs, and of all that match a filter.
enum JobsCommand {
    static let command = Command(
        "jobs", "Look at jobs, replay them, cancel them.",
        discussion: """
            Jobs are named by their numbers or by what they have in common: state, kind, queue, reason, text, \
            uploader, time. All conditions must hold; an option that is given twice means either.
            """,
        subcommands: [
            list, JobsShow.command, JobsReplay.replay, cancel, JobsReplay.discard, JobsExport.command,
        ])

    private static let list = Command(
        "list", "List jobs, newest first.",
        options: JobFilterOptions.options(states: JobState.allCases) + [
            .value("limit", "N", "at most so many", default: "50"), Settings.json, Settings.database,
        ],
        positionals: [JobFilterOptions.numbers],
        examples: [
            Example("darkroom jobs list", "the latest fifty"),
            Example("darkroom jobs list --state failed --state rejected", "what was not published, and why"),
            Example("darkroom jobs list --uploader user-17 --since 2h", "what became of a user's photos"),
            Example("darkroom jobs list --text 'no space left'", "whose error says so"),
        ]
    ) { arguments in
        let filter = try JobFilterOptions.filter(arguments)
        let limit = try arguments.int("limit", in: 1...100_000) ?? 50
        // One more than is shown tells whether there are more.
        let jobs = try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            try await JobFilterOptions.checkQueue(filter.queue, store)
            return try await store.jobs(filter, limit: limit + 1)
        }
        if arguments.flag("json") {
            for job in jobs.prefix(limit) { Output.line(job.json.line) }
            return
        }
        guard !jobs.isEmpty else { return Output.note("There is no such job.") }
        var table = TextTable(columns: [
            .init("JOB", .right), .init("KIND"), .init("QUEUE"), .init("STATE"), .init("TRIES", .right),
            .init("UPLOADER"), .init("ENQUEUED (UTC)"), .init("REASON"), .init("MESSAGE"),
        ])
        for job in jobs.prefix(limit) {
            table.add([
                job.id.description, job.kind.rawValue, job.queue, job.state.rawValue, String(job.attempt),
                job.fairKey, job.createdAt.shortStamp, job.reason?.code ?? "-",
                job.reason?.message ?? job.stage.map { "now: \($0)" } ?? "-",
            ])
        }
        Output.table(table)
        if jobs.count > limit {
            Output.note("There are more: narrow them down, or raise --limit \(limit).")
        }
    }

    private static let cancel = Command(
        "cancel", "Cancel jobs that wait, and ask the workers of running ones to stop.",
        discussion: """
            By number, or every unfinished job that matches; a filter then is required, and --state alone is one. \
            Running jobs stop within a few seconds; what they had begun is undone.
            """,
        options: JobFilterOptions.options(states: unfinished)
            + BulkOrder.options(
                limit: "at most so many, newest first") + [
                Settings.json, Settings.database,
            ],
        positionals: [JobFilterOptions.numbers],
        examples: [
            Example("darkroom jobs cancel 17", "withdraws job 17"),
            Example("darkroom jobs cancel --queue bulk --before 7d --dry-run", "what would be withdrawn"),
        ]
    ) { arguments in
        try await BulkOrder.run(arguments, states: unfinished) { store, filter in
            BulkOrder(
                verb: "cancel", participle: "cancelled",
                count: { try await store.count(filter) },
                pages: {
                    var cursor: JobID?
                    return { limit in
                        let page = try await store.jobs(filter, before: cursor, limit: limit)
                        cursor = page.last?.id ?? cursor
                        return page.map(BulkOrder.Candidate.init)
                    }
                }, apply: { try await store.cancel($0) })
        }
    }

    private static let unfinished = JobState.allCases.filter { !$0.isFinished }
}
