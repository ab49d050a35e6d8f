import CLibPQ

extension PostgresConnection {
    /// Runs a statement at intervals on the connection's own thread, until the task is cancelled or something throws.
    ///
    /// Between two statements nothing but this thread is needed, so the pulse stays regular however busy Swift's own threads
    /// are. Other calls on the connection wait for its end.
    ///
    /// - Parameters:
    ///   - limit: how long the server may take for one statement. Then the connection is closed, and `PostgresError` with
    ///     code `timeout` is thrown.
    ///   - statement: makes the next statement; nil to leave it out this time.
    ///   - receive: gets the rows, and when the statement was sent.
    nonisolated package func pulse(
        every interval: Duration, limit: Duration, statement: @Sendable () -> PostgresQuery?,
        receive: @Sendable (PostgresRows, ContinuousClock.Instant) throws -> Void
    ) async throws {
        try await onCancelWake {
            try await self.keepPulse(every: interval, limit: limit, statement: statement, receive: receive)
        }
    }

    private func keepPulse(
        every interval: Duration, limit: Duration, statement: @Sendable () -> PostgresQuery?,
        receive: @Sendable (PostgresRows, ContinuousClock.Instant) throws -> Void
    ) throws {
        while true {
            try Task.checkCancellation()
            let next = ContinuousClock.now + interval
            if let query = statement() {
                let sent = ContinuousClock.now
                let parameters = try query.parameterTexts()
                try requireText(query.sql)
                try receive(try run(limit: limit) { $0.send(query.sql, parameters, inBinary: false) }, sent)
            }
            let noSocket: Int32 = -1
            while case .signalled = try thread.wait(for: noSocket, events: 0, until: next) {
                try Task.checkCancellation()
            }
        }
    }
}
