import CSystemd
import Glibc
import Threads

/// Tells systemd, or another supervisor that speaks its protocol, how this process is doing.
///
/// Does nothing if `$NOTIFY_SOCKET` is not set. A failed message is reported and does not stop the work.
/// Messages are sent from separate threads, because sending blocks while the supervisor's queue is full.
/// Source: sd_notify(3), sd_watchdog_enabled(3).
package struct ServiceManager: Sendable {
    /// Whether there is a supervisor to tell.
    package let isSupervised: Bool
    /// How often the supervisor expects a keep-alive; nil if it has no watchdog.
    package let watchdogInterval: Duration?

    private let onFailure: @Sendable (ServiceManagerError) -> Void

    /// Reads the environment.
    ///
    /// - Parameter onFailure: called on any thread with each message that could not be sent.
    package init(onFailure: @escaping @Sendable (ServiceManagerError) -> Void) {
        self.onFailure = onFailure
        isSupervised = getenv("NOTIFY_SOCKET").map { $0.pointee != 0 } ?? false
        var microseconds: UInt64 = 0
        let status = isSupervised ? sd_watchdog_enabled(0, &microseconds) : 0
        watchdogInterval = status > 0 ? .microseconds(Int64(clamping: microseconds)) : nil
        if status < 0 { onFailure(ServiceManagerError(.malformedWatchdog, errorNumber: -status)) }
    }

    /// Says that the process is ready. Until then systemd (`Type=notify`) treats it as starting.
    package func ready(status: String) async {
        await send("READY=1\n" + Self.line(status))
    }

    /// Sets the line that `systemctl status` shows.
    package func status(_ text: String) async {
        await send(Self.line(text))
    }

    /// Says that the process is about to end, and asks for `budget` to do so if systemd would allow less.
    package func stopping(within budget: Duration, status: String) async {
        let (seconds, attoseconds) = budget.components
        let microseconds = max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        await send("STOPPING=1\nEXTEND_TIMEOUT_USEC=\(microseconds)\n" + Self.line(status))
    }

    /// Sends a keep-alive twice in each watchdog interval while `isAlive`, until the task is cancelled.
    ///
    /// Returns at once if the supervisor has no watchdog. The supervisor kills and restarts a process that goes silent,
    /// so `isAlive` should be false only for what a restart fixes: a stuck loop, not a database that is down.
    package func keepAlive(while isAlive: @Sendable () -> Bool) async {
        guard let watchdogInterval else { return }
        while !Task.isCancelled {
            if isAlive() { await send("WATCHDOG=1") }
            try? await Task.sleep(for: watchdogInterval / 2)
        }
    }

    private func send(_ message: String) async {
        guard isSupervised else { return }
        do {
            let status = try await onThread { sd_notify(0, message) }
            if status < 0 { onFailure(ServiceManagerError(.notSent, errorNumber: -status)) }
        } catch {
            onFailure(ServiceManagerError(.notSent, errorNumber: EAGAIN))
        }
    }

    /// One line of the message; a line end in the text would begin another assignment.
    private static func line(_ status: String) -> String {
        "STATUS=" + status.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

/// Why the service manager could not be told, or its settings not understood.
package struct ServiceManagerError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// The message did not reach `$NOTIFY_SOCKET`.
        case notSent
        /// `$WATCHDOG_USEC` or `$WATCHDOG_PID` is not a number.
        case malformedWatchdog
    }

    package var code: Code
    package var errorNumber: Int32

    init(_ code: Code, errorNumber: Int32) {
        self.code = code
        self.errorNumber = errorNumber
    }

    package var description: String {
        let cause = String(cString: strerror(errorNumber))
        return switch code {
        case .notSent: "the message could not be sent to the service manager at $NOTIFY_SOCKET: \(cause)"
        case .malformedWatchdog:
            "$WATCHDOG_USEC or $WATCHDOG_PID is malformed, so there is no watchdog: \(cause)"
        }
    }
}
