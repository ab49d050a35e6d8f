import Postgres

/// What the database has recorded about its schema.
extension Migrator {
    private static let bookkeeping = """
        create table if not exists darkroom.schema_files (
            name       text primary key,
            kind       text not null check (kind in ('table', 'pinned', 'function', 'trigger')),
            checksum   text not null,
            callers    text[] not null default '{}',
            applied_at timestamptz not null default clock_timestamp());
        comment on table darkroom.schema_files is
            'The files of sql/ that were applied, with the checksums of their texts and the roles that may call a function. Only darkroom migrate writes it.';
        create table if not exists darkroom.schema_definitions (
            name       text primary key,
            definition text not null);
        comment on table darkroom.schema_definitions is
            'The indexes that the tables should have and the constraints that hold for their rows (such as caption_is_short on posts), each with the statement that makes it. Only darkroom migrate writes it.';
        create table if not exists darkroom.schema_release (
            is_only_row   boolean primary key default true check (is_only_row),
            release       text not null,
            oldest_served text not null,
            migrated_at   timestamptz not null default clock_timestamp());
        comment on table darkroom.schema_release is
            'The newest release that has migrated the database. Workers older than oldest_served claim nothing. Only darkroom migrate writes it.';
        """

    /// The OID of the schema; null before it exists.
    private static let schema = "to_regnamespace('darkroom')"

    typealias Recorded = (kind: SchemaFile.Kind, checksum: String, appliedAt: String)

    private func hasRecord() async throws -> Bool {
        let rows = try await connection.query(
            "select to_regclass('darkroom.schema_files') is not null as yes")
        return try rows.first?.decode("yes", as: Bool.self) ?? false
    }

    func recorded() async throws -> [String: Recorded] {
        guard try await hasRecord() else { return [:] }
        let rows = try await connection.query(
            "select name, kind, checksum, applied_at::text as applied_at from darkroom.schema_files")
        var result: [String: Recorded] = [:]
        for row in rows {
            guard let kind = SchemaFile.Kind(rawValue: try row.decode("kind", as: String.self)) else {
                continue
            }
            result[try row.decode("name", as: String.self)] = (
                kind, try row.decode("checksum", as: String.self),
                try row.decode("applied_at", as: String.self)
            )
        }
        return result
    }

    func record(_ file: SchemaFile) async throws {
        try await connection.query(
            """
            insert into darkroom.schema_files (name, kind, checksum, callers)
            values (\(file.name), \(file.kind.rawValue), \(file.checksum), \(file.callers))
            on conflict (name) do update
            set kind = excluded.kind, checksum = excluded.checksum, callers = excluded.callers, applied_at = excluded.applied_at
            """)
    }

    /// Indexes and keys, and constraints in the form `caption_is_short on posts`, each with the statement that makes it. What a
    /// partitioned table has stands for what its partitions have.
    private static let definitions = """
        select c.relname::text as name,
               case when k.oid is not null
                    then format('alter table %s add constraint %I %s', i.indrelid::regclass, k.conname,
                                pg_get_constraintdef(k.oid))
                    -- The index of a partitioned table cannot be built without blocking its writers.
                    when c.relkind = 'I' then replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ')
                    else replace(pg_get_indexdef(c.oid), ' INDEX ', ' INDEX CONCURRENTLY ') end as definition
        from pg_class c join pg_index i on i.indexrelid = c.oid
        left join pg_constraint k on k.conindid = c.oid and k.contype in ('p', 'u', 'x')
        where c.relnamespace = \(schema) and not c.relispartition
        union all
        select format('%s on %s', k.conname, c.relname),
               format('alter table %s add constraint %I %s%s', c.oid::regclass, k.conname,
                      replace(pg_get_constraintdef(k.oid), ' NOT VALID', ''),
                      -- Rows that are there are looked at afterwards, while others write.
                      case when k.contype = 'c' or c.relkind = 'r' then ' NOT VALID' else '' end)
        from pg_constraint k join pg_class c on c.oid = k.conrelid
        where c.relnamespace = \(schema) and k.contype in ('c', 'f') and k.conparentid = 0 and k.conislocal
        """

    func definitionNames() async throws -> [String] {
        try await connection.query("select name from (\(unescaped: Self.definitions)) d")
            .map { try $0.decode("name", as: String.self) }
    }

