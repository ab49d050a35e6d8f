import JobQueue
import Postgres

extension JobStore {
    /// Makes an index that is missing, or makes one again that is not valid.
    ///
    /// Others go on writing meanwhile. Only an index of a partitioned table holds up its writers, for as long as it takes to make.
    ///
    /// - Throws: `PostgresError`, such as `insufficientPrivilege` for a login that is not the tables' owner.
    package func mend(_ fault: IndexFault) async throws {
        try await pool.withConnection { connection in
            // Definitions name some tables without their schema.
            try await connection.query(
                "select set_config('search_path', split_part('darkroom.x', '.', 1) || ', public', false)")
            for statement in fault.statements { try await connection.execute(statement) }
            try await connection.execute("reset search_path")
        }
    }

    /// Lets autovacuum work on a table again.
    package func enableAutovacuum(of table: String) async throws {
        try await pool.query(
            "alter table darkroom.\(unescaped: quotedIdentifier(table)) reset (autovacuum_enabled)")
    }

    /// Removes a table's dead rows, while others work.
    package func vacuum(_ table: String) async throws {
        try await pool.withConnection { try await $0.execute("vacuum darkroom.\(quotedIdentifier(table))") }
    }

    /// Ends the session whose transaction keeps dead rows from being removed.
    ///
    /// - Returns: whether the process had such a transaction.
    package func endTransaction(of process: Int) async throws -> Bool {
        let holders = try await snapshotHolders()
        guard holders.contains(where: { $0.kind == .transaction && $0.name == String(process) }) else {
            return false
        }
        let rows = try await pool.query("select pg_terminate_backend(\(process)::int, 10000) as has_ended")
        return try rows.first?.decode("has_ended", as: Bool.self) ?? false
    }
}

extension IndexFault {
    /// SQL that mends it.
    fileprivate var statements: [String] {
        switch state {
        case .missing(let definition):
            if let index = definition.firstMatch(of: Self.key) {
                let (table, name, kind, columns) = (index.table, index.name, index.kind, index.columns)
                return [
                    "create unique index concurrently \(name) on \(table) \(columns)",
                    "alter table \(table) add constraint \(name) \(kind) using index \(name)",
                ]
            }
            return [String(definition)]
        case .invalid: return ["reindex index concurrently darkroom.\(quotedIdentifier(name))"]
        case .leftOver: return ["drop index concurrently darkroom.\(quotedIdentifier(name))"]
        case .invalidOfPartitions(let definition):
            return ["drop index darkroom.\(quotedIdentifier(name))", definition]
        }
    }

    /// A key of a table without partitions, as `schema_indexes` has it: its index can be made while others write.
    private static var key:
        Regex<(Substring, table: Substring, name: Substring, kind: Substring, columns: Substring)>
    {
        #/^alter table (?<table>\S+) add constraint (?<name>\S+) (?<kind>PRIMARY KEY|UNIQUE) (?<columns>\([^()]+\))$/#
    }
}
