import Arguments
import CommandSupport
import Ingestion
import JobQueue
import JobStore
import Postgres

/// `darkroom schedules`: periodic jobs.
enum SchedulesCommand {
    static let command = Command(
        "schedules", "Look at periodic jobs, make and change them.",
        discussion: """
            Any worker enqueues the job of a schedule that is due, once for all workers. Runs that were missed while no \
            worker lived are made up for by one.
            """,
        subcommands: [list, set])

    private static let list = Command(
        "list", "List the schedules with their last and next runs.",
        options: [Settings.json, Settings.database],
        examples: [Example("darkroom schedules list", "what runs by itself, and when")]
    ) { arguments in
        let schedules = try await Settings.withPool(arguments) { try await JobStore(pool: $0).schedules() }
        if arguments.flag("json") {
            for schedule in schedules { Output.line(schedule.json.line) }
            return
        }
        var table = TextTable(columns: [
            .init("SCHEDULE"), .init("CRON"), .init("TIME ZONE"), .init("KIND"), .init("QUEUE"),
            .init("LAST (UTC)"),
            .init("JOB", .right), .init("NEXT (UTC)"),
        ])
        for schedule in schedules {
            table.add([
                schedule.name, schedule.cron, schedule.timeZone, schedule.kind, schedule.queue,
                schedule.lastRunAt?.shortStamp ?? "-", schedule.lastJob?.description ?? "-",
                schedule.isEnabled
                    ? schedule.nextRunAt?.shortStamp ?? "as soon as a worker runs" : "disabled",
            ])
        }
        Output.table(table)
    }

    private static let set = Command(
        "set", "Make a schedule, or change one.",
        discussion: """
            CRON has five fields: minute, hour, day of month, month, day of week; or is one of @hourly, @daily, @weekly, \
            @monthly, @yearly. An hour of * or */N goes by elapsed time when the clocks change; other hours go by the \
            clock on the wall.
            """,
        options: [
            .value("cron", "CRON", "when, such as '17 3 * * *'"),
            .value("time-zone", "NAME", "of the civil times in CRON, such as Europe/Zurich (default: UTC)"),
            .value(
                "kind", "KIND",
                "what it enqueues: \(JobDefinition.kinds.map(\.rawValue).joined(separator: ", ")) (default: as it was)"
            ),
            .value("queue", "NAME", "into which queue (default: as it was, or default)"),
            .value("priority", "N", "-100 to 100, lower runs first (default: as it was, or 50)"),
            .flag("disable", "keep it, but do not run it"), Settings.database,
        ],
        positionals: [.required("NAME", "the schedule's name")],
        examples: [
            Example(
                "darkroom schedules set prune-history --cron '0 4 * * *' --time-zone Europe/Zurich",
                "at four in the morning"),
            Example("darkroom schedules set prune-history --disable", "not any more"),
        ]
    ) { arguments in
        let name = arguments.string("NAME") ?? ""
        let kind = try arguments.choice("kind", among: JobDefinition.kinds)
        let priority = try arguments.int("priority", in: -100...100)
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            let before = try await store.schedules().first { $0.name == name }
            // One that every installation has from the start can be made again by its name.
            let usual = JobDefinition.all.first { $0.schedule?.name == name }
            guard let cron = arguments.string("cron") ?? before?.cron ?? usual?.schedule?.cron else {
                throw UsageError("there is no schedule \(name) yet: give --cron and --kind to make one")
            }
            guard let kind = kind ?? before.flatMap({ JobKind(rawValue: $0.kind) }) ?? usual?.kind else {
                throw UsageError("say with --kind what the new schedule \(name) enqueues")
            }
            do {
                try await store.setSchedule(
                    name, cron: cron, timeZone: arguments.string("time-zone") ?? before?.timeZone ?? "UTC",
                    kind: kind, queue: arguments.string("queue") ?? before?.queue ?? "default",
                    priority: priority ?? before?.priority ?? usual?.schedule?.priority ?? 50,
                    isEnabled: !arguments.flag("disable"))
            } catch let error as CronError {
                throw CommandError("--cron \(cron): \(error)")
            }
        }
    }
}

extension ScheduleRecord {
    fileprivate var json: JSON {
        .object([
            ("schedule", .string(name)), ("cron", .string(cron)), ("time_zone", .string(timeZone)),
            ("kind", .string(kind)), ("queue", .string(queue)), ("priority", .integer(Int64(priority))),
            ("enabled", .bool(isEnabled)), ("last_run_at", JSON.optional(lastRunAt) { .string($0.stamp) }),
            ("last_job_id", JSON.optional(lastJob) { .integer($0.rawValue) }),
            ("next_run_at", JSON.optional(nextRunAt) { .string($0.stamp) }),
        ])
    }
}
