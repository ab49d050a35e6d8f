import Arguments
import FoundationEssentials
import Glibc
import JobQueue
import JobStore

/// `darkroom jobs`: what operators ask of single jobs.
enum JobsCommand {
    static let command = Command(
        "jobs", "Look at jobs, replay them, cancel them.",
        subcommands: [list, show, replay, cancel])

    private static let list = Command(
        "list", "List jobs, newest first.",
        options: [
            .repeated(
                "state", "STATE",
                "only these: waiting, scheduled, running, succeeded, rejected, failed, cancelled"),
            .value("limit", "N", "at most so many", default: "50"), Settings.json, Settings.database,
        ],
        examples: [
            Example("darkroom jobs list", "the latest fifty"),
            Example("darkroom jobs list --state failed --state rejected", "what was not published, and why"),
        ]
    ) { arguments in
        let states = try arguments.choices("state", of: JobState.self)
        let limit = try arguments.int("limit", in: 1...100_000) ?? 50
        let jobs = try await Settings.withPool(arguments) { pool in
            var filter = JobFilter()
            filter.states = states
            return try await JobStore(pool: pool).jobs(filter, limit: limit)
        }
        if arguments.flag("json") {
            for job in jobs { Output.line(job.json.line) }
            return
        }
        guard !jobs.isEmpty else { return Output.note("There is no such job.") }
        var table = TextTable(columns: [
            .init("JOB", .right), .init("KIND"), .init("STATE"), .init("TRIES", .right),
            .init("UPLOADER"), .init("ENQUEUED (UTC)"), .init("REASON"), .init("MESSAGE"),
        ])
        for job in jobs {
            table.add([
                job.id.description, job.kind.rawValue, job.state.rawValue, String(job.attempt), job.fairKey,
                job.createdAt.shortStamp, job.reason?.code ?? "-", job.reason?.message ?? "-",
            ])
        }
        Output.table(table)
    }

