package import FoundationEssentials
package import Postgres

/// An order to erase a person, and its progress.
package struct PersonErasure: Sendable, Equatable {
    package enum State: String, Sendable, PostgresDecodable { case waiting, running, finished }

    package let id: Int64
    /// Nil once the erasure is finished.
    package let person: String?
    package let state: State
    package let requestedBy: String?
    package let requestedAt: Date
    package let finishedAt: Date?
    /// What has been erased so far, by name.
    package let counts: [(what: String, rows: Int)]

    package static func == (a: PersonErasure, b: PersonErasure) -> Bool {
        a.id == b.id && a.person == b.person && a.state == b.state && a.requestedBy == b.requestedBy
            && a.requestedAt == b.requestedAt && a.finishedAt == b.finishedAt
            && a.counts.elementsEqual(b.counts) { $0 == $1 }
    }
}

/// All SQL for erasing people. The SQL functions document what each step does. Every step can be repeated.
package struct PersonStore: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Orders the erasure of everything that is kept about a person.
    ///
    /// - Returns: the number of the order. If an order is already open, its number.
    /// - Throws: ``PostgresError`` with `checkViolation` if this cannot be a person's identifier.
    package func erase(_ person: String, requestedBy: String? = nil) async throws -> Int64 {
        let rows = try await pool.query("select darkroom.erase_person(\(person), \(requestedBy)) as id")
        return try rows[0].decode("id", as: Int64.self)
    }

    /// What an erasure of the person would find.
    package func traces(of person: String) async throws -> [(what: String, rows: Int)] {
        let rows = try await pool.query(
            """
            select what, "rows" from darkroom.person_traces(\(person))
            """)
        return try rows.map { (try $0.decode("what", as: String.self), try $0.decode("rows", as: Int.self)) }
    }

    /// The orders, latest first.
    package func erasures(limit: Int) async throws -> [PersonErasure] {
        try await pool.query(
            """
            select erasure_id, person, state, requested_by, requested_at, finished_at,
                   posts, uploads, jobs, votes, comments, reports, decisions, history, files
            from darkroom.person_erasures order by erasure_id desc limit \(limit)
            """
        ).map(PersonErasure.init)
    }

    // The steps of an erasure, in order.

    /// Cancels unfinished jobs. Returns how many are running and were asked to stop.
    package func cancelJobs(_ erasure: Int64) async throws -> Int {
        try await step("select darkroom.erase_person_jobs(\(erasure)) as rows")
    }

    /// Erases one post. Returns false if none is left.
    package func erasePost(_ erasure: Int64) async throws -> Bool {
        try await step("select darkroom.erase_person_post(\(erasure))::int as rows") > 0
    }

    package func eraseUploads(_ erasure: Int64) async throws -> Int {
        try await step("select darkroom.erase_person_uploads(\(erasure)) as rows")
    }

    package func eraseReactions(_ erasure: Int64) async throws -> Int {
        try await step("select darkroom.erase_person_reactions(\(erasure)) as rows")
    }

    package func eraseRecord(_ erasure: Int64) async throws {
        try await pool.query("select darkroom.erase_person_record(\(erasure))")
    }

    /// Cancels what stores files of the person. Returns how many attempts have yet to stop.
    package func stopStoring(_ erasure: Int64) async throws -> Int {
        try await step("select darkroom.erase_person_files(\(erasure)) as rows")
    }

    package func countFiles(_ files: Int, _ erasure: Int64) async throws {
        try await pool.query(
            "update darkroom.person_erasures set files = files + \(files) where erasure_id = \(erasure)")
    }

    /// Ends the erasure in the caller's transaction. Returns false if some data of the person still exists or is new.
    package static func finish(_ erasure: Int64, in transaction: PostgresConnection) async throws -> Bool {
        let rows = try await transaction.query(
            "select darkroom.finish_person_erasure(\(erasure)) as finished")
        return try rows[0].decode("finished", as: Bool.self)
    }

    private func step(_ query: PostgresQuery) async throws -> Int {
        try await pool.query(query)[0].decode("rows", as: Int.self)
    }
}

extension PersonErasure {
    init(row: PostgresRow) throws {
        let names = [
            "posts", "uploads", "jobs", "votes", "comments", "reports", "decisions", "history", "files",
        ]
        self.init(
            id: try row.decode("erasure_id", as: Int64.self),
            person: try row.decode("person", as: String?.self),
            state: try row.decode("state", as: State.self),
            requestedBy: try row.decode("requested_by", as: String?.self),
            requestedAt: try row.decode("requested_at", as: Date.self),
            finishedAt: try row.decode("finished_at", as: Date?.self),
            counts: try names.map { ($0, try row.decode($0, as: Int.self)) })
    }
}
