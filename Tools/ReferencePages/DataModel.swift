package import Postgres

/// A diagram of the main tables, made from the database's catalog.
package struct DataModel: Sendable {
    /// A column that refers to another table, maintained by functions rather than by a foreign key.
    struct Reference: Sendable {
        let child: String
        let column: String
        let parent: String

        init(_ child: String, _ column: String, _ parent: String) {
            (self.child, self.column, self.parent) = (child, column, parent)
        }
    }

    static let tables = [
        "uploads", "queues", "lanes", "jobs", "finished_jobs", "job_attempts", "workers", "posts",
        "renditions",
        "post_exact_locations", "place_corrections", "post_counters", "counter_changes", "votes", "comments",
        "comment_votes", "people", "reports", "moderation_policies", "moderation_decisions",
        "moderation_evidence",
        "appeals", "reviews", "removals", "removed_hashes", "hash_lists", "listed_hashes", "hash_refusals",
        "feed", "ranks", "outbox", "event_log",
    ]

    /// A foreign key locks the row it refers to on every insert, so tables that many write at once have none.
    static let references = [
        Reference("jobs", "lane", "lanes"), Reference("finished_jobs", "lane", "lanes"),
        Reference("jobs", "subject_id", "uploads"), Reference("finished_jobs", "subject_id", "uploads"),
        Reference("uploads", "uploader", "people"), Reference("posts", "uploader", "people"),
        Reference("job_attempts", "job_id", "jobs"),
        Reference("votes", "post_id", "posts"), Reference("comments", "post_id", "posts"),
        Reference("comment_votes", "comment_id", "comments"), Reference("reports", "post_id", "posts"),
        Reference("reports", "reporter", "people"), Reference("post_counters", "post_id", "posts"),
        Reference("counter_changes", "post_id", "posts"),
        Reference("moderation_decisions", "post_id", "posts"),
        Reference("removals", "post_id", "posts"), Reference("removed_hashes", "post_id", "posts"),
        Reference("moderation_decisions", "hash_list", "hash_lists"),
        Reference("hash_refusals", "list_id", "hash_lists"),
        Reference("feed", "post_id", "posts"), Reference("ranks", "post_id", "feed"),
        Reference("outbox", "post_id", "posts"), Reference("outbox", "comment_id", "comments"),
        Reference("event_log", "post_id", "posts"), Reference("event_log", "comment_id", "comments"),
    ]

    private let connection: PostgresConnection

    package init(_ connection: PostgresConnection) {
        self.connection = connection
    }

    /// Markdown with a Mermaid diagram: each table with its keys and references.
    ///
    /// - Throws: ``PostgresError`` with `decoding` if a table or column of the diagram does not exist.
    package func markdown() async throws -> String {
        try await connection.transaction { transaction in
            // Makes types carry their schema's name, whatever the login's search path is.
            try await transaction.query("set local search_path = pg_catalog")
            return try await DataModel(transaction).page()
        }
    }

    private func page() async throws -> String {
        let columns = try await columns()
        let keys = try await foreignKeys()
        var lines = [Self.introduction, "```mermaid", "erDiagram"]
        let soft = Self.references.filter { reference in
            !keys.contains { $0.child == reference.child && $0.column == reference.column }
        }
        for table in Self.tables {
            guard let own = columns[table] else {
                throw PostgresError(.decoding, "there is no table \(table), which the data model draws")
            }
            lines.append("    \(table) {")
            for column in own {
                let isReference = (keys + soft).contains { $0.child == table && $0.column == column.name }
                guard column.isKey || isReference else { continue }
                let marks = [column.isKey ? "PK" : nil, isReference ? "FK" : nil].compactMap { $0 }
                lines.append("        \(column.type) \(column.name) \(marks.joined(separator: ", "))")
            }
            lines.append("    }")
        }
        for (references, line) in [(keys, "--"), (soft, "..")] {
            for reference in references {
                guard let column = columns[reference.child]?.first(where: { $0.name == reference.column })
                else {
                    throw PostgresError(
                        .decoding,
                        "there is no column \(reference.child).\(reference.column), which the data model draws"
                    )
                }
                let many = column.isUnique ? "o|" : "o{"
                lines.append(
                    "    \(reference.parent) ||\(line)\(many) \(reference.child) : \(reference.column)")
            }
        }
        for name in Self.copies.flatMap({ $0.truth + $0.copy }) {
            let parts = name.split(separator: ".").map(String.init)
            guard let table = columns[parts[0]],
                parts.count == 1 || table.contains(where: { $0.name == parts[1] })
            else {
                throw PostgresError(.decoding, "there is no \(name), which the data model names")
            }
        }
        return (lines + ["```", Self.section(of: Self.copies)]).joined(separator: "\n")
    }

    private static let introduction = """
        # The data model

        The main tables with their keys. A solid line is a foreign key. A dotted line is a reference that functions and triggers
        maintain: a foreign key would lock the row it refers to on every insert, and the many people who act on one post at once
        must not wait for each other. `jobs.subject_id` is an upload (ingest) or a post (moderate and others).

        `darkroom-dev docs data-model` generates this page, and a test compares it with the database. The functions that use
        these tables are in [sql-api.md](sql-api.md), and the rights on them in [roles.md](roles.md).

        """

    private struct Column {
        let name: String
        let type: String
        let isKey: Bool
        let isUnique: Bool
    }

    private func columns() async throws -> [String: [Column]] {
        let rows = try await connection.query(
            """
            select c.relname::text as table_name, a.attname::text as name,
                   replace(replace(format_type(a.atttypid, null), n.nspname || '.', ''), ' ', '_') as type,
                   exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any (i.indkey))
                       as is_key,
                   exists (select from pg_index i where i.indrelid = c.oid and i.indisunique and i.indpred is null
                           and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) as is_unique
            from pg_class c
            join pg_class s on s.oid = 'darkroom.settings'::regclass and s.relnamespace = c.relnamespace
            join pg_namespace n on n.oid = c.relnamespace
            join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            where c.relkind in ('r', 'p')
            order by c.relname::text collate "C", a.attnum
            """)
        var result: [String: [Column]] = [:]
        for row in rows {
            result[try row.decode("table_name", as: String.self), default: []].append(
                Column(
                    name: try row.decode("name", as: String.self),
                    type: try row.decode("type", as: String.self),
                    isKey: try row.decode("is_key", as: Bool.self),
                    isUnique: try row.decode("is_unique", as: Bool.self)))
        }
        return result
    }

    /// The foreign keys of one column, between tables of the diagram.
    private func foreignKeys() async throws -> [Reference] {
        let rows = try await connection.query(
            """
            select c.relname::text as child, a.attname::text as name, p.relname::text as parent
            from pg_constraint k
            join pg_class c on c.oid = k.conrelid
            join pg_class s on s.oid = 'darkroom.settings'::regclass and s.relnamespace = c.relnamespace
            join pg_class p on p.oid = k.confrelid
            join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
            where k.contype = 'f' and cardinality(k.conkey) = 1
              and c.relname = any (\(Self.tables)) and p.relname = any (\(Self.tables))
            order by p.relname::text collate "C", c.relname::text collate "C", a.attname::text collate "C"
            """)
        return try rows.map { row in
            Reference(
                try row.decode("child", as: String.self), try row.decode("name", as: String.self),
                try row.decode("parent", as: String.self))
        }
    }
}
