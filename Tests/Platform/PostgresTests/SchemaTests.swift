import Postgres
import TestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct SchemaTests {
    @Test(arguments: [
        ("select * from darkroom.jobs", "select * from \"team\".jobs"),
        ("darkroom.a join darkroom.b", "\"team\".a join \"team\".b"),
        ("select to_regclass('darkroom.jobs')", "select to_regclass('\"team\".jobs')"),
        ("to_regclass('darkroom.' || child)", "to_regclass('\"team\".' || child)"),
        ("create schema if not exists darkroom;", "create schema if not exists \"team\";"),
        ("create schema darkroom", "create schema \"team\""),
        ("drop schema if exists darkroom cascade", "drop schema if exists \"team\" cascade"),
        ("grant usage on schema darkroom to api", "grant usage on schema \"team\" to api"),
        ("set search_path = darkroom, pg_temp", "set search_path = \"team\", pg_temp"),
        ("set search_path to darkroom", "set search_path to \"team\""),
        ("$$ select darkroom.f() $$", "$$ select \"team\".f() $$"),
        ("(darkroom.x)::darkroom.state", "(\"team\".x)::\"team\".state"),
        ("é darkroom.ü", "é \"team\".ü"),
    ])
    func isPutInPlaceOfTheStandardOne(sql: String, expected: String) throws {
        let qualifier = try SchemaQualifier(schema: "team")
        #expect(qualifier.qualify(sql) == expected)
    }

    @Test(arguments: [
        "", "darkroom", "d", "darkroo", "select darkroom from x", "xdarkroom.jobs", "_darkroom.jobs",
        "9darkroom.jobs", "$darkroom.jobs", "édarkroom.jobs", "\"darkroom.jobs\"", "\"darkroom\".jobs",
        "a.darkroom.jobs", "darkroom_jobs.x", "darkrooms.x", "DARKROOM.jobs", "role darkroom",
        "create schema darkroomx", "create schema darkroom_", "myschema darkroom", "listen \"darkroom_jobs\"",
    ])
    func leavesOtherTextsAsTheyAre(sql: String) throws {
        let qualifier = try SchemaQualifier(schema: "team")
        #expect(qualifier.qualify(sql) == sql)
    }

    @Test func theStandardSchemaChangesNothing() throws {
        let qualifier = try SchemaQualifier(schema: "darkroom")
        #expect(qualifier.qualify("darkroom.jobs") == "darkroom.jobs")
    }

    @Test(arguments: [
        "", "Team", "te am", "te.am", "te\"am", "te'am", "te\0am", "1team", "pg_team", "éteam", "te-am",
        String(repeating: "a", count: 64),
    ])
    func namesThatCannotBeWrittenPlainlyAreRefused(schema: String) async throws {
        let error = try #require(throws: PostgresError.self) { try SchemaQualifier(schema: schema) }
        #expect(error.code == .invalidConfiguration)
        #expect(error.hint != nil)
        let configuration = PostgresConfiguration(url: "host=/nowhere", schema: schema)
        let refused = try await postgresError { _ = try await PostgresConnection.connect(configuration) }
        #expect(refused.code == .invalidConfiguration)
    }

    // `user` is a reserved word.
    @Test(arguments: ["team", "user", "_1", String(repeating: "a", count: 63), "darkroom"])
    func everyStatementIsForTheSchema(schema: String) async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await PostgresConnection.connect(
                PostgresConfiguration(url: database.url, schema: schema))
            try await connection.execute(
                "create schema if not exists darkroom; create table darkroom.t (note text)")
            try await connection.query("insert into darkroom.t values (\("darkroom.parameter"))")
            try await connection.copy("copy darkroom.t from stdin") { buffer in
                try buffer.append("darkroom.copied")
                return false
            }
            let row = try await connection.query(
                """
                select (select string_agg(note, ' ' order by note) from darkroom.t) as notes,
                    to_regclass('darkroom.t') is not null as found,
                    (select relnamespace::regnamespace::text from pg_class where relname = 't') as place
                """)[0]
            #expect(try row.decode("notes", as: String.self) == "darkroom.copied darkroom.parameter")
            #expect(try row.decode("found", as: Bool.self))
            #expect(
                try row.decode("place", as: String.self) == (schema == "user" ? "\"user\"" : schema))
            await connection.close()
        }
    }
}
