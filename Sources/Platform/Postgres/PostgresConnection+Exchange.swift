import CLibPQ
import Glibc

extension PostgresConnection {
    /// How long the server may take to act on a cancel request, or to end the transaction of a cancelled task, before the
    /// connection is given up: less than the three seconds that a worker has to stop its jobs before others may start them.
    private static let cancelGrace = Duration.seconds(2)

    /// One request and its results so far.
    struct Exchange {
        let isCancellable: Bool
        var table: ResultTable?
        var error: PostgresError?
        /// When to stop waiting for the server: the caller's limit, or set once cancellation was requested.
        var giveUp: ContinuousClock.Instant?
        var isCancelled = false
        var cancelRequest: CancelRequest?
    }

    /// Sends with `send` and waits for the results: returns the last one, or throws the first error.
    ///
    /// - Parameter limit: after this time without an end, the connection is closed.
    func run(isCancellable: Bool = true, limit: Duration? = nil, _ send: (ConnectionHandle) -> Bool) throws
        -> PostgresRows
    {
        let handle = try openHandle()
        if isCancellable { try Task.checkCancellation() }
        defer { noteVitals() }
        var exchange = try begin(handle, isCancellable: isCancellable, limit: limit, send)
        guard try collectResults(handle, &exchange) == .ended else {
            let error = PostgresError(
                .unsupported, "COPY to the client is not supported, and COPY from it needs copy(_:from:)")
            abandon(error)
            throw error
        }
        return try conclude(handle, exchange)
    }

    func begin(
        _ handle: ConnectionHandle, isCancellable: Bool, limit: Duration? = nil,
        _ send: (ConnectionHandle) -> Bool
    ) throws -> Exchange {
        guard send(handle) else {
            guard handle.isBroken else { throw PostgresError(.unsupported, handle.message) }
            throw lose(handle)
        }
        var exchange = Exchange(isCancellable: isCancellable)
        exchange.giveUp = limit.map { .now + $0 }
        if !isCancellable, Task.isCancelled { passOnCancellation(handle, &exchange) }
        try flush(handle, &exchange)
        return exchange
    }

    func flush(_ handle: ConnectionHandle, _ exchange: inout Exchange) throws {
        while handle.flush() == .waiting {
            // Reads input while output waits: otherwise a server that cannot send would never receive.
            guard try awaitSocket(handle, POLLIN | POLLOUT, &exchange) else { return }
        }
    }

    /// The rows of the last result, or the error of the exchange.
    func conclude(_ handle: ConnectionHandle, _ exchange: Exchange) throws -> PostgresRows {
        collectNotifications(handle)
        if handle.isBroken { throw lose(handle, lastWords: exchange.error) }
        try awaitCancelRequest(exchange)
        if let error = exchange.error {
            if exchange.isCancelled, error.sqlState == .queryCanceled { throw CancellationError() }
            throw error
        }
        return PostgresRows(exchange.table)
    }

    /// Runs `sql` even in a cancelled task: for the statements that end a transaction.
    ///
    /// Throws `connectionLost` if the server does not reply within the limit, or soon after the task was cancelled.
    func runToEnd(_ sql: String) throws {
        _ = try run(isCancellable: false, limit: commitTimeout) { $0.send(script: sql) }
    }

    enum Collected {
        case ended
        /// The server waits for the rows of a `COPY`.
        case copyIn
        case copyOut
    }

    /// Takes the results until the last one, or until the server waits for rows to copy.
    func collectResults(_ handle: ConnectionHandle, _ exchange: inout Exchange) throws -> Collected {
        while true {
            while !handle.isBroken, handle.isBusy {
                guard try awaitSocket(handle, POLLIN, &exchange) else { break }
            }
            guard let result = handle.nextResult() else { return .ended }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                exchange.table = ResultTable(owning: result)
            case PGRES_COPY_IN:
                PQclear(result)
                return .copyIn
            case PGRES_COPY_OUT, PGRES_COPY_BOTH:
                PQclear(result)
                return .copyOut
            default:
                if exchange.error == nil { exchange.error = PostgresError(result: result) }
                PQclear(result)
            }
        }
    }

    /// Waits for the socket and reads what arrived; passes on a cancellation. False if the connection broke.
    func awaitSocket(
        _ handle: ConnectionHandle, _ events: Int32, _ exchange: inout Exchange
    ) throws -> Bool {
        switch try thread.wait(for: handle.socket, events: events, until: exchange.giveUp) {
        case .ready:
            return handle.consumeInput()
        case .signalled:
            if Task.isCancelled { passOnCancellation(handle, &exchange) }
            return true
        case .deadline: throw giveUp(exchange)
        }
    }

    /// Waits for the end of a cancel request: a late one would hit the next statement.
    private func awaitCancelRequest(_ exchange: Exchange) throws {
        guard let request = exchange.cancelRequest else { return }
        while !request.hasEnded {
            let noSocket: Int32 = -1
            if case .deadline = try thread.wait(for: noSocket, events: 0, until: exchange.giveUp) {
                throw giveUp(exchange)
            }
        }
    }

    private func giveUp(_ exchange: Exchange) -> any Error {
        if exchange.isCancelled {
            abandon(PostgresError(.connectionLost, "the server did not respond to a cancel request"))
            return CancellationError()
        }
        let error =
            exchange.isCancellable
            ? PostgresError(.timeout, "the server did not respond in time")
            : PostgresError(
                .connectionLost, "the server did not say in time whether the transaction was committed")
        abandon(error)
        return error
    }

    /// Asks the server, once, to cancel what is running. What cannot be cancelled has only a little time left.
    func passOnCancellation(_ handle: ConnectionHandle, _ exchange: inout Exchange) {
        guard !exchange.isCancelled else { return }
        let end = ContinuousClock.now + Self.cancelGrace
        guard exchange.isCancellable else {
            exchange.giveUp = min(end, exchange.giveUp ?? end)
            return
        }
        exchange.isCancelled = true
        exchange.giveUp = end
        exchange.cancelRequest = handle.cancel(waking: thread)
    }

    /// Marks the connection as lost. The server's last message, such as an administrator's order to end, says more
    /// than libpq's.
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
