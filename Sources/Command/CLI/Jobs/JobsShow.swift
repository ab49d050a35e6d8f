import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import Ingestion
import JobQueue
import JobStore

enum JobsShow {
    static let command = Command(
        "show", "Show a job and all its attempts.",
        discussion: """
            Shows what the job does now or waits for. For each attempt, shows the outcome, worker, time, stages, reason, \
            the error behind it and the renderer's verdict. Also shows who replayed the job. --json adds the leases.
            """,
        options: [Settings.json, Settings.database],
        positionals: [.required("JOB", "the job's number")],
        examples: [Example("darkroom jobs show 17", "shows state, reason, and how each attempt ended")]
    ) { arguments in
        let id = try JobFilterOptions.number(arguments.string("JOB") ?? "")
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            guard let job = try await store.job(id) else {
                throw CommandError(
                    "there is no job \(id): it never existed, is a draft, or its history has been pruned; "
                        + "'darkroom jobs list' shows the existing jobs")
            }
            let attempts = try await store.attempts(of: id)
            let replays = try await store.replays(of: id)
            if arguments.flag("json") {
                Output.line(
                    JSON.object(
                        job.fields + [
                            ("attempts", .array(attempts.map(\.json))),
                            ("replays", .array(replays.map(\.json))),
                        ]
                    ).line)
                return
            }
            show(job, obstacle: try await JobObstacle.of(job, store))
            for attempt in attempts { show(attempt) }
            for replay in replays { show(replay) }
        }
    }

    private static func show(_ job: JobRecord, obstacle: String?) {
        Output.line("Job \(job.id): \(job.kind.rawValue), \(job.state.rawValue)")
        field("reason", job.reason?.description)
        switch JobDefinition.of(job.kind)?.subject {
        case .upload: field("upload", "\(job.subject), of \(job.fairKey)")
        case .post: field("post", "\(job.subject)")
        case .comment: field("comment", "\(job.subject)")
        case .personErasure: field("order", "\(job.subject)")
        case nil: break
        }
        field("queue", "\(job.queue), priority \(job.priority)")
        field("enqueued", "\(job.createdAt.shortStamp) UTC")
        field("waits for", obstacle)
        if job.state == .running {
            field("worker", job.worker?.description)
            field("started", job.startedAt.map { "\($0.shortStamp) UTC, \(age(of: $0)) ago" })
            field("stage", job.stage ?? "-")
            if job.isCancelRequested { field("cancel", "requested; its worker will stop it") }
        }
        field("finished", job.finishedAt.map { "\($0.shortStamp) UTC" })
        field("tries", "\(job.attempt) (\(job.failures) failed, \(job.crashes) crashed)")
        if job.deaths > 0 {
            field("suspect", "workers died while they ran it: \(job.deaths)")
        }
    }

    private static func show(_ attempt: AttemptRecord) {
        Output.line(
            "Try \(attempt.attempt): \(attempt.outcome), by worker \(attempt.worker), "
                + "\(attempt.startedAt.shortStamp) UTC, took \(attempt.duration.fine)")
        field("reason", attempt.reason?.description)
        field("cause", attempt.cause)
        field("renderer", attempt.verdict)
        if !attempt.stages.isEmpty {
            field("stages", attempt.stages.map { "\($0.stage) \($0.duration.fine)" }.joined(separator: ", "))
        }
    }

    private static func show(_ replay: ReplayRecord) {
        Output.line("Replayed \(replay.at.shortStamp) UTC by \(Terminal.printable(replay.by))")
        field("why", replay.why)
        field("had been", "\(replay.from.rawValue)\(replay.reason.map { ", \($0)" } ?? "")")
    }

    /// A line `  name      value`. Values may come from strangers, so they are printed on one line without control characters.
    private static func field(_ name: String, _ value: String?) {
        guard let value else { return }
        let padding = String(repeating: " ", count: max(1, 11 - name.count))
        Output.line("  \(name)\(padding)\(Terminal.printable(value))")
    }

    private static func age(of date: Date) -> String { Duration.seconds(-date.timeIntervalSinceNow).short }
}
