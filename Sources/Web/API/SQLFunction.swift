import Postgres

/// A function of the SQL API, as the database has it.
struct SQLFunction: Sendable {
    struct Parameter: Sendable {
        let name: String
        /// The name of its type: a domain such as `latitude`, or the same as `base`.
        let type: String
        /// What the type is made of, such as `float8`.
        let base: String
        let isOptional: Bool
    }

    struct Column: Sendable {
        let name: String
        let type: String
    }

    let name: String
    let parameters: [Parameter]
    let returnsSet: Bool
    /// Of the rows it returns; empty for a single value.
    let columns: [Column]
    /// The type of the single value.
    let value: String
    let comment: String
    /// What its comment says that it raises.
    private(set) var errors: Set<SQLState> = []

    /// All functions with these names.
    ///
    /// - Throws: `PostgresError` if the database cannot be asked.
    static func read(_ names: [String], from pool: PostgresPool) async throws -> [String: SQLFunction] {
        let rows = try await pool.query(
            """
            with recursive bases (type, base) as (
                select oid, oid from pg_type where typtype <> 'd'
                union all
                select t.oid, b.base from pg_type t join bases b on b.type = t.typbasetype where t.typtype = 'd')
            select p.proname as name, p.proretset as returns_set, coalesce(obj_description(p.oid, 'pg_proc'), '') as comment,
                   (select b.typname from pg_type b where b.oid = p.prorettype) as value,
                   array(select p.proargnames[a.number]
                         from unnest(p.proargtypes::oid[]) with ordinality a (type, number) order by a.number) as arguments,
                   array(select t.typname::text
                         from unnest(p.proargtypes::oid[]) with ordinality a (type, number)
                         join pg_type t on t.oid = a.type order by a.number) as types,
                   array(select t.typname::text
                         from unnest(p.proargtypes::oid[]) with ordinality a (type, number)
                         join bases b on b.type = a.type join pg_type t on t.oid = b.base order by a.number) as bases,
                   p.pronargs - p.pronargdefaults as required,
                   case when p.proallargtypes is null
                        then array(select c.attname::text from pg_attribute c join pg_type t on t.typrelid = c.attrelid
                                   where t.oid = p.prorettype and c.attnum > 0 and not c.attisdropped order by c.attnum)
                        else p.proargnames[p.pronargs + 1:] end as columns,
                   case when p.proallargtypes is null
                        then array(select ct.typname::text from pg_attribute c join pg_type t on t.typrelid = c.attrelid
                                   join pg_type ct on ct.oid = c.atttypid
                                   where t.oid = p.prorettype and c.attnum > 0 and not c.attisdropped order by c.attnum)
                        else array(select t.typname::text
                                   from unnest(p.proallargtypes[p.pronargs + 1:]) with ordinality a (type, number)
                                   join pg_type t on t.oid = a.type order by a.number) end as column_types
            from pg_proc p
            where p.pronamespace = (select typnamespace from pg_type where oid = to_regtype('darkroom.feed_post'))
              and p.proname = any (\(names)::text[])
            """)
        var functions: [String: SQLFunction] = [:]
        var errors: [String: Substring] = [:]
        for row in rows {
            let required = try row.decode("required", as: Int.self)
            let names = try row.decode("arguments", as: [String].self)
            let types = try row.decode("types", as: [String].self)
            let bases = try row.decode("bases", as: [String].self)
            let columns = zip(
                try row.decode("columns", as: [String].self),
                try row.decode("column_types", as: [String].self))
            let name = try row.decode("name", as: String.self)
            let comment = try row.decode("comment", as: String.self).split(
                separator: Self.errorsMark, maxSplits: 1)
            errors[name] = comment.count > 1 ? comment[1] : ""
            functions[name] = SQLFunction(
                name: name,
                parameters: names.indices.map {
                    Parameter(name: names[$0], type: types[$0], base: bases[$0], isOptional: $0 >= required)
                },
                returnsSet: try row.decode("returns_set", as: Bool.self),
                columns: columns.map { Column(name: $0, type: $1) },
                value: try row.decode("value", as: String.self),
                comment: comment.first.map(String.init) ?? "")
        }
        for (name, text) in errors {
            let others = text.matches(of: /those of (\w+)/).compactMap { errors[String($0.1)] }
            functions[name]?.errors = Set(
                ([text] + others).flatMap { $0.matches(of: /\b(?:22|23|42|53|55|P0)[0-9A-Z]{3}\b/) }
                    .map { SQLState(String($0.0)) })
        }
        return functions
    }

    /// Where a comment begins to list what its function raises: `Errors: P0002 if …, 23505 (rule) if …`.
    private static let errorsMark = " Errors: "
}
