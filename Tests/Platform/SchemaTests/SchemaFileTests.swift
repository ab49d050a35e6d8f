import FoundationEssentials
import Postgres
import ReferencePages
import Schema
import TestKit
import Testing

@Suite("The files of sql/", .timeLimit(.minutes(15)))
struct SchemaFileTests {
    private static let functions = SchemaFile.all.filter { $0.kind == .function || $0.kind == .pinned }

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

    private static func check(_ file: SchemaFile) {
        let made = file.text.matches(of: #/(?m)^create or replace function darkroom\.(\w+)\(/#).map {
            String($0.1)
        }
        #expect(made == [file.name], "\(file.path)")
        let commented = file.text.matches(of: #/(?m)^comment on function darkroom\.(\w+) is/#).map {
            String($0.1)
        }
        #expect(commented == [file.name], "\(file.path)")
        // No program creates or changes the text of a function.
        #expect(!file.text.contains("pg_get_functiondef"))
    }

    @Test("are the functions of the database, word for word")
    func sameInDatabase() async throws {
        try await EmptyDatabase.with { database in
            _ = try await database.migrate()
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
            #expect(Set(file.callers).isSubset(of: ["api", "reader"]), "\(file.path)")
            if !file.callers.isEmpty {
                #expect(
                    file.text.contains("security definer set search_path = pg_catalog, pg_temp"),
                    "\(file.path)")
            }
        }
        try await EmptyDatabase.with { database in
            _ = try await database.migrate()
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

    @Test("create the schema that sql/schema.sql shows")
    func dump() async throws {
        let path = Checkout.root + "/sql/schema.sql"
        let shown = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        try await EmptyDatabase.with { database in
            _ = try await database.migrate()
            let present = try await SchemaDump.of(database.url)
            let difference = present.difference(from: shown)
            #expect(difference == nil, "write it again with `darkroom-dev docs schema > sql/schema.sql`")
        }
    }
}
