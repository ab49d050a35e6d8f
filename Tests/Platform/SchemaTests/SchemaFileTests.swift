import FoundationEssentials
import Postgres
import ReferencePages
import Schema
import TestKit
import Testing

@Suite("The files of sql/", .timeLimit(.minutes(15)))
struct SchemaFileTests {
    private static let functions = SchemaFile.all.flatMap(\.parts)
        .filter { $0.kind == .function || $0.kind == .pinned }

    @Test("are all embedded in the binary, each a function, a table file or the triggers")
    func embedded() throws {
        let root = Checkout.root + "/sql"
        // Folders have no full stop in their names.
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root)
            .filter { $0.contains(".") && $0 != "schema.sql" && $0 != "README.md" }
        #expect(Set(SchemaFile.all.map(\.path)) == Set(paths))
        for file in SchemaFile.all {
            let data = try #require(FileManager.default.contents(atPath: "\(root)/\(file.path)"))
            #expect(file.text == String(decoding: data, as: UTF8.self), "\(file.path)")
        }
        #expect(Set(SchemaFile.all.map(\.name)).count == SchemaFile.all.count, "no name twice")
        let tables = SchemaFile.all.filter { $0.kind == .table }
        #expect(tables.map { Int($0.name.prefix(4)) } == (1...tables.count).map { $0 })
    }

    @Test("of functions hold one function each, of the file's name, with a comment")
    func oneFunction() {
        for file in Self.functions { Self.check(file) }
    }

    /// A caller may turn `standard_conforming_strings` off; then `'\s'` is `s`, and a check that contains it lets others through.
    @Test(
        "of functions mean the same to a caller who turns standard_conforming_strings off: E'…' has each backslash"
    )
    func backslashes() {
        #expect(
            Self.plainLiterals(of: #"a'b\s''c' -- 'd\s'"# + "\n" + #"E'\'e\s' "f\s'" 'g\s'"#) == [
                #"b\s''c"#, #"g\s"#,
            ])
        for file in Self.functions {
            #expect(Self.plainLiterals(of: file.text).filter { $0.contains(#"\"#) } == [], "\(file.path)")
        }
    }

    /// The literals in single quotes without an E before.
    private static func plainLiterals(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        var found: [String] = []
        var place = 0
        func end(of mark: UInt8, from start: Int) -> Int {
            bytes[start...].firstIndex(of: mark) ?? bytes.count
        }
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "-") where bytes[place...].starts(with: "--".utf8):
                place = end(of: UInt8(ascii: "\n"), from: place)
            case UInt8(ascii: "\""):
                place = end(of: UInt8(ascii: "\""), from: place + 1) + 1
            case UInt8(ascii: "'"):
                let before = String(decoding: bytes[max(0, place - 2)..<place], as: UTF8.self)
                let isEscaped = before.wholeMatch(of: #/\W?[Ee]/#) != nil
                var last = place + 1
                while last < bytes.count {
                    if isEscaped, bytes[last] == UInt8(ascii: "\\") {
                        last += 2
                    } else if bytes[last...].starts(with: "''".utf8) {
                        last += 2
                    } else if bytes[last] == UInt8(ascii: "'") {
                        break
                    } else {
                        last += 1
                    }
                }
                if !isEscaped { found.append(String(decoding: bytes[(place + 1)..<last], as: UTF8.self)) }
                place = last + 1
            default: place += 1
            }
        }
        return found
    }

    private static func check(_ file: SchemaFile) {
        let made = file.text.matches(of: #/(?m)^create or replace (?:function|procedure) darkroom\.(\w+)\(/#)
            .map {
                String($0.1)
            }
        #expect(made == [file.name], "\(file.path)")
        let commented = file.text.matches(of: #/(?m)^comment on (?:function|procedure) darkroom\.(\w+) is/#)
            .map {
                String($0.1)
            }
        #expect(commented == [file.name], "\(file.path)")
        // No program creates or changes the text of a function.
        #expect(!file.text.contains("pg_get_functiondef"))
    }

    @Test("are the functions of the database, word for word")
    func sameInDatabase() async throws {
        try await SchemaDatabase.withMigrated { (database: SchemaDatabase) async throws -> Void in
            let rows = try await database.pool.query(
                """
                select proname::text as name, prosrc, prosqlbody is not null as is_standard
                from pg_proc where pronamespace = 'darkroom'::regnamespace order by proname
                """)
            #expect(
                try rows.map { try $0.decode("name", as: String.self) } == Self.functions.map(\.name).sorted()
            )
            for row in rows {
                let name = try row.decode("name", as: String.self)
                let file = try #require(Self.functions.first { $0.name == name })
                // PostgreSQL keeps an SQL-standard body as a tree that depends on its callees: only for pinned ones.
                if try row.decode("is_standard", as: Bool.self) {
                    #expect(file.kind == .pinned, "\(name)")
                } else {
                    let source = try row.decode("prosrc", as: String.self)
                    #expect(
                        file.text.contains("$$\(source)$$") || file.text.contains("$body$\(source)$body$"),
                        "\(name)")
                }
            }
        }
    }

    @Test(
        "of functions that an app calls say in their text who may call them, and run with the owner's rights")
    func rights() async throws {
        for file in Self.functions {
            #expect(Set(file.callers).isSubset(of: ["api", "reader", "moderator"]), "\(file.path)")
            if !file.callers.isEmpty {
                #expect(
                    file.text.contains("security definer set search_path = pg_catalog, pg_temp"),
                    "\(file.path)")
            }
        }
        try await SchemaDatabase.withMigrated { (database: SchemaDatabase) async throws -> Void in
            // Only the files' own texts have given a function its rights.
            let loose = try await database.text(
                """
                select string_agg(p.proname, ' ') as names
                from pg_proc p join darkroom.public_functions() f on f.name = p.proname
                where p.pronamespace = 'darkroom'::regnamespace
                  and not (p.prosecdef and p.proconfig @> array['search_path=pg_catalog, pg_temp'])
                """)
            #expect(loose == nil)
            #expect(
                try await database.text("select count(*)::text as n from darkroom.public_functions()")
                    == String(Self.functions.count { !$0.callers.isEmpty }))
        }
    }

    @Test("of tables do not keep readers and writers out while they look at every row")
    func locks() {
        for file in SchemaFile.all where file.kind == .table { #expect(Self.longLocks(in: file) == []) }
    }

    @Test(
        "that would keep them out are found",
        arguments: [
            "alter table darkroom.posts add constraint x check (a > 1);",
            "alter table darkroom.posts alter column a set not null;",
            "alter table darkroom.posts\n    add foreign key (a) references darkroom.uploads (upload_id);",
            "alter table darkroom.posts alter a type bigint;", "create index i on darkroom.posts (a);",
            "CREATE UNIQUE INDEX i on darkroom.posts (a);", "drop index darkroom.posts_latest;",
            "update darkroom.posts set a = 1;",
            "-- Runs outside a transaction\nalter table darkroom.posts add column a int;",
            "alter table darkroom.posts add column a int check (a > 1);",
            "alter table darkroom.posts add column a float default random();", "vacuum full darkroom.posts;",
            "cluster darkroom.posts;",
            "alter table darkroom.posts add constraint x check (a > 1) not valid;",
        ])
    func longLocks(text: String) {
        #expect(Self.longLocks(in: SchemaFile(path: "tables/0002_x.sql", text: text + "\n")).count == 1)
    }

    @Test("that do not are not refused")
    func shortLocks() {
        for text in [
            "alter table darkroom.posts add column a int not null default 1;",
            "-- Validates: x on posts\nalter table darkroom.posts add constraint x check (a > 1) not valid;",
            "create table darkroom.t (a int check (a > 1));\ncreate index i on darkroom.t (a);\nalter table darkroom.t add unique (a);\nupdate darkroom.t set a = 1;",
            "-- Runs outside a transaction\ndrop index concurrently if exists darkroom.i;\ncreate index concurrently i on darkroom.posts (a);",
            "comment on table darkroom.posts is 'update; create index';",
        ] {
            #expect(
                Self.longLocks(in: SchemaFile(path: "tables/0002_x.sql", text: text + "\n")) == [], "\(text)")
        }
    }

    /// The statements of a table file, after the first one, that would keep readers or writers of a table that is there
    /// waiting while they look at every row.
    private static func longLocks(in file: SchemaFile) -> [String] {
        guard file.name != "0001_baseline" else { return [] }
        let made = Set(
            file.text.matches(of: #/(?i)create table (?:if not exists )?darkroom\.(\w+)/#).map {
                String($0.1)
            })
        let validated = file.validated.compactMap { $0.split(separator: " ").first.map(String.init) }
        return file.text.split(separator: ";\n").map { statement in
            statement.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: " ")
        }.filter { statement in
            if file.isOutsideTransaction {
                return !statement.contains(#/(?i)^(create( unique)?|drop) index concurrently /#)
            }
            if let added = statement.firstMatch(of: #/(?i)^alter table darkroom\.(\w+) (.*)$/#) {
                let (table, change) = (String(added.1), String(added.2))
                if made.contains(table) { return false }
                if let constraint = change.firstMatch(of: #/(?i)add constraint (\w+) .* not valid$/#) {
                    return !validated.contains(String(constraint.1))
                }
                return change.contains(
                    #/(?i)\b(constraint|check|foreign key|references|unique|primary key|type|generated)\b|set not null|default \w+\s*\(/#
                )
            }
            if let found = statement.firstMatch(
                of: #/(?i)^(?:create (?:unique )?index .* on|update|delete from) darkroom\.(\w+)/#)
            {
                return !made.contains(String(found.1))
            }
            return statement.contains(#/(?i)^(drop index|reindex|cluster|vacuum full)/#)
        }
    }

    @Test("of tables call only pinned functions that they have named")
    func tablesCallPinned() {
        for file in SchemaFile.all where file.kind == .table {
            var named: Set<String> = []
            for line in file.text.split(separator: "\n") {
                named.formUnion(SchemaFile(path: file.path, text: String(line)).pinned)
                guard !line.hasPrefix("comment "), !line.hasPrefix("    '"), !line.hasPrefix("--") else {
                    continue
                }
                for call in line.matches(of: #/darkroom\.(\w+)\(/#).map({ String($0.1) })
                where Self.functions.contains(where: { $0.name == call }) {
                    #expect(named.contains(call), "\(file.path) calls \(call)")
                }
            }
        }
    }

    @Test("of functions have the copies that they name, which differ in whole words")
    func copies() {
        let file = SchemaFile(
            path: "feeds/in_tile.sql",
            text: """
                -- Copy: in_wide_tile, with wide_tile for tile, 11 for 15
                -- Copy: in_leaf, with leaf for tile
                -- About in_tile.
                create or replace function darkroom.in_tile(tile bigint, tiles bigint[], sub_tile text) … f.tile 15 150
                """)
        #expect(
            file.parts.map(\.path) == ["feeds/in_tile.sql", "feeds/in_wide_tile.sql", "feeds/in_leaf.sql"])
        #expect(
            file.parts.map { $0.text.split(separator: "\n").suffix(2) } == [
                [
                    "-- About in_tile.",
                    "create or replace function darkroom.in_tile(tile bigint, tiles bigint[], sub_tile text) … f.tile 15 150",
                ],
                [
                    "-- About in_wide_tile.",
                    "create or replace function darkroom.in_wide_tile(wide_tile bigint, tiles bigint[], sub_tile text) … f.wide_tile 11 150",
                ],
                [
                    "-- About in_leaf.",
                    "create or replace function darkroom.in_leaf(leaf bigint, tiles bigint[], sub_tile text) … f.leaf 15 150",
                ],
            ])
        #expect(file.parts.dropFirst().allSatisfy { !$0.text.contains("Copy:") })
        let copies = SchemaFile.all.filter { $0.kind != .trigger }.flatMap { $0.parts.dropFirst() }
        #expect(
            copies.map(\.name).sorted() == ["best_in_wide_tile", "newest_in_leaf", "newest_in_wide_tile"])
    }

    @Test("create the schema that sql/schema.sql shows")
    func dump() async throws {
        let path = Checkout.root + "/sql/schema.sql"
        let shown = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        try await SchemaDatabase.withMigrated { (database: SchemaDatabase) async throws -> Void in
            let present = try await SchemaDump.tables(of: database.url)
            #expect(
                !present.contains(#/TABLE darkroom\.\w+_[0-9]{8}\b/#),
                "partitions of days, which another day does not have")
            let difference = present.difference(from: shown)
            #expect(difference == nil, "write it again with `darkroom-dev docs schema > sql/schema.sql`")
        }
    }
}
