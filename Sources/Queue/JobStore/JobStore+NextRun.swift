package import FoundationEssentials
package import JobQueue
package import Postgres

extension JobStore {
    /// The first run of `expression` in `timeZone` later than `now`, in seconds since 1970 UTC.
    ///
    /// PostgreSQL converts between civil times and instants, so all workers agree even if their own time zone data are old.
    ///
    /// - Parameter now: nil for the present time of the database.
    /// - Throws: ``PostgresError`` with `invalidParameterValue` for an unknown time zone.
    package static func nextRun(
        of expression: CronExpression, in timeZone: String, after now: Int? = nil,
        _ connection: PostgresConnection
    ) async throws -> Date {
        let rows = try await connection.query(
            "select coalesce(\(now), floor(extract(epoch from clock_timestamp())))::bigint as now")
        let run = try await expression.firstRun(after: rows[0].decode("now", as: Int.self)) {
            try await clockSpan(of: timeZone, from: $0, connection)
        }
        return Date(timeIntervalSince1970: Double(run))
    }

    /// How the clocks of `timeZone` run from `start` on, for about a year at most.
    ///
    /// PostgreSQL has no list of a zone's changes, so this looks at the clocks in ever smaller steps.
    package static func clockSpan(
        of timeZone: String, from start: Int, _ connection: PostgresConnection
    ) async throws -> ClockSpan {
        let rows = try await connection.query(
            "select extract(epoch from to_timestamp(\(start)) at time zone \(timeZone))::bigint - \(start)::bigint as seconds"
        )
        let offset = try rows[0].decode("seconds", as: Int.self)
        var (low, high) = (start, start + 500 * 65_536)
        for step in [65_536, 256, 1] {
            let rows = try await connection.query(
                """
                select min(i) as changed from generate_series(\(low)::bigint, \(high)::bigint, \(step)::bigint) i
                where extract(epoch from to_timestamp(i) at time zone \(timeZone)) - i <> \(offset)::bigint
                """)
            guard let changed = try rows[0].decode("changed", as: Int?.self) else { break }
            (low, high) = (changed - step, changed)
        }
        return ClockSpan(offset: offset, end: high)
    }
}

extension JobStore {
    /// Makes a schedule due now: a worker enqueues its job within a second.
    ///
    /// - Returns: false if there is no such schedule, or it is disabled.
    package func runNow(_ schedule: String) async throws -> Bool {
        try await pool.query(
            """
            update darkroom.schedules set next_run_at = clock_timestamp(), planned_at = clock_timestamp()
            where name = \(schedule) and is_enabled
            """
        ).affected > 0
    }
}
