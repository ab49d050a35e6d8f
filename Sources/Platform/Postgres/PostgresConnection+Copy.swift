import CLibPQ
import Glibc
import Synchronization

extension PostgresConnection {
    /// Appends the next rows; returns false with the last of them.
    package typealias RowProducer = (_ buffer: inout CopyBuffer) throws -> Bool

    /// Runs a `COPY ... FROM STDIN`, and returns the number of rows stored.
    ///
    /// `produce` is called repeatedly until it returns false, and appends any number of rows each time.
    /// It runs on the connection's own thread, so it may block; other calls on the connection wait meanwhile. Its rows
    /// are sent in pieces of about 64 KiB, no faster than the server accepts them.
    ///
    /// All rows are stored or none. Throws what `produce` throws; `CancellationError` if the task was cancelled; and
    /// `PostgresError` with the server's SQLSTATE if a row was refused, which is known only after the last row.
    /// In each case the connection stays usable. Any other statement throws `unsupported` after it has run; a `COPY` to
    /// the client also closes the connection.
    @discardableResult
    nonisolated package func copy(
        _ statement: String, from produce: sending @escaping RowProducer
    ) async throws -> Int {
        try requireText(statement)
        // Handed over once from here to the connection's thread.
        let producer = Mutex<RowProducer?>(produce)
        return try await onCancelWake { try await self.exchange(copy: statement, from: producer) }
    }

    /// Runs a `COPY ... FROM STDIN` with a row for each element of `elements`, which `encode` appends. See `copy`.
    @discardableResult
    nonisolated package func copy<Elements: Sequence & Sendable>(
        _ statement: String, of elements: Elements,
        _ encode: @escaping @Sendable (_ element: Elements.Element, _ buffer: inout CopyBuffer) throws -> Void
    ) async throws -> Int {
        var iterator = elements.makeIterator()
        return try await copy(statement) { buffer in
            guard let element = iterator.next() else { return false }
            try encode(element, &buffer)
            return true
        }
    }

    private func exchange(copy sql: String, from producer: borrowing Mutex<RowProducer?>) throws -> Int {
        guard let produce = producer.withLock({ $0.take() }) else { return 0 }
        return try runCopy(sql, produce)
    }

    private func runCopy(_ sql: String, _ produce: RowProducer) throws -> Int {
        let handle = try openHandle()
        try Task.checkCancellation()
        defer { noteVitals() }
        var exchange = try begin(handle, isCancellable: true) { $0.send(sql, []) }
        switch try collectResults(handle, &exchange) {
        case .copyIn: break
        case .copyOut:
            let error = PostgresError(.unsupported, "COPY to the client is not supported")
            abandon(error)
            throw error
        case .ended:
            _ = try conclude(handle, exchange)
            throw PostgresError(.unsupported, "the statement is not a COPY from the client")
        }
        var failure: (any Error)?
        do {
            try sendRows(handle, &exchange, produce)
        } catch {
            failure = error
        }
        try endCopy(handle, &exchange, isComplete: failure == nil && !exchange.isCancelled)
        if let failure {
            // The server's error about the aborted copy says less.
            _ = try? conclude(handle, exchange)
            throw failure
        }
        return try conclude(handle, exchange).affected
    }

    /// Sends what `produce` makes, until its end or a cancellation.
    private func sendRows(
        _ handle: ConnectionHandle, _ exchange: inout Exchange, _ produce: RowProducer
    ) throws {
        var buffer = CopyBuffer()
        var isComplete = false
        while !isComplete, !handle.isBroken {
            isComplete = try !produce(&buffer)
            if Task.isCancelled { passOnCancellation(handle, &exchange) }
            if exchange.isCancelled { return }
            guard isComplete || buffer.bytes.count >= CopyBuffer.chunkSize else { continue }
            while handle.put(buffer.bytes) == .waiting {
                guard try awaitSocket(handle, POLLIN | POLLOUT, &exchange) else { return }
            }
            try flush(handle, &exchange)
            buffer.removeAll()
        }
    }

    private func endCopy(_ handle: ConnectionHandle, _ exchange: inout Exchange, isComplete: Bool) throws {
        while handle.endCopy(complaint: isComplete ? nil : "the client aborted the copy") == .waiting {
            guard try awaitSocket(handle, POLLIN | POLLOUT, &exchange) else { break }
        }
        try flush(handle, &exchange)
        guard try collectResults(handle, &exchange) == .ended else {
            throw lose(handle, lastWords: exchange.error)
        }
    }
}
