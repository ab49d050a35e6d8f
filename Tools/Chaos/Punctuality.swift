import Synchronization

/// How late this process gets its turns: on a machine that is too busy, a trial says nothing.
final class Punctuality: Sendable {
    private struct Delay {
        let noticed: ContinuousClock.Instant
        let length: Duration
    }

    private static let beat = Duration.milliseconds(100)
    private let delays = Mutex<[Delay]>([])

    /// Measures until cancelled.
    func measure() async {
        while !Task.isCancelled {
            let began = ContinuousClock.now
            try? await Task.sleep(for: Self.beat)
            let noticed = ContinuousClock.now
            let length = noticed - began - Self.beat
            if length > .zero { delays.withLock { $0.append(Delay(noticed: noticed, length: length)) } }
        }
    }

    /// The longest delay since `start`.
    func worst(since start: ContinuousClock.Instant) -> Duration {
        delays.withLock { delays in
            delays.reversed().prefix { $0.noticed >= start }.map(\.length).max() ?? .zero
        }
    }
}