    /// Records what table files made and dropped. What is dropped by hand stays recorded, so that it is missed.
    func recordDefinitions(madeSince before: [String]) async throws {
        try await connection.query(
            """
            insert into darkroom.schema_definitions (name, definition)
            select name, definition from (\(unescaped: Self.definitions)) d where name <> all (\(before))
            on conflict (name) do update set definition = excluded.definition
            """)
        try await connection.query(
            """
            delete from darkroom.schema_definitions s
            where s.name = any (\(before))
              and not exists (select from (\(unescaped: Self.definitions)) d where d.name = s.name)
            """)
    }

    /// Creates the schema, if there is none, and the tables that say what was applied.
    func prepareRecord() async throws {
        let rows = try await connection.query("select \(unescaped: Self.schema) is not null as yes")
        // `create schema if not exists` needs a right on the database even if the schema exists.
        if try rows.first?.decode("yes", as: Bool.self) != true {
            try await connection.execute("create schema darkroom")
        }
        try await connection.execute(Self.bookkeeping)
    }

    /// The names of the functions that exist, and of the triggers in the form `feed_of_changed on posts`.
    func presentObjects() async throws -> Set<String> {
        let rows = try await connection.query(
            """
            select proname::text as name from pg_proc where pronamespace = \(unescaped: Self.schema)
            union all
            select format('%s on %s', t.tgname, c.relname) from pg_trigger t join pg_class c on c.oid = t.tgrelid
            where c.relnamespace = \(unescaped: Self.schema) and not t.tgisinternal
            """)
        return try Set(rows.map { try $0.decode("name", as: String.self) })
    }

    /// The constraints that hold for every row, in the form `caption_is_short on posts`.
    func validatedConstraints() async throws -> Set<String> {
        let rows = try await connection.query(
            """
            select format('%s on %s', k.conname, c.relname) as name
            from pg_constraint k join pg_class c on c.oid = k.conrelid
            where c.relnamespace = \(unescaped: Self.schema) and k.convalidated
            """)
        return try Set(rows.map { try $0.decode("name", as: String.self) })
    }

    /// Looks at every row of a table. Others read and write it meanwhile.
    func validate(_ constraint: String) async throws {
        let parts = constraint.split(separator: " ").map(String.init)
        guard parts.count == 3 else { throw SchemaError(reason: .unknownConstraint(constraint)) }
        try await connection.transaction { transaction in
            try await transaction.query("set local lock_timeout = '2s'")
            try await transaction.query(
                "alter table darkroom.\(unescaped: quotedIdentifier(parts[2])) validate constraint \(unescaped: quotedIdentifier(parts[0]))"
            )
        }
    }

    /// Drops what an earlier release had and this one does not. What others have put into the schema stays.
    func drop(_ removed: SchemaStatus) async throws {
        let parts = removed.name.split(separator: " ")
        if removed.kind == .trigger, parts.count == 3 {
            try await connection.query(
                "drop trigger if exists \(unescaped: quotedIdentifier(String(parts[0]))) on darkroom.\(unescaped: quotedIdentifier(String(parts[2])))"
            )
        } else {
            try await connection.query(
                "drop routine if exists darkroom.\(unescaped: quotedIdentifier(removed.name))")
        }
        try await connection.query("delete from darkroom.schema_files where name = \(removed.name)")
    }

    /// The newest release that has migrated the database; nil before the first.
    func recordedRelease() async throws -> SchemaRelease? {
        let there = try await connection.query(
            "select to_regclass('darkroom.schema_release') is not null as yes")
        guard try there.first?.decode("yes", as: Bool.self) == true else { return nil }
        let rows = try await connection.query("select release, oldest_served from darkroom.schema_release")
        return try rows.first.flatMap {
            SchemaRelease(
                release: try $0.decode("release", as: String.self),
                oldestServed: try $0.decode("oldest_served", as: String.self))
        }
    }

    func record(_ release: SchemaRelease) async throws {
        try await connection.query(
            """
            insert into darkroom.schema_release (release, oldest_served)
            values (\(release.release.description), \(release.oldestServed.description))
            on conflict (is_only_row) do update
            set release = excluded.release, oldest_served = excluded.oldest_served, migrated_at = excluded.migrated_at
            """)
    }

    /// Checks that every function file has left exactly one function.
    func checkFunctions() async throws {
        let rows = try await connection.query(
            """
            select f.name, (select count(*)::int from pg_proc p
                            where p.pronamespace = \(unescaped: Self.schema) and p.proname = f.name) as count
            from darkroom.schema_files f where f.kind in ('pinned', 'function')
            """)
        for row in rows {
            let count = try row.decode("count", as: Int.self)
            if count != 1 {
                throw SchemaError(
                    reason: .notOneFunction(try row.decode("name", as: String.self), count: count))
            }
        }
    }
}
