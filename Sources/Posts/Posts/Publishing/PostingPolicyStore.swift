import FoundationEssentials
package import Postgres

/// The posting policies that operators have set.
package struct PostingPolicyStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The posting policy in force, which is the one with the highest version.
    ///
    /// - Throws: ``PostError`` with `noPolicy`.
    package func inForce() async throws -> PostingPolicy {
        try await pool.withConnection { try await Self.inForce(in: $0) }
    }

    /// Changes the posting policy in force and appends the result, which is in force on return.
    ///
    /// - Throws: ``PostgresError`` with `checkViolation` if a value is out of range; the constraint says which.
    package func set(
        note: String, _ change: (inout PostingPolicy) throws -> Void
    ) async throws -> PostingPolicy {
        try await pool.withTransaction { transaction in
            // Serialises changes, so that none silently undoes another.
            try await transaction.query("lock table darkroom.posting_policies in share row exclusive mode")
            var policy = try await Self.inForce(in: transaction)
            try change(&policy)
            try await transaction.query(
                """
                insert into darkroom.posting_policies (
                    headline_required, caption_required, category_required, categories, link, link_hosts, note)
                select \(policy.headlineRequired)::boolean, \(policy.captionRequired)::boolean,
                       \(policy.categoryRequired)::boolean,
                       \(policy.categories)::text[], \(policy.link.rawValue)::text, \(policy.linkHosts)::text[], \(note)::text
                """)
            return try await Self.inForce(in: transaction)
        }
    }

    private static func inForce(in connection: PostgresConnection) async throws -> PostingPolicy {
        let rows = try await connection.query("\(selection) order by version desc limit 1")
        guard let row = rows.first else { throw PostError(.noPolicy) }
        return try PostingPolicy(row: row)
    }

    private static let selection: PostgresQuery = """
        select version as posting_policy, headline_required, caption_required, category_required, categories,
               link as link_rule, link_hosts, note, created_at as set_at
        from darkroom.posting_policies
        """
}

extension PostingPolicy {
    /// Reads columns of `darkroom.posting_policies`. The query renames those that uploads have too.
    package init(row: PostgresRow) throws {
        self.init(version: try row.decode("posting_policy", as: Int.self))
        headlineRequired = try row.decode("headline_required", as: Bool.self)
        captionRequired = try row.decode("caption_required", as: Bool.self)
        categoryRequired = try row.decode("category_required", as: Bool.self)
        categories = try row.decode("categories", as: [String]?.self)
        linkHosts = try row.decode("link_hosts", as: [String]?.self)
        note = try row.decode("note", as: String.self)
        createdAt = try row.decode("set_at", as: Date.self)
        let rule = try row.decode("link_rule", as: String.self)
        guard let link = LinkRule(rawValue: rule) else {
            throw PostgresError(.decoding, "“\(rule)” is not a rule for links")
        }
        self.link = link
    }
}
