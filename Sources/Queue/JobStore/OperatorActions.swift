package import FoundationEssentials
import Postgres

/// What an operator orders, as the record keeps it.
package struct OperatorAction: Sendable {
    package enum Source: String, Sendable {
        case console
        case commandLine = "command line"
    }

    package var by: String
    package var role = "operator"
    package var source: Source
    /// Such as `replay jobs`.
    package var action: String
    /// Such as `job 17`.
    package var target: String?
    package var filter: String?
    /// The person whose data it is about. Never part of the other texts, so that an erasure finds it.
    package var uploader: String?
    package var why: String?
    package var matching = 1

    package init(_ action: String, by operatorName: String, source: Source) {
        self.action = action
        by = operatorName
        self.source = source
    }
}

/// An action in the record, with its progress.
package struct OperatorActionRecord: Sendable {
    package let id: Int64
    package let by: String
    package let role: String
    package let source: String
    package let action: String
    package let target: String?
    package let filter: String?
    package let uploader: String?
    package let why: String?
    package let startedAt: Date
    package let matching: Int
    package let done: Int
    package let progressedAt: Date
    /// Nil while it goes on.
    package let endedAt: Date?
    package let fault: String?
}

/// The record of what operators did.
package struct OperatorActions: Sendable {
    private let pool: PostgresPool

    package init(_ store: JobStore) { pool = store.pool }

    /// Records that an action begins, and returns its number.
    package func begin(_ action: OperatorAction) async throws -> Int64 {
        let rows = try await pool.query(
            """
            insert into darkroom.operator_actions (requested_by, role, source, action, target, filter, uploader, why, matching)
            values (\(action.by), \(action.role), \(action.source.rawValue), \(action.action), \(action.target), \(action.filter),
                    \(action.uploader), \(action.why), \(action.matching))
            returning action_id
            """)
        return try rows[0].decode("action_id", as: Int64.self)
    }

    package func advance(_ id: Int64, done: Int) async throws {
        try await pool.query("select darkroom.note_progress(\(id), \(done))")
    }

    package func end(_ id: Int64, done: Int, fault: String? = nil) async throws {
        try await pool.query(
            "select darkroom.note_progress(\(id), \(done), is_over => true, fault => \(fault))")
    }

    /// Records an action with one step: that it begins, and how it ended. Nothing was done if `body` returns false.
    package func record<T>(_ action: OperatorAction, _ body: () async throws -> T) async throws -> T {
        let id = try await begin(action)
        do {
            let value = try await body()
            try await end(id, done: (value as? Bool) == false ? 0 : 1)
            return value
        } catch {
            try await end(id, done: 0, fault: "\(error)")
            throw error
        }
    }

    /// The latest actions, latest first.
    ///
    /// - Parameter cursor: return only actions with lower numbers, to read the next page.
    package func latest(before cursor: Int64? = nil, limit: Int) async throws -> [OperatorActionRecord] {
        try await pool.query(
            """
            select * from darkroom.operator_actions
            where \(cursor)::bigint is null or action_id < \(cursor) order by action_id desc limit \(limit)
            """
        ).map(OperatorActionRecord.init)
    }

    package func action(_ id: Int64) async throws -> OperatorActionRecord? {
        try await pool.query("select * from darkroom.operator_actions where action_id = \(id)")
            .first.map(OperatorActionRecord.init)
    }
}

extension OperatorActionRecord {
    fileprivate init(row: PostgresRow) throws {
        self.init(
            id: try row.decode("action_id", as: Int64.self),
            by: try row.decode("requested_by", as: String.self),
            role: try row.decode("role", as: String.self), source: try row.decode("source", as: String.self),
            action: try row.decode("action", as: String.self),
            target: try row.decode("target", as: String?.self),
            filter: try row.decode("filter", as: String?.self),
            uploader: try row.decode("uploader", as: String?.self),
            why: try row.decode("why", as: String?.self),
            startedAt: try row.decode("started_at", as: Date.self),
            matching: try row.decode("matching", as: Int.self), done: try row.decode("done", as: Int.self),
            progressedAt: try row.decode("progressed_at", as: Date.self),
            endedAt: try row.decode("ended_at", as: Date?.self),
            fault: try row.decode("fault", as: String?.self))
    }
}
