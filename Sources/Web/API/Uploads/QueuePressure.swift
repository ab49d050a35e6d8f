import DarkroomClient
import Postgres
import Synchronization

/// Whether so much waits that more uploads would only wait longer. Asked once in two seconds, however many uploads there are.
final class QueuePressure: Sendable {
    private struct State {
        var oldest = 0.0
        var readAt: ContinuousClock.Instant?
    }

    private let client: DarkroomClient
    private let longestWait: Double?
    private let state = Mutex(State())

    init(_ client: DarkroomClient, longestWait: Double?) {
        self.client = client
        self.longestWait = longestWait
    }

    /// In how many seconds an upload may come again; nil if it may come now.
    func retryAfter() async throws -> Int? {
        guard let longestWait else { return nil }
        let known = state.withLock { state -> Double? in
            guard let readAt = state.readAt, readAt + .seconds(2) > .now else {
                // Others go on with what is known while this one asks.
                state.readAt = .now
                return nil
            }
            return state.oldest
        }
        var oldest = known ?? 0
        if known == nil {
            let rows = try await client.write("select coalesce(darkroom.oldest_waiting_s(), 0) as oldest")
            oldest = try rows.first?.decode("oldest") ?? 0
            state.withLock { $0.oldest = oldest }
        }
        return oldest > longestWait ? 30 : nil
    }
}
