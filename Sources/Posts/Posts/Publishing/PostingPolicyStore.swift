import FoundationEssentials
package import Postgres

/// The posting policies that operators have set.
package struct PostingPolicyStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The policies in force: the general one, and then those of categories by name.
    ///
    /// - Throws: ``PostError`` with `noPolicy`.
    package func inForce() async throws -> [PostingPolicy] {
        let policies = try await pool.query(
            """
            select distinct on (category) \(unescaped: Self.columns) from darkroom.posting_policies
            order by category nulls first, version desc
            """
        ).map { try PostingPolicy(row: $0) }
        guard policies.first?.category == nil, !policies.isEmpty else { throw PostError(.noPolicy) }
        return policies
    }

    /// Changes the policy in force for a category, or the general one, and appends the result, which is in force on return.
    ///
    /// - Throws: ``PostgresError`` with `checkViolation` if a value is out of range; the constraint says which.
    package func set(
        for category: String? = nil, note: String, _ change: (inout PostingPolicy) throws -> Void
    ) async throws -> PostingPolicy {
        try await pool.withTransaction { transaction in
            // Serialises changes, so that none silently undoes another.
            try await transaction.query("lock table darkroom.posting_policies in share row exclusive mode")
            let latest = try await transaction.query(
                """
                select \(unescaped: Self.columns) from darkroom.posting_policies
                where category is not distinct from darkroom.name_key(\(category)) order by version desc limit 1
                """)
            guard category != nil || !latest.isEmpty else { throw PostError(.noPolicy) }
            var policy =
                try latest.first.map { try PostingPolicy(row: $0) }
                ?? PostingPolicy(version: 0, category: category)
            try change(&policy)
            let rows = try await transaction.query(
                """
                insert into darkroom.posting_policies (
                    category, headline_required, caption_required, category_required, categories, link, link_hosts,
                    accuracy_at_most_m, photos_a_day, bytes_a_day, pictures_within_m, note)
                select \(policy.category)::text, \(policy.headlineRequired)::boolean, \(policy.captionRequired)::boolean,
                       \(policy.categoryRequired)::boolean, \(policy.categories)::text[],
                       \(policy.link?.rawValue)::text, \(policy.linkHosts)::text[],
                       \(policy.mostAccuracyMetres)::float8, \(policy.photosADay)::integer,
                       \(policy.bytesADay)::bigint, \(policy.picturesWithinMetres)::float8, \(note)::text
                returning \(unescaped: Self.columns)
                """)
            return try PostingPolicy(row: rows[0])
        }
    }

    private static let columns = """
        version, category, headline_required, caption_required, category_required, categories, link, link_hosts,
        accuracy_at_most_m, photos_a_day, bytes_a_day, pictures_within_m, note, created_at
        """
}

extension PostingPolicy {
    fileprivate init(row: PostgresRow) throws {
        self.init(
            version: try row.decode("version", as: Int.self),
            category: try row.decode("category", as: String?.self))
        headlineRequired = try row.decode("headline_required", as: Bool?.self)
        captionRequired = try row.decode("caption_required", as: Bool?.self)
        categoryRequired = try row.decode("category_required", as: Bool?.self)
        categories = try row.decode("categories", as: [String]?.self)
        linkHosts = try row.decode("link_hosts", as: [String]?.self)
        mostAccuracyMetres = try row.decode("accuracy_at_most_m", as: Double?.self)
        photosADay = try row.decode("photos_a_day", as: Int?.self)
        bytesADay = try row.decode("bytes_a_day", as: Int?.self)
        picturesWithinMetres = try row.decode("pictures_within_m", as: Double?.self)
        note = try row.decode("note", as: String.self)
        createdAt = try row.decode("created_at", as: Date.self)
        link = try row.decode("link", as: String?.self).map { rule in
            guard let link = LinkRule(rawValue: rule) else {
                throw PostgresError(.decoding, "“\(rule)” is not a rule for links")
            }
            return link
        }
    }
}
