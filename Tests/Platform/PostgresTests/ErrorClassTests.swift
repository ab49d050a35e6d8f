import Postgres
import TestKit
import Testing

private enum ErrorClass {
    case outage, contention, schemaMismatch
}

extension PostgresError {
    fileprivate var classes: [ErrorClass] {
        (isOutage ? [.outage] : []) + (isContention ? [.contention] : [])
            + (isSchemaMismatch ? [.schemaMismatch] : [])
    }
}

@Suite(.timeLimit(.minutes(15))) struct ErrorClassTests {
    /// By the first characters of the state; the longest entry counts.
    private static let expected: [String: ErrorClass?] = [
        "00": nil, "01": nil, "02": nil, "03": nil, "08": .outage, "09": nil, "0A": nil, "0B": nil, "0F": nil,
        "0L": nil, "0P": nil, "0Z": nil, "10": nil, "20": nil, "21": nil, "22": nil, "23": nil, "24": nil,
        "25": nil, "25006": .outage, "25P03": .outage, "25P04": .outage, "26": nil, "27": nil, "28": nil,
        "2B": nil, "2D": nil, "2F": nil, "34": nil, "38": nil, "39": nil, "3B": nil, "3D": nil,
        "3F": nil, "3F000": .schemaMismatch, "40": nil, "40001": .contention, "40P01": .contention,
        "42": nil, "42883": .schemaMismatch, "42P01": .schemaMismatch, "42703": .schemaMismatch,
        "42704": .schemaMismatch, "44": nil, "53": .outage, "54": nil, "55": nil, "55P03": .contention,
        "57": .outage, "58": .outage, "72": nil, "F0": nil, "HV": nil, "P0": nil, "XX": nil,
    ]

    /// The server has the list of its states in a file.
    @Test func everyStateOfTheServerHasItsClass() async throws {
        try await withConnection { connection, _ in
            let list = try await connection.query(
                "select pg_read_file(setting || '/errcodes.txt') as text from pg_config where name = 'SHAREDIR'"
            )[0].decode("text", as: String.self)
            let states = list.split(whereSeparator: \.isNewline)
                .map { $0.split(whereSeparator: \.isWhitespace) }
                .filter { $0.count >= 3 && ["E", "W", "S"].contains($0[1]) }
                .map { String($0[0]) }
            #expect(states.count > 250)
            for state in states + ["25P04"] {
                let prefixes: [String] = (2...5).reversed().map { String(state.prefix($0)) }
                let entry: String? = prefixes.first { Self.expected.keys.contains($0) }
                let known = try #require(entry, "class \(state.prefix(2)) of \(state) is not in the table")
                let wanted: ErrorClass? = Self.expected[known] ?? nil
                let error = PostgresError(.server, "x", sqlState: SQLState(state))
                #expect(error.classes == [wanted].compactMap(\.self), "\(state)")
            }
        }
    }

    @Test(arguments: [
        (PostgresError.Code.invalidConfiguration, false), (.connectionFailed, true),
        (.connectionLost, true), (.connectionClosed, true), (.encoding, false), (.decoding, false),
        (.timeout, true), (.transaction, false), (.unsupported, false), (.poolClosed, true), (.system, true),
        (.server, false),
    ])
    func ourCodesHaveTheirClass(code: PostgresError.Code, isOutage: Bool) {
        #expect(PostgresError(code, "x").classes == (isOutage ? [.outage] : []))
        if code != .server {
            // What the server said before the connection ended does not change the class.
            for state: SQLState in [.deadlockDetected, .undefinedTable, "XX001"] {
                #expect(PostgresError(code, "x", sqlState: state).classes == (isOutage ? [.outage] : []))
            }
        }
    }

    @Test func aStatementThatAnAdministratorCancelledIsAnOutage() async throws {
        try await withConnection { connection, _ in
            let error = try await postgresError {
                try await connection.query("select pg_cancel_backend(pg_backend_pid()), pg_sleep(600)")
            }
            #expect(error.sqlState == .queryCanceled)
            #expect(error.isOutage)
        }
    }

    @Test(arguments: [
        ("", SQLState("28000"), "role \"$\" does not exist"),
        (
            "create role $ login connection limit 0", .tooManyConnections,
            "too many connections for role \"$\""
        ),
    ])
    func aRefusedConnectionHasTheServersState(making: String, state: SQLState, text: String) async throws {
        try await withConnection { connection, database in
            let role = "\(database.name)_refused"
            try await connection.execute(making.replacing("$", with: role))
            let error = try await postgresError {
                _ = try await PostgresConnection.connect(
                    PostgresConfiguration(url: database.url(role: role)))
            }
            #expect(error.code == .connectionFailed)
            #expect(error.sqlState == state)
            // Without the SQLSTATE and the place in the server's source, which libpq's verbose text has.
            #expect(error.message.hasSuffix(" failed: FATAL: \(text.replacing("$", with: role))"))
            try await connection.execute("drop role if exists \(role)")
        }
    }

    @Test func laterErrorsAreNotVerbose() async throws {
        try await withConnection { connection, _ in
            let error = try await postgresError {
                try await connection.query("select pg_terminate_backend(pg_backend_pid()), pg_sleep(600)")
            }
            #expect(!error.message.contains("LOCATION"))
        }
    }
}
