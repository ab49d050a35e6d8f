import Glibc

/// One `NOTIFY` that reached a listening connection.
package struct PostgresNotification: Sendable, Equatable {
    package var channel: String
    package var payload: String
    /// The server process of the session that notified.
    package var processID: Int32

    package init(channel: String, payload: String, processID: Int32) {
        self.channel = channel
        self.payload = payload
        self.processID = processID
    }
}

extension PostgresConnection {
    /// Listens on `channel` until the connection is closed. A pool does not take a listening connection back.
    nonisolated package func listen(_ channel: String) async throws {
        await noteListening()
        try await query("listen \(unescaped: quotedIdentifier(channel))")
    }

    /// Waits for the next notification and returns it; nil when `timeout` has passed.
    ///
    /// Other calls on the connection can run meanwhile. Throws `CancellationError` promptly when the task is
    /// cancelled, and `connectionLost` if the connection breaks.
    nonisolated package func nextNotification(timeout: Duration) async throws -> PostgresNotification? {
        let deadline = ContinuousClock.now + timeout
        while true {
            switch try await onCancelWake({ try await self.awaitNotification(until: deadline) }) {
            case .arrived(let notification): return notification
            case .timedOut: return nil
            case .othersWait: await Task.yield()
            }
        }
    }

    private func noteListening() { isListening = true }

    private enum NotificationWait: Sendable {
        case arrived(PostgresNotification)
        case timedOut
        case othersWait
    }

    private func awaitNotification(until deadline: ContinuousClock.Instant) throws -> NotificationWait {
        let handle = try openHandle()
        while true {
            try Task.checkCancellation()
            if !notifications.isEmpty { return .arrived(notifications.removeFirst()) }
            if thread.hasJobs { return .othersWait }
            switch try thread.wait(for: handle.socket, events: POLLIN, until: deadline) {
            case .ready:
                let isSound = handle.consumeInput()
                collectNotifications(handle)
                if !isSound, notifications.isEmpty { throw lose(handle) }
            case .signalled: continue
            case .deadline: return .timedOut
            }
        }
    }
}
