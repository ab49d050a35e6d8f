import Arguments
import CivilCalendar
import CommandSupport
import JobQueue
import JobStore

enum JobsCommand {
    static let command = Command(
        "jobs", "List, show, export, replay, discard, cancel and release jobs.",
        discussion: """
            Select jobs by number, or by state, kind, queue, reason, text, uploader or time. A job must meet all \
            conditions. If you give --state or --kind twice, either value matches.
            """,
        subcommands: [
            list, JobsShow.command, JobsReplay.replay, cancel, release, JobsReplay.discard,
            JobsExport.command,
        ])

    private static let list = Command(
        "list", "List jobs, newest first.",
        options: JobFilterOptions.options(states: JobState.allCases) + [
            .value("limit", "N", "show at most N", default: "50"), Settings.json, Settings.database,
        ],
        positionals: [JobFilterOptions.numbers],
        examples: [
            Example("darkroom jobs list", "lists the latest 50"),
            Example(
                "darkroom jobs list --state failed --state rejected", "shows what was not published, and why"),
            Example(
                "darkroom jobs list --uploader user-17 --since 2h", "shows what became of a user's photos"),
            Example("darkroom jobs list --text 'no space left'", "finds jobs by error text"),
        ]
    ) { arguments in
        let filter = try JobFilterOptions.filter(arguments)
        let limit = try arguments.int("limit", in: 1...100_000) ?? 50
        // One more than is shown, to learn whether there are more.
        let jobs = try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            try await JobFilterOptions.checkQueue(filter.queue, store)
            return try await store.jobs(filter, limit: limit + 1)
        }
        if arguments.flag("json") {
            for job in jobs.prefix(limit) { Output.line(job.json.line) }
            return
        }
        guard !jobs.isEmpty else { return Output.note("No job matches.") }
        var table = TextTable(columns: [
            .init("JOB", .right), .init("KIND"), .init("QUEUE"), .init("STATE", isKept: true),
            .init("TRIES", .right), .init("UPLOADER"), .init("ENQUEUED (UTC)", isKept: true),
            .init("REASON", isKept: true),
            .init("MESSAGE"),
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
            Output.note("There are more: add a filter, or raise --limit \(limit).")
        }
    }

    private static let cancel = Command(
        "cancel", "Cancel waiting jobs, and stop running ones.",
        discussion: """
            Give job numbers, or a filter to cancel every unfinished job that matches it; --state alone is a filter. \
            Workers stop running jobs within a few seconds and undo what these had begun.
            """,
        options: JobFilterOptions.options(states: BulkAction.cancel.states)
            + BulkOrder.options(
                limit: "at most N jobs, newest first") + JobsReplay.author + [
                Settings.json, Settings.database,
            ],
        positionals: [JobFilterOptions.numbers],
        examples: [
            Example("darkroom jobs cancel 17", "cancels job 17"),
            Example(
                "darkroom jobs cancel --queue bulk --before 7d --dry-run", "shows what would be cancelled"),
        ]
    ) { arguments in
        try await BulkOrder.run(arguments, .cancel)
    }

    private static let release = Command(
        "release", "Take running jobs from their workers, so that they wait again.",
        discussion: """
            Use this for a job that is shown as running although nobody works on it. It does no harm to others: a worker \
            that does run the job stops it within a second and cannot finish it. No try is counted. A worker that runs \
            many such jobs should be restarted: see 'darkroom workers drain'.
            """,
        options: JobFilterOptions.options(states: [.running])
            + BulkOrder.options(limit: "at most N jobs, newest first") + JobsReplay.author + [
                Settings.json, Settings.database,
            ],
        positionals: [JobFilterOptions.numbers],
        examples: [
            Example("darkroom jobs release 17 --why 'its machine is gone'", "makes job 17 wait again"),
            Example(
                "darkroom jobs release --before 2h --dry-run",
                "shows jobs that were enqueued long ago and still run"),
        ]
    ) { arguments in
        try await BulkOrder.run(arguments, .release)
    }
}
