package import Postgres
import Schema

/// The reference of the public SQL functions, made from the signatures, types and comments in the database's catalog.
package struct SQLReference: Sendable {
    private let connection: PostgresConnection

    package init(_ connection: PostgresConnection) {
        self.connection = connection
    }

    /// Markdown: every public function, by chapters, then the types that they take and return.
    package func markdown() async throws -> String {
        try await connection.transaction { transaction in
            // Makes types carry their schema's name, whatever the login's search path is.
            try await transaction.query("set local search_path = pg_catalog")
            return try await SQLReference(transaction).page()
        }
    }

    private func page() async throws -> String {
        let functions = try await functions()
        let chapters = Self.chapters.map { chapter in
            let described = SchemaFile.all.filter { $0.subject == chapter.subject }.compactMap { file in
                file.example.flatMap { example in
                    functions.first { $0.name == file.name }.map { (function: $0, example: example) }
                }
            }
            return (title: chapter.title, described: described)
        }
        var text = Self.introduction + "\n## All of them\n"
        for chapter in chapters {
            text += "\n**\(chapter.title)**\n\n"
            for (function, _) in chapter.described {
                text += "- [`\(function.name)`](#\(function.name)): \(function.summary)\n"
            }
        }
        for chapter in chapters {
            text += "\n## \(chapter.title)\n"
            for (function, example) in chapter.described {
                text += function.markdown + "\n```sql\n\(example);\n```\n"
            }
        }
        text += "\n## Types\n"
        for type in try await types() { text += type.markdown }
        return text
    }

    private static let chapters: [(title: String, subject: String)] = [
        ("Uploading", "uploads"), ("Posts, votes and comments", "posts"),
        ("Moderation", "moderation"),
        ("People", "people"), ("Events", "events"), ("Feeds and boards", "feeds"), ("The map", "map"),
        ("The queue", "queue"),
    ]

    private static let introduction = """
        # The SQL API

        An app calls these functions with any driver, in its own transactions. Its login needs the role `darkroom_api`; for the
        feeds, `darkroom_reader` is enough, and those who decide on posts need `darkroom_moderator`: see [roles.md](roles.md).
        You can give arguments by name (`at_most => 6`) in any order,
        and leave out those with a default. Recognize errors by their SQLSTATE and the constraint's name, not by their texts.
        Types such as `darkroom.person` are checked texts and numbers: pass a plain text or number. One that its type does not
        allow raises 23514 before the function does anything, and the error's field for the data type names the type.
        Coordinates are WGS 84 in degrees. People are opaque identifiers of 1 to 200 characters that the app vouches for.

        `darkroom-dev docs sql-api` generates this page, and a test compares it with the database and runs its examples.

        """

    private struct Argument {
        let name: String
        let type: String
        let defaultValue: String?
    }

    private struct Function {
        let name: String
        let comment: String
        let isForReaders: Bool
        let isForApps: Bool
        let arguments: [Argument]
        let columns: [Argument]
        let result: String

        /// The first sentence of the comment.
        var summary: Substring { comment[..<(comment.firstRange(of: ". ")?.lowerBound ?? comment.endIndex)] }

        var markdown: String {
            let answer =
                columns.isEmpty ? result : columns.map { "`\($0.name)` \($0.type)" }.joined(separator: ", ")
            var text = "\n### \(name)\n\n\(comment)\n\n"
            text +=
                "Returns: \(answer).\(!isForApps ? " For `darkroom_moderator`." : isForReaders ? "" : " Not for `darkroom_reader`.")\n\n"
            text += "| argument | type | default |\n|---|---|---|\n"
            for argument in arguments {
                // Without the cast: the type has its own column.
                let value = argument.defaultValue.map { value in
                    let end = value.firstRange(of: "::")?.lowerBound ?? value.endIndex
                    return "`\(value[..<end] == "NULL" ? "null" : value[..<end])`"
                }
                text += "| `\(argument.name)` | \(argument.type) | \(value ?? "(required)") |\n"
            }
            return text
        }
    }

    private func functions() async throws -> [Function] {
        let rows = try await connection.query(Self.functionQuery)
        return try rows.map(Self.function)
    }

    private static func function(_ row: PostgresRow) throws -> Function {
        let names = try row.decode("names", as: [String].self)
        let types = try row.decode("types", as: [String].self)
        let modes = try row.decode("modes", as: [String].self)
        let defaults = try row.decode("defaults", as: [String?].self)
        var arguments: [Argument] = []
        var columns: [Argument] = []
        for (index, name) in names.enumerated() {
            let argument = Argument(name: name, type: types[index], defaultValue: defaults[index])
            if modes[index] == "i" { arguments.append(argument) } else { columns.append(argument) }
        }
        return Function(
            name: try row.decode("name", as: String.self),
            comment: try row.decode("comment", as: String.self),
            isForReaders: try row.decode("for_readers", as: Bool.self),
            isForApps: try row.decode("for_apps", as: Bool.self), arguments: arguments,
            columns: columns,
            result: try row.decode("result", as: String.self))
    }

    private struct Described {
        let name: String
        let comment: String?
        /// The values of an enumeration.
        let labels: [String]
        /// The columns of a row type.
        let columns: [Argument]
        /// The type that a domain restricts.
        let base: String?
        /// The names of a domain's own constraints.
        let rules: [String]

        var markdown: String {
            var text = "\n### \(name)\n\n"
            if let comment { text += comment + "\n\n" }
            if !labels.isEmpty { return text + labels.map { "`\($0)`" }.joined(separator: ", ") + "\n" }
            if let base {
                text += "A checked \(base)."
                if !rules.isEmpty {
                    text += " 23514: " + rules.map { "`\($0)`" }.joined(separator: ", ") + "."
                }
                return text + "\n"
            }
            text += "| column | type |\n|---|---|\n"
            for column in columns { text += "| `\(column.name)` | \(column.type) |\n" }
            return text
        }
    }

    /// The enumerations and row types that public functions take and return, and those within them.
    private func types() async throws -> [Described] {
        let rows = try await connection.query(Self.typeQuery)
        return try rows.map { row in
            let names = try row.decode("columns", as: [String].self)
            let types = try row.decode("types", as: [String].self)
            return Described(
                name: try row.decode("name", as: String.self),
                comment: try row.decode("comment", as: String?.self),
                labels: try row.decode("labels", as: [String].self),
                columns: zip(names, types).map { Argument(name: $0, type: $1, defaultValue: nil) },
                base: try row.decode("base", as: String?.self),
                rules: try row.decode("rules", as: [String].self))
        }
    }
}

