import FoundationEssentials
import Postgres
import TestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct TypesTests {
    private func roundTrip<T: PostgresEncodable & PostgresDecodable & Equatable & Sendable>(
        _ values: [T], as type: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await withConnection { connection, _ in
            for value in values {
                let rows = try await connection.query("select \(value)::\(unescaped: type) as value")
                let read = try rows[0].decode("value", as: T.self)
                #expect(read == value, "as \(type)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test func numbers() async throws {
        try await roundTrip([0, -1, Int.max, Int.min], as: "bigint")
        try await roundTrip([Int16.min, Int16.max], as: "smallint")
        try await roundTrip([Int32.min, Int32.max], as: "integer")
        try await roundTrip([Int64.min, Int64.max], as: "bigint")
        try await roundTrip(
            [0, -0.1, 0.1 + 0.2, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity],
            as: "double precision")
        try await withConnection { connection, _ in
            let row = try await connection.query("select \(Double.nan)::float8 as value")[0]
            #expect(try row.decode("value", as: Double.self).isNaN)
        }
    }

    @Test func bytesInTheFormatOfAnotherSession() async throws {
        try await withConnection { connection, _ in
            try await connection.execute("set bytea_output = 'escape'")
            let bytes: [UInt8] = Array(0...255) + [92, 92, 92, 120, 0, 255]
            let row = try await connection.query("select \(bytes)::bytea as value, ''::bytea as none")[0]
            #expect(try row.decode("value", as: [UInt8].self) == bytes)
            #expect(try row.decode("none", as: [UInt8].self) == [])
        }
    }

    @Test func otherScalars() async throws {
        try await roundTrip([true, false], as: "boolean")
        try await roundTrip([UUID(), UUID()], as: "uuid")
        try await roundTrip(["", "NULL", "\\N", "a\u{301}é日本🏳️‍🌈", "'; drop table x; --", "\n\t\r"], as: "text")
        try await roundTrip([[UInt8](), Array(0...255), [0, 0, 92, 120]], as: "bytea")
        try await roundTrip([Data(), Data([0, 255, 10])], as: "bytea")
        try await roundTrip([String?.none, "", "x"], as: "text")
        try await roundTrip([Int?.none, 3], as: "int")
    }

    @Test func arrays() async throws {
        try await roundTrip(
            [[], ["", "NULL", "null", "a,b", "{}", "\"", "\\", "a\"b\\c", " padded ", "é\n"]], as: "text[]")
        try await roundTrip([[nil, "NULL", "x"], [String?]()], as: "text[]")
        try await roundTrip([[Int64.min, 0, .max], []], as: "bigint[]")
        try await roundTrip([[0.1, -1e300, .infinity]], as: "float8[]")
        try await roundTrip([[UUID(), UUID()]], as: "uuid[]")
        try await roundTrip([[true, false]], as: "boolean[]")
        try await roundTrip([[Data([1, 2]), Data()]], as: "bytea[]")
        try await roundTrip([[Date(timeIntervalSince1970: 1.5)]], as: "timestamptz[]")
    }

    @Test func nullsInArraysAndDimensionsAreRefused() async throws {
        try await withConnection { connection, _ in
            let row = try await connection.query(
                "select array['x', null] as a, array[[1],[2]] as b, 'x' as c")[0]
            #expect(throws: PostgresError.self) { try row.decode("a", as: [String].self) }
            #expect(throws: PostgresError.self) { try row.decode("b", as: [Int].self) }
            #expect(throws: PostgresError.self) { try row.decode("c", as: [String].self) }
        }
    }

    @Test(arguments: [
        (0, "1970-01-01 00:00:00.000000+00"), (-1, "1969-12-31 23:59:59.999999+00"),
        (951_827_696_789_012, "2000-02-29 12:34:56.789012+00"),
        (1_709_210_096_000_001, "2024-02-29 12:34:56.000001+00"),
        (-2_208_988_800_000_000, "1900-01-01 00:00:00.000000+00"),
        (-11_644_473_600_000_000, "1601-01-01 00:00:00.000000+00"),
        (4_102_444_799_999_999, "2099-12-31 23:59:59.999999+00"),
    ])
    func dates(microseconds: Int, text: String) async throws {
        // Across the reference date, near which a Date has room for microseconds.
        let date = Date(timeIntervalSinceReferenceDate: Double(microseconds - 978_307_200_000_000) / 1e6)
        #expect(try date.postgresText == text)
        #expect(try Date(postgresText: text) == date)
        try await withConnection { connection, _ in
            let row = try await connection.query(
                "select \(date)::timestamptz as value, (extract(epoch from \(date)::timestamptz) * 1000000)::bigint as us"
            )[0]
            #expect(try row.decode("us", as: Int.self) == microseconds)
            #expect(try row.decode("value", as: Date.self) == date)
        }
    }

    @Test func dateOffsets() throws {
        let noon = Date(timeIntervalSince1970: 43_200)
        for text in ["1970-01-01 17:30:00+05:30", "1970-01-01 08:00:00-04", "1970-01-01 12:00:36.0+00:00:36"]
        {
            #expect(try Date(postgresText: text) == noon)
        }
    }

    @Test(arguments: [
        "infinity", "-infinity", "0044-03-15 00:00:00+00 BC", "2024-01-01 00:00:00", "2024-01-01", "",
        "2024-13-01 00:00:00+00", "2024-01-01 00:00:00+00x",
    ])
    func unsoundDatesAreRefused(text: String) {
        #expect(throws: PostgresError.self) { try Date(postgresText: text) }
    }

    @Test func valuesWithoutATextAreRefused() async throws {
        try await withConnection { connection, _ in
            for date in [
                Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: .infinity),
                .distantFuture + 4e11,
            ] {
                let error = try await postgresError { try await connection.query("select \(1), \(date)") }
                #expect(error.code == .encoding)
                #expect(error.message.contains("$2"))
            }
            let error = try await postgresError { try await connection.query("select \("a\0b")::text") }
            #expect(error.code == .encoding)
            #expect(error.message.contains("NUL"))
            let script = try await postgresError { try await connection.execute("select 1 \0") }
            #expect(script.code == .encoding)
        }
    }

    enum Colour: String, PostgresEncodable, PostgresDecodable { case red, green }

    @Test func rawValuesAndDecodingErrors() async throws {
        try await withConnection { connection, _ in
            let row = try await connection.query(
                "select \(Colour.green)::text as good, 'blue' as bad, null as gone")[0]
            #expect(try row.decode("good", as: Colour.self) == .green)
            #expect(try row.decode("gone", as: Colour?.self) == nil)
            for (column, part) in [("bad", "Colour"), ("gone", "NULL"), ("absent", "no column")] {
                let error = try #require(throws: PostgresError.self) {
                    try row.decode(column, as: Colour.self)
                }
                #expect(error.code == .decoding)
                #expect(error.message.contains("\"\(column)\""))
                #expect(error.message.contains(part))
            }
        }
    }

    @Test func queriesCompose() async throws {
        let filter: PostgresQuery = "x > \(2) and x < \(5)"
        let query: PostgresQuery =
            "select array_agg(x) as xs from generate_series(1, \(9)::int) x where \(filter)"
        #expect(query.sql.hasSuffix("generate_series(1, $1::int) x where x > $2 and x < $3"))
        try await withConnection { connection, _ in
            let row = try await connection.query(query)[0]
            #expect(try row.decode("xs", as: [Int].self) == [3, 4])
        }
    }

    @Test func rowsAffected() async throws {
        try await withConnection { connection, _ in
            #expect(try await connection.query("create table t (i int)").affected == 0)
            let inserted = try await connection.query(
                "insert into t select generate_series(1, 3) returning i")
            #expect(inserted.affected == 3)
            #expect(try inserted.map { try $0.decode("i", as: Int.self) } == [1, 2, 3])
            #expect(try await connection.query("delete from t where i > 1").affected == 2)
            #expect(inserted.columns == ["i"])
        }
    }

    @Test func largeValuesGoBothWays() async throws {
        try await withConnection { connection, _ in
            let bytes = (0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let row = try await connection.query("select \(bytes)::bytea as value")[0]
            #expect(try row.decode("value", as: [UInt8].self) == bytes)
        }
    }
}
