import Postgres

extension JobStore {
    /// Creates the partitions of history and events of today and the next three days.
    ///
    /// It waits for nobody, so somebody who reads history for long keeps partitions from being made. While some are missing,
    /// call it again every minute.
    ///
    /// - Returns: whether all exist.
    package func createHistoryPartitions() async throws -> Bool {
        try await pool.query("select darkroom.ensure_history_partitions()")
        let rows = try await pool.query(
            "select not exists (select from darkroom.missing_history_partitions()) as is_complete")
        return try rows.first?.decode("is_complete", as: Bool.self) ?? false
    }

    /// What is wrong with the history partitions of today and tomorrow.
    package func historyPartitions() async throws -> HistoryPartitions {
        let rows = try await pool.query(
            """
            with strays as (
                select finished_at as ended_at from darkroom.finished_jobs_default
                union all select ended_at from darkroom.job_attempts_default
                union all select numbered_at from darkroom.event_log_default)
            select array(select child from darkroom.missing_history_partitions(1) order by 1) as missing,
                   (select count(*) from strays
                    where ended_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC') as stray,
                   (select count(*) from strays) as total
            """)
        guard let row = rows.first else { throw PostgresError(.decoding, "no row for the partitions") }
        return HistoryPartitions(
            missing: try row.decode("missing", as: [String].self),
            strayRows: try row.decode("stray", as: Int.self),
            defaultRows: try row.decode("total", as: Int.self))
    }
}
