import CLibPQ
import Glibc

extension PostgresConnection {
    /// How long after a cancel request the server has to answer, before the connection is given up.
    private static let cancelGrace = Duration.seconds(5)

    private struct Exchange {
        let isCancellable: Bool
        var table: ResultTable?
        var error: PostgresError?
        /// Set once cancellation was requested: when to stop waiting for the server's answer.
        var giveUp: ContinuousClock.Instant?
    }

    /// Sends with `send` and waits for the results: gives the last one, or throws the first error.
    func run(isCancellable: Bool = true, _ send: (ConnectionHandle) -> Bool) throws -> PostgresRows {
        let handle = try openHandle()
        if isCancellable { try Task.checkCancellation() }
        defer { noteVitals() }
        guard send(handle) else {
            guard handle.isBroken else { throw PostgresError(.unsupported, handle.message) }
            throw lose(handle)
        }
        var exchange = Exchange(isCancellable: isCancellable)
        sending: while handle.flush() == .waiting {
            // Input is read while output waits: a server that cannot send would otherwise never receive.
            guard try awaitSocket(handle, POLLIN | POLLOUT, &exchange) else { break sending }
        }
        try collectResults(handle, &exchange)
        collectNotifications(handle)
        if handle.isBroken { throw lose(handle, lastWords: exchange.error) }
        if let error = exchange.error {
            if exchange.giveUp != nil, error.sqlState == .queryCanceled { throw CancellationError() }
            throw error
        }
        return PostgresRows(exchange.table)
    }

    /// Runs `sql` to its end even in a cancelled task: for the statements that end a transaction.
    func runToEnd(_ sql: String) throws {
        _ = try run(isCancellable: false) { $0.send(script: sql) }
    }

    private func collectResults(_ handle: ConnectionHandle, _ exchange: inout Exchange) throws {
        while true {
            while !handle.isBroken, handle.isBusy {
                guard try awaitSocket(handle, POLLIN, &exchange) else { break }
            }
            guard let result = handle.nextResult() else { return }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                exchange.table = ResultTable(owning: result)
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                PQclear(result)
                let error = PostgresError(.unsupported, "COPY from or to the client is not supported")
                abandon(error)
                throw error
            default:
                if exchange.error == nil { exchange.error = PostgresError(result: result) }
                PQclear(result)
            }
        }
    }

    /// Waits for the socket and reads what came; passes on a cancellation. False where the connection broke.
    private func awaitSocket(
        _ handle: ConnectionHandle, _ events: Int32, _ exchange: inout Exchange
    ) throws -> Bool {
        switch try thread.wait(for: handle.socket, events: events, until: exchange.giveUp) {
        case .ready:
            return handle.consumeInput()
        case .signalled:
            if exchange.isCancellable, exchange.giveUp == nil, Task.isCancelled {
                handle.cancel()
                exchange.giveUp = ContinuousClock.now + Self.cancelGrace
            }
            return true
        case .deadline:
            abandon(PostgresError(.connectionLost, "the server did not answer a request to cancel"))
            throw CancellationError()
        }
    }

    /// Marks the connection as lost. The server's own last words, such as an administrator's order to end,
    /// say more than libpq's account.
    func lose(_ handle: ConnectionHandle, lastWords: PostgresError? = nil) -> PostgresError {
        var error = handle.lost()
        if let lastWords, lastWords.sqlState != nil {
            error.message += " (\(lastWords.message))"
            error.sqlState = lastWords.sqlState
        }
        abandon(error)
        return error
    }

    func collectNotifications(_ handle: ConnectionHandle) {
        while let notification = handle.nextNotification() { notifications.append(notification) }
    }
}