extension SQLReference {
    fileprivate static let functionQuery: PostgresQuery = """
        select p.proname::text as name, coalesce(obj_description(p.oid, 'pg_proc'), '') as comment, f.for_readers, f.for_apps,
               case when p.proretset then 'rows of ' else '' end || format_type(p.prorettype, null) as result,
               array(select coalesce(p.proargnames[n], '') from generate_series(1, t.count) n order by n) as names,
               array(select format_type(t.types[n], null) from generate_series(1, t.count) n order by n) as types,
               array(select coalesce(p.proargmodes[n]::text, 'i') from generate_series(1, t.count) n order by n) as modes,
               array(select pg_get_function_arg_default(p.oid, n) from generate_series(1, t.count) n order by n) as defaults
        from darkroom.public_functions() f
        join pg_proc p on p.proname = f.name
        join pg_class c on c.oid = 'darkroom.settings'::regclass and c.relnamespace = p.pronamespace
        cross join lateral (
            select array(select unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]))) as types,
                   coalesce(cardinality(p.proallargtypes), p.pronargs) as count) t
        """

    fileprivate static let typeQuery: PostgresQuery = """
        with recursive used (oid) as (
            select a.oid
            from darkroom.public_functions() f
            join pg_proc p on p.proname = f.name
            join pg_class c on c.oid = 'darkroom.settings'::regclass and c.relnamespace = p.pronamespace
            cross join lateral unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]) || p.prorettype) as a (oid)
            union
            select n.oid
            from used u
            join pg_type t on t.oid = u.oid
            cross join lateral (
                select t.typelem as oid where t.typelem <> 0
                union all
                select t.typbasetype where t.typtype = 'd'
                union all
                select a.atttypid from pg_attribute a where a.attrelid = t.typrelid and t.typrelid <> 0
                  and a.attnum > 0 and not a.attisdropped) n)
        select format_type(t.oid, null) as name, obj_description(t.oid, 'pg_type') as comment,
               array(select e.enumlabel::text from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder) as labels,
               array(select a.attname::text from pg_attribute a where a.attrelid = t.typrelid and t.typrelid <> 0
                     and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
               array(select format_type(a.atttypid, a.atttypmod) from pg_attribute a where a.attrelid = t.typrelid
                     and t.typrelid <> 0 and a.attnum > 0 and not a.attisdropped order by a.attnum) as types,
               case when t.typtype = 'd' then format_type(t.typbasetype, t.typtypmod) end as base,
               array(select k.conname::text from pg_constraint k where k.contypid = t.oid order by 1) as rules
        from used u
        join pg_type t on t.oid = u.oid
        join pg_class c on c.oid = 'darkroom.settings'::regclass and c.relnamespace = t.typnamespace
        where t.typelem = 0
        order by t.typname::text collate "C"
        """
}
