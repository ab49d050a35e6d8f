package import FoundationEssentials
package import JobQueue
import Postgres

/// A periodic job.
package struct ScheduleRecord: Sendable {
    package let name: String
    /// Five fields, as ``CronExpression`` reads them.
    package let cron: String
    /// A name that PostgreSQL knows, such as `Europe/Zurich`.
    package let timeZone: String
    package let kind: String
    package let queue: String
    package let priority: Int
    package let isEnabled: Bool
    package let nextRunAt: Date?
    package let lastRunAt: Date?
    package let lastJob: JobID?
}

/// A schedule that could not be run.
package struct ScheduleFault: Error, CustomStringConvertible {
    package let schedule: String
    package let underlying: any Error

    package var description: String { "schedule \(schedule): \(underlying)" }
}

extension JobStore {
    package func schedules() async throws -> [ScheduleRecord] {
        let rows = try await pool.query(
            """
            select name, cron, time_zone, kind::text as kind, queue, priority, is_enabled, next_run_at, last_run_at,
                   last_job_id
            from darkroom.schedules order by name
            """)
        return try rows.map { row in
            ScheduleRecord(
                name: try row.decode("name", as: String.self), cron: try row.decode("cron", as: String.self),
                timeZone: try row.decode("time_zone", as: String.self),
                kind: try row.decode("kind", as: String.self),
                queue: try row.decode("queue", as: String.self),
                priority: try row.decode("priority", as: Int.self),
                isEnabled: try row.decode("is_enabled", as: Bool.self),
                nextRunAt: try row.decode("next_run_at", as: Date?.self),
                lastRunAt: try row.decode("last_run_at", as: Date?.self),
                lastJob: try row.decode("last_job_id", as: Int64?.self).map(JobID.init))
        }
    }

    /// Creates or changes a schedule, and computes its next run.
    ///
    /// - Throws: ``CronError`` for an invalid expression, ``PostgresError`` with `invalidParameterValue` for what is no
    ///   name of a time zone. PostgreSQL also reads `UTC+2`, as POSIX does: two hours west of Greenwich.
    package func setSchedule(
        _ name: String, cron: String, timeZone: String, kind: JobKind, queue: String, priority: Int,
        isEnabled: Bool
    ) async throws {
        let expression = try CronExpression(cron)
        try await pool.withTransaction { transaction in
            let known = try await transaction.query(
                "select name from pg_catalog.pg_timezone_names where lower(name) = lower(\(timeZone))")
            guard let timeZone = try known.first?.decode("name", as: String.self) else {
                var error = PostgresError(
                    .server, "there is no time zone \(timeZone)", sqlState: .invalidParameterValue)
                error.hint = "Give a name such as Europe/Zurich; Etc/GMT-2 is always two hours ahead of UTC."
                throw error
            }
            let next = try await Self.nextRun(of: expression, in: timeZone, transaction)
            try await transaction.query(
                """
                insert into darkroom.schedules (name, cron, time_zone, kind, queue, priority, is_enabled, next_run_at, planned_at)
                values (\(name), \(cron), \(timeZone), \(kind.rawValue), \(queue), \(priority), \(isEnabled), \(next),
                        clock_timestamp())
                on conflict (name) do update
                set cron = excluded.cron, time_zone = excluded.time_zone, kind = excluded.kind, queue = excluded.queue,
                    priority = excluded.priority, is_enabled = excluded.is_enabled, next_run_at = excluded.next_run_at,
                    planned_at = excluded.planned_at
                """)
        }
    }

    /// Enqueues the jobs of schedules that are due, and computes their next runs. However many workers call this, each run
    /// is enqueued once. If runs were missed because no worker called, one run makes up for all of them.
    ///
    /// A schedule that cannot be run is put off, and the others run. One for which somebody holds a lock is left for the next call.
    /// What was computed while the server's clock was ahead is computed again.
    ///
    /// - Returns: the names of the schedules that ran, and the errors of others.
    /// - Throws: ``PostgresError`` if the database is at fault.
    package func runSchedules() async throws -> (ran: [String], faults: [ScheduleFault]) {
        let names = try await pool.query(
            """
            select name from darkroom.schedules
            where is_enabled and (next_run_at is null or next_run_at <= clock_timestamp() or planned_at > clock_timestamp())
            order by next_run_at
            """)
        var ran: [String] = []
        var faults: [ScheduleFault] = []
        for row in names {
            let name = try row.decode("name", as: String.self)
            do {
                if try await pool.withTransaction({ try await Self.run(name, in: $0) }) { ran.append(name) }
            } catch let error as PostgresError where error.isContention {
                faults.append(ScheduleFault(schedule: name, underlying: error))
            } catch  where Self.isAtFault(error) {
                try await putOff(name)
                faults.append(ScheduleFault(schedule: name, underlying: error))
            }
        }
        return (ran, faults)
    }

    /// Whether an error is about one schedule, so that the others can run.
    private static func isAtFault(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return error is CronError }
        return error.isRefusal
    }

    /// Postpones a schedule that cannot be run, because somebody wrote it to the table directly, so that it is not logged
    /// every second.
    private func putOff(_ name: String) async throws {
        try await pool.query(
            "update darkroom.schedules set next_run_at = clock_timestamp() + interval '10 minutes', planned_at = clock_timestamp() where name = \(name)"
        )
    }

    /// - Returns: whether the schedule was still due and ran.
    private static func run(_ name: String, in transaction: PostgresConnection) async throws -> Bool {
        // Somebody who holds a lock of one schedule's lane must not stop the others.
        try await transaction.query("set local lock_timeout = '1s'")
        let rows = try await transaction.query(
            """
            select cron, time_zone, coalesce(next_run_at <= clock_timestamp(), false) as is_run from darkroom.schedules
            where name = \(name) and is_enabled
              and (next_run_at is null or next_run_at <= clock_timestamp() or planned_at > clock_timestamp())
            for update skip locked
            """)
        guard let row = rows.first else { return false }
        let expression = try CronExpression(try row.decode("cron", as: String.self))
        let next = try await nextRun(
            of: expression, in: try row.decode("time_zone", as: String.self), transaction)
        let isRun = try row.decode("is_run", as: Bool.self)
        // Do not add a job while the schedule's last job has not even begun.
        try await transaction.query(
            """
            update darkroom.schedules s
            set next_run_at = \(next), planned_at = clock_timestamp(),
                last_run_at = case when \(isRun) then clock_timestamp() else last_run_at end,
                last_job_id = case when \(isRun) then coalesce(
                    darkroom.enqueue_once(s.kind, s.subject_id, 'schedule ' || s.name, hashtextextended(s.name, 0),
                                          s.queue, s.priority), last_job_id) else last_job_id end
            where name = \(name)
            """)
        return isRun
    }
}
