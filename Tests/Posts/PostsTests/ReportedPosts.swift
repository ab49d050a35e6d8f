import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import Posts
import Telemetry
import TestKit

/// Shortcuts for reporting posts and moderating them.
extension QueueDatabase {
    /// Reports a post as an account of a given age, a year by default.
    @discardableResult
    func report(
        _ post: Int64, by reporter: String, reason: ReportGround = .spam, accountDays: Int? = 365
    ) async throws -> Bool {
        let rows = try await pool.query(
            """
            select darkroom.report_post(
                post_id => \(post), reporter => \(reporter), reason => \(reason.rawValue),
                reporter_since => now() - make_interval(days => \(accountDays))) as made
            """)
        return try rows[0].decode("made", as: Bool.self)
    }

    /// Runs all moderation jobs, including those of reports that are only written down.
    func moderateAll() async throws {
        let worker = try await worker()
        while true {
            try await queueModerations()
            let jobs = try await store.claim(limit: 1, worker: worker, kinds: [.moderate, .moderateComment])
            guard let job = jobs.first else { return }
            try await moderate(job)
        }
    }

    /// Runs the periodic job that finds posts to moderate again, a few at a time.
    func expire(mostWeighed: Int = 100) async throws {
        try await pool.query("select darkroom.enqueue_job('expire', 0, 'expire')")
        for job in try await store.claim(limit: 1, worker: try await worker(), kinds: [.expire]) {
            _ = try await ExpireHandler(pool: pool, log: .silent, batch: 2, mostWeighed: mostWeighed).run(
                job, trace: AttemptTrace())
            try await store.end(job.lease, as: .succeeded)
        }
        try await queueModerations()
    }

    /// Does what workers do each second, except for the tally.
    func queueModerations() async throws {
        try await store.enqueueBacklogs()
        try await pool.query("delete from darkroom.jobs where kind = 'tally'")
    }

    /// Claims the next moderation for a new worker.
    func claimModeration() async throws -> ClaimedJob {
        try await queueModerations()
        let jobs = try await store.claim(limit: 1, worker: try await worker(), kinds: [.moderate])
        guard let job = jobs.first else { throw NothingToClaim() }
        return job
    }

    func moderate(_ job: ClaimedJob) async throws {
        _ = try await ModerateHandler(pool: pool, log: .silent).run(job, trace: AttemptTrace())
    }

    func state(ofPost post: Int64) async throws -> PostState? {
        try await reading.post(post)?.state
    }

    /// The values of one column, as text.
    func texts(_ query: PostgresQuery) async throws -> [String?] {
        let rows = try await pool.query(query)
        return try rows.map { try $0.decode(rows.columns[0], as: String?.self) }
    }

    func number(_ query: PostgresQuery) async throws -> Int {
        let rows = try await pool.query(query)
        return try rows[0].decode(rows.columns[0], as: Int.self)
    }

    func events(of post: Int64) async throws -> [String?] {
        try await texts("select event from darkroom.outbox where post_id = \(post) order by event_id")
    }
}