    private static let show = Command(
        "show", "Show a job and every attempt at it.",
        options: [Settings.json, Settings.database],
        positionals: [.required("JOB", "the job's number")],
        examples: [Example("darkroom jobs show 17", "state, reason, and how each attempt ended")]
    ) { arguments in
        let id = try jobID(arguments.string("JOB") ?? "")
        let (found, attempts) = try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            return (try await store.job(id), try await store.attempts(of: id))
        }
        guard let job = found else {
            throw CommandError("there is no job \(id): 'darkroom jobs list' shows those there are")
        }
        if arguments.flag("json") {
            guard case .object(let fields) = job.json else { return }
            Output.line(
                JSON.object(fields + [("attempts", .array(attempts.map(\.json)))]).line)
            return
        }
        Output.line("Job \(job.id): \(job.kind.rawValue), \(job.state.rawValue)")
        if let reason = job.reason { Output.line("  reason    \(reason.code): \(reason.message)") }
        Output.line("  \(job.kind == .ingest ? "upload" : "post  ")    \(job.subject), of \(job.fairKey)")
        Output.line("  enqueued  \(job.createdAt.shortStamp) UTC, priority \(job.priority)")
        if job.state == .scheduled, let runAt = job.runAt {
            Output.line("  runs at   \(runAt.shortStamp) UTC")
        }
        if let worker = job.worker { Output.line("  worker    \(worker)") }
        if let finishedAt = job.finishedAt { Output.line("  finished  \(finishedAt.shortStamp) UTC") }
        Output.line("  tries     \(job.attempt) (\(job.failures) failed, \(job.crashes) crashed)")
        guard !attempts.isEmpty else { return }
        var table = TextTable(columns: [
            .init("TRY", .right), .init("OUTCOME"), .init("WORKER", .right),
            .init("STARTED (UTC)"), .init("TOOK", .right), .init("REASON"),
        ])
        for attempt in attempts {
            let took = Duration.seconds(attempt.endedAt.timeIntervalSince(attempt.startedAt))
            table.add([
                String(attempt.attempt), attempt.outcome, attempt.worker.description,
                attempt.startedAt.shortStamp, took.short, attempt.reason?.description ?? "-",
            ])
        }
        Output.table(table)
    }

    private static let replay = Command(
        "replay", "Send jobs that did not succeed round again.",
        discussion: """
            Rejected, failed and cancelled jobs wait again under their numbers and keep the history of their \
            attempts; failures and crashes are counted anew. Who replayed what is recorded.
            """,
        options: [
            .value("state", "STATE", "all of rejected, failed or cancelled, instead of numbers"),
            .value("limit", "N", "with --state, at most so many, oldest first", default: "1000"),
            .flag("dry-run", "only say what would be replayed"), Settings.json, Settings.database,
        ],
        positionals: [.rest("JOB", "job numbers")],
        examples: [
            Example("darkroom jobs replay 17 18", "these two"),
            Example("darkroom jobs replay --state failed --dry-run", "what would be replayed"),
        ]
    ) { arguments in
        let numbers = try arguments.strings("JOB").map(jobID)
        let state = try arguments.choice("state", of: JobState.self)
        let limit = try arguments.int("limit", in: 1...1_000_000) ?? 1000
        if let state, state.after(.replay) == nil {
            throw UsageError(
                "--state \(state.rawValue) cannot be replayed: give rejected, failed or cancelled")
        }
        guard numbers.isEmpty != (state == nil) else {
            throw UsageError("say which jobs: either numbers or --state")
        }
        let replayed = try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            let jobs =
                if let state {
                    try await store.unsuccessful(.init(state), limit: limit).map(\.id)
                } else { numbers }
            if arguments.flag("dry-run") { return jobs }
            return try await store.replay(jobs, by: operatorName())
        }
        for job in replayed {
            Output.line(
                arguments.flag("json")
                    ? JSON.object([("job_id", .integer(job.rawValue))]).line : job.description)
        }
        let missed = Set(numbers).subtracting(replayed)
        let verb = arguments.flag("dry-run") ? "would be replayed" : "replayed"
        Output.note("\(replayed.count) \(replayed.count == 1 ? "job" : "jobs") \(verb).")
        if !missed.isEmpty {
            Output.note(
                "Not replayed, because unknown, unfinished or succeeded: "
                    + missed.sorted().map(\.description).joined(separator: " "))
            throw ExitCode(1)
        }
    }

    private static let cancel = Command(
        "cancel", "Cancel jobs that wait, and ask the workers of running ones to stop.",
        options: [Settings.database],
        positionals: [.restRequired("JOB", "job numbers")],
        examples: [Example("darkroom jobs cancel 17", "withdraws job 17")]
    ) { arguments in
        let numbers = try arguments.strings("JOB").map(jobID)
        let missed = try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            var missed: [JobID] = []
            for number in numbers where try await !store.cancel(number) { missed.append(number) }
            return missed
        }
        if !missed.isEmpty {
            throw CommandError(
                "not cancelled, because finished or unknown: \(missed.map(\.description).joined(separator: " "))"
            )
        }
    }

    private static func jobID(_ text: String) throws -> JobID {
        guard let number = Int64(text), number > 0 else {
            throw UsageError("“\(text)” is not a job's number")
        }
        return JobID(rawValue: number)
    }

    private static func operatorName() -> String {
        getenv("USER").map { String(cString: $0) } ?? "uid \(getuid())"
    }
}

extension JobFilter {
    fileprivate init(_ state: JobState) {
        self.init()
        states = [state]
    }
}

extension JobRecord {
    var json: JSON {
        .object([
            ("job_id", .integer(id.rawValue)), ("kind", .string(kind.rawValue)),
            ("state", .string(state.rawValue)), ("priority", .integer(Int64(priority))),
            (kind == .ingest ? "upload_id" : "post_id", .integer(subject)), ("uploader", .string(fairKey)),
            ("attempts_begun", .integer(Int64(attempt))), ("failures", .integer(Int64(failures))),
            ("crashes", .integer(Int64(crashes))), ("reason", JSON.optional(reason) { .string($0.code) }),
            ("message", JSON.optional(reason) { .string($0.message) }),
            ("worker_id", JSON.optional(worker) { .integer($0.rawValue) }),
            ("enqueued_at", .string(createdAt.stamp)), ("run_at", JSON.optional(runAt) { .string($0.stamp) }),
            ("finished_at", JSON.optional(finishedAt) { .string($0.stamp) }),
        ])
    }
}

extension AttemptRecord {
    var json: JSON {
        .object([
            ("attempt", .integer(Int64(attempt))), ("outcome", .string(outcome)),
            ("worker_id", .integer(worker.rawValue)), ("reason", JSON.optional(reason) { .string($0.code) }),
            ("message", JSON.optional(reason) { .string($0.message) }),
            ("started_at", .string(startedAt.stamp)), ("ended_at", .string(endedAt.stamp)),
        ])
    }
}
