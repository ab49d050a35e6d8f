package import JobQueue
import Postgres

/// A queue that a worker serves, and how many of its jobs run at once.
package struct ServedQueue: Hashable, Sendable {
    package let name: String
    /// At least 1.
    package let concurrency: Int

    package init(name: String, concurrency: Int) {
        self.name = name
        self.concurrency = max(1, concurrency)
    }
}

extension JobStore {
    /// - Parameter previous: the number under which the process counted as dead; it also gets that worker's order to drain.
    package func register(
        host: String, pid: Int32, version: String, queues: [ServedQueue], previous: WorkerID? = nil
    ) async throws -> WorkerID {
        let rows = try await pool.query(
            """
            with made as (
                insert into darkroom.workers (host, pid, version, concurrency, drain_requested)
                values (\(host), \(pid), \(version), \(queues.reduce(0) { $0 + $1.concurrency }),
                        exists (select from darkroom.drained_workers where worker_id = \(previous?.rawValue)))
                returning worker_id),
            served as (
                insert into darkroom.worker_queues (worker_id, queue, concurrency)
                select worker_id, queue, concurrency
                from made, unnest(\(queues.map(\.name))::text[], \(queues.map(\.concurrency))::int[]) as q (queue, concurrency))
            select worker_id from made
            """)
        guard let row = rows.first else {
            throw PostgresError(.decoding, "registering a worker returned no row")
        }
        return WorkerID(rawValue: try row.decode("worker_id", as: Int64.self))
    }

    /// Records the kinds of jobs of its queues that `worker` waits to be told of; nil if it is busy. Nobody is told of jobs that
    /// no worker waits for.
    package func setAwaited(_ kinds: [JobKind]?, by worker: WorkerID) async throws {
        let names = kinds?.map(\.rawValue)
        try await pool.query(
            """
            update darkroom.worker_queues set awaited = \(names)::text[]
            where worker_id = \(worker.rawValue) and awaited is distinct from \(names)::text[]
            """)
    }

    /// Asks a worker to finish what it runs, claim nothing more, and stop. It learns of this with its next heartbeat.
    ///
    /// - Returns: false if there is no such worker.
    package func drain(_ worker: WorkerID) async throws -> Bool {
        let rows = try await pool.query(
            """
            update darkroom.workers set drain_requested = true
            where worker_id = \(worker.rawValue) returning worker_id
            """)
        return !rows.isEmpty
    }
}
