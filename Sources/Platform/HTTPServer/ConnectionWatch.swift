import CMicroHTTPD
import Glibc
import Synchronization

/// Ends connections whose client is too slow or has hung up.
///
/// The library ends those that are silent. One that sends or takes a byte from time to time would hold its place for ever, so
/// each phase of a request has an absolute limit as well.
///
/// The library also waits for changes of a socket (edge-triggered epoll), and takes a read that does not fill its buffer for the
/// last one. So it does not see the end of a connection that came together with the last bytes.
final class ConnectionWatch: Sendable {
    private struct State {
        var deadline: ContinuousClock.Instant?
        /// When the server stopped reading, and how long it did not read before.
        var pausedAt: ContinuousClock.Instant?
        var paused = Duration.zero
        var bodyBegan: ContinuousClock.Instant?
        /// Whether the next bytes are the client's.
        var isReceiving = false
        /// What the client reads, if it has no end.
        var stream: HTTPEventStream?
        /// The deadline at which the client was first found to have hung up; it is another one once something arrived.
        var endedAt: ContinuousClock.Instant?
    }

    /// For the headers of a request, and between two requests of a connection.
    static let headerLimit = Duration.seconds(30)
    /// The slowest mean rate of a body in both directions, in bytes per second.
    static let slowestRate = 2048.0

    let descriptor: CInt
    private let grace: Duration
    private let state: Mutex<State>

    /// - Parameter grace: beyond what the slowest accepted rate takes.
    init(_ descriptor: CInt, headerLimit: Duration = headerLimit, grace: Duration) {
        self.descriptor = descriptor
        self.grace = grace
        state = Mutex(State(deadline: .now + headerLimit, isReceiving: true))
    }

    func awaitHeaders() {
        state.withLock { $0 = State(deadline: .now + Self.headerLimit, isReceiving: true) }
    }

    /// The server is at work.
    func rest() { state.withLock { $0.deadline = nil } }

    /// The body is on its way. The time in which the server did not read does not count.
    func awaitBody(received: Int64) {
        state.withLock { state in
            let now = ContinuousClock.now
            if let pausedAt = state.pausedAt { state.paused += now - pausedAt }
            state.pausedAt = nil
            let began = state.bodyBegan ?? now
            state.bodyBegan = began
            state.isReceiving = true
            state.deadline =
                began + state.paused + grace + .seconds(Double(received) / Self.slowestRate)
        }
    }

    func pauseBody() {
        state.withLock { state in
            state.pausedAt = .now
            state.deadline = nil
        }
    }

    func awaitReading(_ response: HTTPResponse) {
        state.withLock { state in
            state.isReceiving = false
            if case .events(let stream) = response.content { state.stream = stream }
            state.deadline = response.byteCount.map {
                .now + grace + .seconds(Double($0) / Self.slowestRate)
            }
        }
    }

    /// Ends the connection, and returns the stream that must be closed: a suspended connection goes on only to find out.
    func end() -> HTTPEventStream? {
        shutdown(descriptor, Int32(SHUT_RDWR))
        return state.withLock(\.stream)
    }

    func isLate(_ now: ContinuousClock.Instant) -> Bool {
        state.withLock { $0.deadline.map { $0 < now } ?? false }
    }

    /// Whether the client has hung up, and had done so at the last call, and all that it sent is read. A client of a stream has
    /// hung up as soon as it cannot send any more.
    func hasHungUp() -> Bool {
        state.withLock { state in
            var byte: UInt8 = 0
            if state.stream != nil {
                // The connection is suspended, so the library does not look at it.
                let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
                return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
            }
            guard state.isReceiving, let deadline = state.deadline else { return false }
            guard recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0 else {
                state.endedAt = nil
                return false
            }
            defer { state.endedAt = deadline }
            return state.endedAt == deadline
        }
    }
}

/// All connections of a server.
final class ConnectionWatches: Sendable {
    private let open = Mutex<[ObjectIdentifier: ConnectionWatch]>([:])

    var count: Int { open.withLock(\.count) }

    func add(_ watch: ConnectionWatch) { open.withLock { $0[ObjectIdentifier(watch)] = watch } }

    /// Before the library closes the descriptor, so that no other connection is ended in its place.
    func remove(_ watch: ConnectionWatch) {
        _ = open.withLock { $0.removeValue(forKey: ObjectIdentifier(watch)) }
    }

    /// The library closes what is shut down.
    func sweep() {
        let streams = open.withLock { open in
            let now = ContinuousClock.now
            return open.values.filter { $0.isLate(now) || $0.hasHungUp() }.compactMap { $0.end() }
        }
        for stream in streams { stream.close() }
    }
}
