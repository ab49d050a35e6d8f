import FoundationEssentials
import JobStore
package import Postgres

/// The moderation policies that operators have set.
package struct ModerationPolicyStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The policy in force, which is the one with the highest version.
    ///
    /// - Throws: ``PostError`` with `noPolicy`.
    package func inForce() async throws -> ModerationPolicy {
        try await pool.withConnection { try await Self.inForce(in: $0) }
    }

    /// Every policy, latest first.
    package func all() async throws -> [ModerationPolicy] {
        try await pool.query(
            "\(Self.selection) order by version desc"
        ).map(ModerationPolicy.init)
    }

    /// Changes the policy in force and appends the result, which is in force on return.
    ///
    /// - Throws: ``PostgresError`` with `checkViolation` if a value is out of range; the constraint says which.
    package func set(
        note: String, _ change: (inout ModerationPolicy) throws -> Void
    ) async throws -> ModerationPolicy {
        try await pool.withTransaction { transaction in
            // Serialises changes, so that none silently undoes another.
            try await transaction.query(
                "lock table darkroom.moderation_policies in share row exclusive mode")
            var policy = try await Self.inForce(in: transaction)
            try change(&policy)
            policy.note = note
            let (columns, values) = PolicyParameter.row(of: policy)
            let rows = try await transaction.query(
                """
                insert into darkroom.moderation_policies (\(unescaped: columns)) values (\(values))
                returning version
                """)
            guard rows.count == 1 else { throw PostError(.noPolicy) }
            return try await Self.inForce(in: transaction)
        }
    }

    /// Throws the table's error for an invalid policy, without adding it.
    static func check(_ policy: ModerationPolicy, in transaction: PostgresConnection) async throws {
        try await transaction.query(
            """
            create temporary table policy_to_check (
                like darkroom.moderation_policies including defaults including constraints) on commit drop
            """)
        let (columns, values) = PolicyParameter.row(of: policy)
        try await transaction.query(
            "insert into policy_to_check (version, \(unescaped: columns)) values (0, \(values))")
    }

    static func inForce(in connection: PostgresConnection) async throws -> ModerationPolicy {
        let rows = try await connection.query("\(selection) order by version desc limit 1")
        guard let row = rows.first else { throw PostError(.noPolicy) }
        return try ModerationPolicy(row: row)
    }

    private static let selection: PostgresQuery = {
        let columns = PolicyParameter.all.map(\.selection).joined(separator: ", ")
        return PostgresQuery(
            unescaped: "select version, note, created_at, \(columns) from darkroom.moderation_policies")
    }()
}

extension PolicyParameter {
    /// The columns that a policy sets, and their values.
    fileprivate static func row(of policy: ModerationPolicy) -> (columns: String, values: PostgresQuery) {
        var columns = "note"
        var values: PostgresQuery = "\(policy.note)"
        for parameter in all {
            columns += ", \(parameter.column)"
            values = "\(values), \(parameter.sql(in: policy))"
        }
        return (columns, values)
    }

    /// The column as an expression that can be decoded.
    fileprivate var selection: String {
        switch value {
        case .number, .whole, .text: column
        case .span: "extract(epoch from \(column))::float8 as \(column)"
        case .reasons: "\(column)::text[] as \(column)"
        }
    }

    fileprivate func sql(in policy: ModerationPolicy) -> PostgresQuery {
        switch value {
        case .number(let path): "\(policy[keyPath: path])::float8"
        case .whole(let path): "\(policy[keyPath: path])::integer"
        case .span(let path): "make_interval(secs => \(policy[keyPath: path].inSeconds)::float8)"
        case .reasons(let path): "\(policy[keyPath: path].map(\.rawValue))::darkroom.report_reason[]"
        case .text(let path): "\(policy[keyPath: path])::text"
        }
    }
}

extension ModerationPolicy {
    fileprivate init(row: PostgresRow) throws {
        self.init(version: try row.decode("version", as: Int.self))
        note = try row.decode("note", as: String.self)
        createdAt = try row.decode("created_at", as: Date.self)
        for parameter in PolicyParameter.all {
            let column = parameter.column
            switch parameter.value {
            case .number(let path): self[keyPath: path] = try row.decode(column, as: Double.self)
            case .whole(let path): self[keyPath: path] = try row.decode(column, as: Int.self)
            case .span(let path): self[keyPath: path] = .seconds(try row.decode(column, as: Double.self))
            case .text(let path): self[keyPath: path] = try row.decode(column, as: String.self)
            case .reasons(let path):
                self[keyPath: path] = try row.decode(column, as: [String].self).map(ReportGround.init(name:))
            }
        }
    }
}

extension ReportGround {
    init(name: String) throws {
        guard let reason = Self(rawValue: name) else { throw PostError(.unknownReason(name)) }
        self = reason
    }
}
