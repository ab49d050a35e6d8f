import CLibPQ
import Glibc

/// The owner of a `PGconn`; its methods never block. Used only on its connection's thread.
final class ConnectionHandle {
    private let connection: OpaquePointer
    private let address: String

    /// Begins to connect. Throws `invalidConfiguration`, or `connectionFailed` if the attempt fails at once.
    ///
    /// - Parameter host: the only host to try; nil for those of the configuration's address.
    init(_ configuration: PostgresConfiguration, host: PostgresHost?) throws(PostgresError) {
        address = try configuration.address(of: host)
        let parameters = configuration.parameters(for: host)
        let keywords = parameters.map { strdup($0.keyword) }
        let values = parameters.map { strdup($0.value) }
        defer { for text in keywords + values { free(text) } }
        let constantKeywords = keywords.map { UnsafePointer($0) } + [nil]
        let constantValues = values.map { UnsafePointer($0) } + [nil]
        guard let started = PQconnectStartParams(constantKeywords, constantValues, 1) else {
            throw PostgresError(.system, "out of memory for a connection")
        }
        connection = started
        guard PQstatus(connection) != CONNECTION_BAD else { throw connectionFailed() }
        // The only texts that contain the SQLSTATE, for which libpq has no call before there is a connection.
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        // Without a receiver libpq writes notices to standard error.
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
    }

    deinit { PQfinish(connection) }

    var socket: Int32 { PQsocket(connection) }
    var isBroken: Bool { PQstatus(connection) == CONNECTION_BAD }
    var isBusy: Bool { PQisBusy(connection) != 0 }
    var transactionStatus: PGTransactionStatusType { PQtransactionStatus(connection) }
    var processID: Int32 { PQbackendPID(connection) }

    enum ConnectStep {
        case wait(Int32)
        case connected
    }

    func connectStep() throws(PostgresError) -> ConnectStep {
        switch PQconnectPoll(connection) {
        case PGRES_POLLING_OK:
            guard PQsetnonblocking(connection, 1) == 0 else { throw connectionFailed() }
            PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
            return .connected
        case PGRES_POLLING_READING: return .wait(POLLIN)
        case PGRES_POLLING_WRITING: return .wait(POLLOUT)
        default: throw connectionFailed()
        }
    }

    /// Such as 150018 for 15.18.
    var serverVersion: Int32 { PQserverVersion(connection) }

    /// - Parameter inBinary: whether results come in PostgreSQL's binary formats instead of text.
    func send(_ sql: String, _ parameters: [String?], inBinary: Bool = false) -> Bool {
        withValues(parameters) {
            PQsendQueryParams(connection, sql, Int32($0.count), nil, $0, nil, nil, inBinary ? 1 : 0) == 1
        }
    }

    /// Has the server parse a statement and keep it under a name.
    func send(keeping sql: String, as name: String) -> Bool {
        PQsendPrepare(connection, name, sql, 0, nil) == 1
    }

    func send(kept name: String, _ parameters: [String?]) -> Bool {
        withValues(parameters) {
            PQsendQueryPrepared(connection, name, Int32($0.count), $0, nil, nil, 0) == 1
        }
    }

    private func withValues<T>(_ parameters: [String?], _ body: ([UnsafePointer<CChar>?]) -> T) -> T {
        let texts = parameters.map { $0.flatMap { strdup($0) } }
        defer { for text in texts { free(text) } }
        return body(texts.map { UnsafePointer($0) })
    }

    func send(script: String) -> Bool { PQsendQuery(connection, script) == 1 }

    enum Flush { case done, waiting, failed }

    func flush() -> Flush {
        switch PQflush(connection) {
        case 0: .done
        case 1: .waiting
        default: .failed
        }
    }

    /// Queues bytes of a `COPY` from the client; `waiting` if they were not accepted.
    func put(_ bytes: [UInt8]) -> Flush {
        bytes.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            return Self.queued(PQputCopyData(connection, start, Int32(bytes.count)))
        }
    }

    /// Ends a `COPY` from the client; with a complaint, the `COPY` fails.
    func endCopy(complaint: String?) -> Flush { Self.queued(PQputCopyEnd(connection, complaint)) }

    private static func queued(_ status: Int32) -> Flush {
        switch status {
        case 1: .done
        case 0: .waiting
        default: .failed
        }
    }

    /// Reads what has arrived. False if the connection broke.
    func consumeInput() -> Bool { PQconsumeInput(connection) == 1 }

    /// The next result of the running statements, which the caller then owns; nil after the last. Does not block if
    /// `isBusy` is false or the connection broke.
    func nextResult() -> OpaquePointer? { PQgetResult(connection) }

    /// Asks the server to cancel what is running; `thread` is woken when the request has ended.
    func cancel(waking thread: ConnectionThread) -> CancelRequest? {
        PQgetCancel(connection).map { CancelRequest(owning: $0, waking: thread) }
    }

    func nextNotification() -> PostgresNotification? {
        guard let notification = PQnotifies(connection) else { return nil }
        defer { PQfreemem(notification) }
        return PostgresNotification(
            channel: String(cString: notification.pointee.relname),
            payload: String(cString: notification.pointee.extra),
            processID: notification.pointee.be_pid)
    }

    /// libpq's message for the last failure, on one line.
    var message: String { oneLine(PQerrorMessage(connection)) }

    private func connectionFailed() -> PostgresError {
        // libpq names the address in most of its texts, but not in those about authentication.
        let refusal = ConnectionRefusal(PQerrorMessage(connection).map { String(cString: $0) } ?? "")
        return PostgresError(
            .connectionFailed, "cannot connect to PostgreSQL at \(address): \(refusal.message)",
            sqlState: refusal.sqlState)
    }

    /// The server accepted the connection but not the settings of its session.
    func refusedSettings(_ reason: PostgresError) -> PostgresError {
        PostgresError(
            .connectionFailed,
            "cannot set up the session with PostgreSQL at \(address): \(reason.message)",
            sqlState: reason.sqlState)
    }

    func timedOut() -> PostgresError {
        PostgresError(.timeout, "connecting to PostgreSQL at \(address) took too long")
    }

    func lost() -> PostgresError {
        let message = message
        return PostgresError(
            .connectionLost,
            "the connection to PostgreSQL at \(address) was lost" + (message.isEmpty ? "" : ": \(message)"))
    }
}

/// libpq's texts end in a newline and may have several indented lines.
func oneLine(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "" }
    return String(cString: text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
}

extension PostgresError {
    /// The error that the server or libpq put into `result`.
    init(result: OpaquePointer) {
        func field(_ code: Unicode.Scalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        // The codes of `PG_DIAG_...`, which are character macros.
        self.init(
            .server, field("M") ?? oneLine(PQresultErrorMessage(result)),
            sqlState: field("C").map { SQLState($0) })
        detail = field("D")
        hint = field("H")
        context = field("W")
        constraint = field("n")
        table = field("t")
        column = field("c")
        isRaised = field("R") == "exec_stmt_raise"
    }
}
