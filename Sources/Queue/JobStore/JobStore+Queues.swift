package import FoundationEssentials
package import JobQueue
import Postgres

/// A queue with its kinds and the workers that serve it.
package struct QueueRecord: Sendable {
    package let name: String
    package let kinds: [JobKind]
    package let workers: Int
    /// How many jobs of the queue all workers together run at once.
    package let concurrency: Int
}

/// A pause of a queue, a kind, or a kind in a queue.
package struct PauseRecord: Sendable {
    package let queue: String?
    package let kind: JobKind?
    /// Whether earlier jobs still run and only later ones are parked.
    package let drains: Bool
    package let by: String
    package let since: Date
}

extension JobStore {
    /// Pauses a queue (kind nil), a kind (queue nil) or a kind in a queue, from the next claim on.
    ///
    /// - Parameter drain: earlier jobs still run, and only later ones wait.
    /// - Throws: ``PostgresError`` if there is no such queue.
    package func pause(
        queue: String?, kind: JobKind?, drain: Bool = false, by operatorName: String
    ) async throws {
        try await pool.query(
            "select darkroom.pause_queue(\(queue), \(kind?.rawValue), \(operatorName), \(drain))"
        )
    }

    /// Ends a pause or drain. ``unparkDrained()`` releases parked jobs beyond the first batch.
    ///
    /// - Returns: false if there was no pause with this queue and kind.
    package func resume(queue: String?, kind: JobKind?) async throws -> Bool {
        let rows = try await pool.query(
            "select darkroom.resume_queue(\(queue), \(kind?.rawValue)) as ended")
        return try rows.first?.decode("ended", as: Bool.self) ?? false
    }

    /// Whether jobs of a drain that is over are still to be released.
    package func isReleasing(queue: String?, kind: JobKind?) async throws -> Bool {
        let rows = try await pool.query(
            """
            select exists (select from unnest(darkroom.lanes_of(\(queue), \(kind?.rawValue))) as l (lane)
                           where darkroom.first_wait(l.lane, null) is null
                             and exists (select from darkroom.jobs j where j.lane = l.lane and j.waits_for = 'resume')) as releasing
            """)
        return try rows.first?.decode("releasing", as: Bool.self) ?? false
    }

    /// How many jobs a drain still waits for: those that can run and those that run; at most `limit`.
    package func left(queue: String?, kind: JobKind?, limit: Int = 100_000) async throws -> Int {
        let rows = try await pool.query(
            """
            select count(*) as jobs
            from (select from unnest(darkroom.lanes_of(\(queue), \(kind?.rawValue))) as l (lane)
                  join darkroom.jobs j on j.lane = l.lane
                  where j.waits_for is distinct from 'resume' limit \(limit)) j
            """)
        return try rows.first?.decode("jobs", as: Int.self) ?? 0
    }

    /// When the first scheduled job is due; nil if none is scheduled.
    package func nextDue(queue: String?, kind: JobKind?) async throws -> Date? {
        let rows = try await pool.query(
            """
            select min(run_at) as due from darkroom.jobs
            where waits_for = 'time'
              and lane = any (darkroom.lanes_of(\(queue), \(kind?.rawValue)))
            """)
        return try rows.first?.decode("due", as: Date?.self)
    }

    package func pauses() async throws -> [PauseRecord] {
        let rows = try await pool.query(
            """
            select p.queue, p.kind::text as kind, p.drains, p.paused_by, p.paused_at
            from darkroom.pauses p order by p.queue, p.kind
            """)
        return try rows.map { row in
            PauseRecord(
                queue: try row.decode("queue", as: String?.self),
                kind: try row.decode("kind", as: String?.self).flatMap(JobKind.init),
                drains: try row.decode("drains", as: Bool.self),
                by: try row.decode("paused_by", as: String.self),
                since: try row.decode("paused_at", as: Date.self))
        }
    }

    package func queues() async throws -> [QueueRecord] {
        let rows = try await pool.query(
            """
            select q.name, array(select distinct l.kind::text from darkroom.lanes l where l.queue = q.name order by 1) as kinds,
                   (select count(*) from darkroom.worker_queues w where w.queue = q.name) as workers,
                   (select coalesce(sum(w.concurrency), 0) from darkroom.worker_queues w where w.queue = q.name) as concurrency
            from darkroom.queues q order by q.name
            """)
        return try rows.map { row in
            QueueRecord(
                name: try row.decode("name", as: String.self),
                kinds: try row.decode("kinds", as: [String].self).compactMap(JobKind.init),
                workers: try row.decode("workers", as: Int.self),
                concurrency: try row.decode("concurrency", as: Int.self))
        }
    }

    /// Enqueues a job for every subject; can enqueue thousands in one statement.
    ///
    /// - Parameter fairKeys: one key for all, or one for each.
    package func enqueue(
        _ kind: JobKind, subjects: [Int64], fairKeys: [String], queue: String = "default", priority: Int = 0,
        runAt: Date? = nil
    ) async throws -> Int {
        let rows = try await pool.query(
            """
            select darkroom.enqueue_jobs(\(kind.rawValue), \(subjects)::bigint[], \(fairKeys)::text[],
                                         \(queue), \(priority)::int, \(runAt)::timestamptz) as jobs
            """)
        return try rows.first?.decode("jobs", as: Int.self) ?? 0
    }
}
