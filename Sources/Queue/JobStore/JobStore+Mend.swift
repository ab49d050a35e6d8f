import JobQueue
import Postgres

extension JobStore {
    /// Makes what is missing, or makes it again if it is not valid.
    ///
    /// Others go on writing meanwhile. Only an index of a partitioned table holds up its writers, for as long as it takes to make.
    /// It may be killed at any moment: what is left then is found and mended like any other fault.
    ///
    /// - Throws: `PostgresError`, such as `insufficientPrivilege` for a login that is not the tables' owner, or
    ///   `lockNotAvailable` if other transactions hold the table for long.
    package func mend(_ fault: DefinitionFault) async throws {
        try await pool.withConnection { connection in
            // An earlier mend may have failed. An index that is made while others write must wait for them.
            try await connection.execute("reset lock_timeout")
            // Definitions name some tables without their schema.
            try await connection.query(
                "select set_config('search_path', split_part('darkroom.x', '.', 1) || ', public', false)")
            try await Self.mend(fault, over: connection)
            try await connection.execute("reset search_path")
        }
    }

    private static func mend(_ fault: DefinitionFault, over connection: PostgresConnection) async throws {
        let index = "darkroom.\(quotedIdentifier(fault.name))"
        guard let definition = fault.definition else {
            let isLeftOver = fault.name.contains(#/_cc(new|old)\d*$/#)
            return try await connection.execute(
                isLeftOver ? "drop index concurrently \(index)" : "reindex index concurrently \(index)")
        }
        if let key = definition.firstMatch(of: DefinitionFault.key) {
            return try await mend(fault, definition, key.output, over: connection)
        }
        if let constraint = definition.firstMatch(of: DefinitionFault.constraint) {
            if !fault.isThere { try await change(definition, over: connection) }
            let (table, name) = (constraint.table, constraint.name)
            return try await change("alter table \(table) validate constraint \(name)", over: connection)
        }
        if fault.isThere { return try await connection.execute("reindex index concurrently \(index)") }
        if definition.contains(" CONCURRENTLY ") { return try await connection.execute(definition) }
        try await change(definition, over: connection)
    }

    private static func mend(
        _ fault: DefinitionFault, _ definition: String, _ key: DefinitionFault.Key,
        over connection: PostgresConnection
    ) async throws {
        let (table, constraint) = (key.table, key.name)
        let index = "darkroom.\(quotedIdentifier(fault.name))"
        let rows = try await connection.query(
            "select relkind = 'p' as is_partitioned from pg_class where oid = \(String(table))::text::regclass"
        )
        if try rows.first?.decode("is_partitioned", as: Bool.self) == true {
            let drop = fault.isKey ? "alter table \(table) drop constraint \(constraint); " : ""
            return try await change(drop + definition, over: connection)
        }
        if fault.isKey { return try await connection.execute("reindex index concurrently \(index)") }
        if fault.isThere, !fault.isUsable { try await connection.execute("drop index concurrently \(index)") }
        if !fault.isUsable {
            try await connection.execute(
                "create unique index concurrently \(constraint) on \(table) \(key.columns) \(key.nulls ?? "")"
            )
        }
        try await change(
            "alter table \(table) add constraint \(constraint) \(key.kind) using index \(constraint)",
            over: connection)
    }

    /// Runs a statement that needs the table for itself. While it waits for it, everybody else waits, so it does not wait long.
    private static func change(_ sql: String, over connection: PostgresConnection) async throws {
        for attempt in 1... {
            do {
                try await connection.execute("set lock_timeout = '2s'")
                try await connection.execute(sql)
                return try await connection.execute("reset lock_timeout")
            } catch let error as PostgresError where error.sqlState == .lockNotAvailable && attempt < 10 {
                try await Task.sleep(for: .seconds(1))
            }
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

extension DefinitionFault {
    fileprivate typealias Key = (
        Substring, table: Substring, name: Substring, kind: Substring, nulls: Substring?, columns: Substring
    )

    /// A key, as `schema_definitions` has it.
    fileprivate static var key: Regex<Key> {
        #/^alter table (?<table>\S+) add constraint (?<name>\S+) (?<kind>PRIMARY KEY|UNIQUE)(?: (?<nulls>NULLS NOT DISTINCT))? (?<columns>\([^()]+\))$/#
    }

    /// Another constraint.
    fileprivate static var constraint: Regex<(Substring, table: Substring, name: Substring)> {
        #/^alter table (?<table>\S+) add constraint (?<name>\S+) (?:CHECK|FOREIGN KEY) /#
    }
}
