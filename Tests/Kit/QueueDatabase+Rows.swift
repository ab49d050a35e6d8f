import Postgres

extension QueueDatabase {
    /// The numbers of unfinished jobs whose columns contradict each other, in order.
    ///
    /// A job has a start if and only if it runs, a job that runs waits for nothing, and one that waits for something other than
    /// a worker has no place in its lane. No constraint says so, because each insert of a job would read its text.
    package func contradictoryJobs() async throws -> [Int64] {
        try await pool.query(
            """
            select job_id from darkroom.jobs
            where (lease is null) <> (leased_at is null) or lease is not null and waits_for is not null
               or waits_for is not null and slot <> 0
            order by job_id
            """
        ).map { try $0.decode("job_id", as: Int64.self) }
    }
}
