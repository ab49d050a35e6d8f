import Arguments
import CivilCalendar
import CommandSupport
import Ingestion
import JobQueue
import JobStore
import Postgres

enum SchedulesCommand {
    static let command = Command(
        "schedules", "List, create and change schedules of periodic jobs.",
        discussion: """
            When a schedule is due, one worker enqueues its job. If runs were missed because no worker was running, one \
            run makes up for all of them.
            """,
        subcommands: [list, set])

    private static let list = Command(
        "list", "List the schedules with their last and next runs.",
        options: [Settings.json, Settings.database],
        examples: [Example("darkroom schedules list", "shows what runs periodically, and when")]
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
        "set", "Create a schedule, or change one.",
        discussion: """
            CRON has five fields (minute, hour, day of month, month, day of week), or is @hourly, @daily, @weekly, \
            @monthly or @yearly. When the clocks change, hours given as * or */N follow elapsed time, and other hours \
            follow local time. To create a deleted built-in schedule again, give only its name.
            """,
        options: [
            .value("cron", "CRON", "when it runs, such as '17 3 * * *' (default: unchanged)"),
            .value(
                "time-zone", "NAME", "time zone of CRON, such as Europe/Zurich (default: unchanged, or UTC)"),
            .value(
                "kind", "KIND",
                "kind of job to enqueue: \(JobDefinition.kinds.map(\.rawValue).joined(separator: ", ")) (default: unchanged)"
            ),
            .value("queue", "NAME", "queue to enqueue into (default: unchanged, or 'default')"),
            .value("priority", "N", "-100 to 100, lower runs first (default: unchanged, or 50)"),
            .flag("disable", "keep the schedule, but do not run it; without this flag it is enabled"),
            Settings.database,
        ],
        positionals: [.required("NAME", "the schedule's name")],
        examples: [
            Example(
                "darkroom schedules set prune-history --cron '0 4 * * *' --time-zone Europe/Zurich",
                "runs at four in the morning, local time"),
            Example("darkroom schedules set prune-history --disable", "stops the runs"),
        ]
    ) { arguments in
        let name = arguments.string("NAME") ?? ""
        let kind = try arguments.choice("kind", among: JobDefinition.kinds)
        let priority = try arguments.int("priority", in: -100...100)
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            let before = try await store.schedules().first { $0.name == name }
            // A built-in schedule can be created again by its name alone.
            let usual = JobDefinition.all.first { $0.schedule?.name == name }
            guard let cron = arguments.string("cron") ?? before?.cron ?? usual?.schedule?.cron else {
                throw UsageError("there is no schedule \(name) yet: give --cron and --kind to create it")
            }
            guard let kind = kind ?? before.flatMap({ JobKind(rawValue: $0.kind) }) ?? usual?.kind else {
                throw UsageError("give --kind: the kind of job that the new schedule \(name) enqueues")
            }
            do {
                try await OperatorActions(store).record(
                    OperatorAction("set schedule", of: "schedule \(name)")
                ) {
                    try await PolicyOptions.explained {
                        try await store.setSchedule(
                            name, cron: cron,
                            timeZone: arguments.string("time-zone") ?? before?.timeZone ?? "UTC",
                            kind: kind, queue: arguments.string("queue") ?? before?.queue ?? "default",
                            priority: priority ?? before?.priority ?? usual?.schedule?.priority ?? 50,
                            isEnabled: !arguments.flag("disable"))
                    }
                }
            } catch let error as CronError {
                throw UsageError("--cron \(cron): \(error)")
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
