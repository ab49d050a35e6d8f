import CLibPQ
import Glibc

extension PostgresConfiguration {
    /// The statements that make a session independent of what the server, the database and the role set.
    ///
    /// Behind a connection pooler they reach one of the server's sessions, not all.
    func settings(serverVersion: Int32) -> String {
        var settings = [
            // First, because it limits each of these statements too.
            ("statement_timeout", Self.milliseconds(statementTimeout)),
            ("lock_timeout", Self.milliseconds(lockTimeout)),
            ("idle_in_transaction_session_timeout", Self.milliseconds(idleInTransactionTimeout)),
            ("idle_session_timeout", "0"),
            ("default_transaction_isolation", "read committed"),
            ("default_transaction_read_only", "off"),
            ("default_transaction_deferrable", "off"),
            // The server notices within half a minute that this program is gone, and gives its locks free, as this
            // side notices a server that is gone. Without effect on a Unix socket.
            ("tcp_keepalives_idle", "10"), ("tcp_keepalives_interval", "5"),
            ("tcp_keepalives_count", "4"), ("tcp_user_timeout", "30000"),
            // The formats that our statements are written in and that the decoders read.
            ("standard_conforming_strings", "on"), ("timezone", "UTC"), ("datestyle", "ISO, YMD"),
            ("bytea_output", "hex"), ("extra_float_digits", "1"),
        ]
        if serverVersion >= 170_000 { settings.append(("transaction_timeout", "0")) }
        // The last, because the role may not set all of the others.
        if let role { settings.append(("role", role.replacing("'", with: "''"))) }
        return settings.map { "set \($0) = '\($1)'" }.joined(separator: "; ")
    }

    /// For PostgreSQL, which takes 0 for no limit.
    private static func milliseconds(_ limit: Duration?) -> String {
        guard let limit else { return "0" }
        return String(Int32(min(max(limit / .milliseconds(1), 1), Double(Int32.max)).rounded(.up)))
    }
}

extension PostgresConnection {
    /// Settles the session of a connection that nobody uses yet, so that a failure or a cancellation just ends it.
    func settleSession(
        _ handle: ConnectionHandle, _ configuration: PostgresConfiguration,
        until deadline: ContinuousClock.Instant
    ) throws {
        var failure: PostgresError?
        func wait(_ events: Int32) throws {
            switch try thread.wait(for: handle.socket, events: events, until: deadline) {
            case .ready:
                guard handle.consumeInput() else { throw failure ?? handle.refusedSettings(handle.lost()) }
            case .signalled: try Task.checkCancellation()
            case .deadline: throw handle.timedOut()
            }
        }
        guard handle.send(script: configuration.settings(serverVersion: handle.serverVersion)) else {
            throw handle.refusedSettings(handle.lost())
        }
        while handle.flush() == .waiting { try wait(POLLIN | POLLOUT) }
        while true {
            while handle.isBusy { try wait(POLLIN) }
            guard let result = handle.nextResult() else { break }
            defer { PQclear(result) }
            if PQresultStatus(result) != PGRES_COMMAND_OK, failure == nil {
                failure = handle.refusedSettings(PostgresError(result: result))
            }
        }
        if let failure { throw failure }
        if handle.isBroken { throw handle.refusedSettings(handle.lost()) }
    }
}
