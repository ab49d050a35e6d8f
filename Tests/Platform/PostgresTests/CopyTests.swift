import Postgres
import Synchronization
import TestKit
import Testing

private struct Refusal: Error {}

@Suite(.timeLimit(.minutes(15))) struct CopyTests {
    private func withTable(_ body: (PostgresConnection, TestDatabase) async throws -> Void) async throws {
        try await withConnection { connection, database in
            try await connection.execute("create table t (i int primary key, note text)")
            try await body(connection, database)
        }
    }

    private func count(_ connection: PostgresConnection) async throws -> Int {
        try await connection.query("select count(*) as n from t")[0].decode("n")
    }

    @Test func aHundredThousandRowsArrive() async throws {
        try await withTable { connection, _ in
            let stored = try await connection.copy("copy t from stdin", of: 0..<100_000) { number, buffer in
                try buffer.append(number, "number \(number)")
            }
            #expect(stored == 100_000)
            let row = try await connection.query(
                "select count(*) as n, sum(i) as sum, count(*) filter (where note = 'number ' || i) as equal from t"
            )[0]
            #expect(try row.decode("n", as: Int.self) == 100_000)
            #expect(try row.decode("sum", as: Int.self) == 4_999_950_000)
            #expect(try row.decode("equal", as: Int.self) == 100_000)
        }
    }

    @Test func everyTextComesBackAsItWas() async throws {
        let texts: [String?] = [
            nil, "", "\\N", "\\", "\\\\", "\\.", "a\tb", "a\nb", "a\r\nb", "\u{8}\u{B}\u{C}\u{1}\u{7F}",
            "\\t",
            "\\x41", "\"quoted\"", "'", ",", "naïve 日本語 🚢", "end\\", "\n",
            String(repeating: "\t\\", count: 100_000),
        ]
        try await withTable { connection, _ in
            let stored = try await connection.copy("copy t (i, note) from stdin", of: texts.indices) {
                index, buffer in try buffer.append(index, texts[index])
            }
            #expect(stored == texts.count)
            let read = try await connection.query("select note from t order by i").map {
                try $0.decode("note", as: String?.self)
            }
            #expect(read == texts)
        }
    }

    @Test func valuesOfEveryKindAreRows() async throws {
        try await withConnection { connection, _ in
            try await connection.execute(
                "create table kinds (a boolean, b double precision, c int[], d bytea, e text[])")
            try await connection.copy("copy kinds from stdin") { buffer in
                try buffer.append(true, 0.1, [1, 2], [0, 92, 255] as [UInt8], ["a\tb", "\\", "\""])
                return false
            }
            let row = try await connection.query("select * from kinds")[0]
            #expect(try row.decode("a", as: Bool.self))
            #expect(try row.decode("b", as: Double.self) == 0.1)
            #expect(try row.decode("c", as: [Int].self) == [1, 2])
            #expect(try row.decode("d", as: [UInt8].self) == [0, 92, 255])
            #expect(try row.decode("e", as: [String].self) == ["a\tb", "\\", "\""])
        }
    }

    @Test func rowsMayBeFormattedElsewhere() async throws {
        try await withTable { connection, _ in
            let pieces = Mutex(["1,\"one, ", "first\"\n2,", "\n"])
            let stored = try await connection.copy("copy t from stdin (format csv)") { buffer in
                pieces.withLock { pieces in
                    buffer.append(formatted: pieces.removeFirst().utf8)
                    return !pieces.isEmpty
                }
            }
            #expect(stored == 2)
            let row = try await connection.query("select note from t where i = 1")[0]
            #expect(try row.decode("note", as: String.self) == "one, first")
        }
    }

    @Test func noRowsAreACopyToo() async throws {
        try await withTable { connection, _ in
            let stored = try await connection.copy("copy t from stdin") { _ in false }
            #expect(stored == 0)
        }
    }

    @Test(arguments: [
        (50_000, "1\tagain\n", SQLState.uniqueViolation), (0, "1\n", "22P04"),
        (10, "x\ty\n", "22P02"),
        (3, "\\N\ty\n", "23502"),
    ])
    func aRowThatIsRefusedRefusesAll(place: Int, row: String, state: SQLState) async throws {
        try await withTable { connection, _ in
            let error = try await postgresError {
                try await connection.copy("copy t from stdin", of: 1...100_000) { number, buffer in
                    try buffer.append(number, "note")
                    if number == place + 1 { buffer.append(formatted: row.utf8) }
                }
            }
            #expect(error.code == .server)
            #expect(error.sqlState == state)
            #expect(error.context?.contains("line \(place + 2)") == true)
            #expect(try await count(connection) == 0)
            let stored = try await connection.copy("copy t from stdin", of: 1...3) { number, buffer in
                try buffer.append(number, String?.none)
            }
            #expect(stored == 3)
        }
    }

    @Test func theErrorOfTheProducerIsThrown() async throws {
        try await withTable { connection, _ in
            await #expect(throws: Refusal.self) {
                try await connection.copy("copy t from stdin", of: 1...50_000) { number, buffer in
                    if number == 40_000 { throw Refusal() }
                    try buffer.append(number, "note")
                }
            }
            let left = try await count(connection)
            #expect(left == 0)
        }
    }

    @Test func aValueThatCannotBeSentLeavesNoPartOfItsRow() async throws {
        try await withTable { connection, _ in
            let errors = Mutex<[PostgresError]>([])
            let texts = ["a", "nul \0", "c"]
            let stored = try await connection.copy("copy t from stdin", of: texts.indices) { index, buffer in
                do {
                    try buffer.append(index, texts[index])
                } catch let error as PostgresError {
                    errors.withLock { $0.append(error) }
                }
            }
            #expect(stored == 2)
            let refused = errors.withLock { $0 }
            #expect(refused.map(\.code) == [.encoding])
            #expect(refused.first?.message.hasPrefix("value 2 of the row") == true)
            #expect(try await count(connection) == 2)
        }
    }

    @Test func aTransactionHoldsItsCopy() async throws {
        try await withTable { connection, _ in
            await #expect(throws: Refusal.self) {
                try await connection.transaction { connection in
                    try await connection.copy("copy t from stdin", of: 1...9) { try $1.append($0, "x") }
                    throw Refusal()
                }
            }
            #expect(try await count(connection) == 0)
            try await connection.transaction { connection in
                _ = try await connection.copy("copy t from stdin", of: 1...9) { try $1.append($0, "x") }
            }
            #expect(try await count(connection) == 9)
        }
    }

    @Test func otherStatementsAreNotCopies() async throws {
        try await withTable { connection, _ in
            for statement in ["select 1", "insert into t values (1)", ""] {
                let error = try await postgresError { try await connection.copy(statement) { _ in false } }
                #expect(error.code == .unsupported)
            }
            let error = try await postgresError {
                try await connection.copy("copy nowhere from stdin") { _ in false }
            }
            #expect(error.sqlState == .undefinedTable)
            #expect(try await count(connection) == 1)
            let outwards = try await postgresError {
                try await connection.copy("copy t to stdout") { _ in false }
            }
            #expect(outwards.code == .unsupported)
            let later = try await postgresError { try await connection.query("select 1") }
            #expect(later.code == .unsupported)
        }
    }
}
