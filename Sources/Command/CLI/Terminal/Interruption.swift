import CommandSupport
import Glibc
import Synchronization

/// Whether the user asked a long command to stop, so that it can stop at a safe point.
///
/// The first SIGINT, SIGTERM or SIGHUP is a request; the second ends the process at once.
final class Interruption: Sendable {
    private struct State {
        var signal: Int32?
        var sleeper: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Handles SIGINT, SIGTERM and SIGHUP for the rest of the process's life. Create only one.
    ///
    /// - Parameter others: signals that only end a ``sleep(until:)``.
    init(wakingOn others: [Int32] = []) {
        let signals = Signals.stream(and: others)
        Task { [weak self] in
            for await signal in signals {
                guard let self else { exit(128 + signal) }
                guard !others.contains(signal) else {
                    self.wake(asking: nil)
                    continue
                }
                if self.isAsked { exit(128 + signal) }
                self.wake(asking: signal)
            }
        }
    }

    var isAsked: Bool { signal != nil }

    /// The exit code that shells use for a process ended by a signal: 128 plus the signal's number.
    var exitCode: Int32 { 128 + (signal ?? SIGINT) }

    private var signal: Int32? { state.withLock(\.signal) }

    /// Returns at `deadline`, or earlier when a signal comes.
    func sleep(until deadline: ContinuousClock.Instant) async {
        guard deadline > .now else { return }
        let sleeper = Task { _ = try? await Task.sleep(until: deadline, clock: .continuous) }
        let isAsked = state.withLock { state in
            state.sleeper = sleeper
            return state.signal != nil
        }
        if isAsked { sleeper.cancel() }
        await sleeper.value
    }

    private func wake(asking signal: Int32?) {
        let sleeper = state.withLock { state in
            if let signal { state.signal = signal }
            return state.sleeper
        }
        sleeper?.cancel()
    }
}
