import CMicroHTTPD
import Glibc
import Synchronization

/// Server-sent events (WHATWG HTML, section 9.2), for as long as the client stays.
///
/// A stream without news costs no thread and no timer. A client that does not read is dropped when 64 KiB wait for it.
package final class HTTPEventStream: Sendable {
    private struct State {
        var pending: [UInt8] = []
        var isClosed = false
        /// The connection while it waits for something to send.
        var suspended: Connection?
        var onEnd: (@Sendable () -> Void)?
    }

    static let limit = 64 * 1024
    /// What one call of the library takes at most, and what each stream needs while it is open; in bytes.
    static let blockBytes = 1024

    private let state: Mutex<State>

    /// - Parameter onEnd: called once when the stream has ended, for whatever reason.
    package init(onEnd: (@Sendable () -> Void)? = nil) {
        state = Mutex(State(onEnd: onEnd))
    }

    package var isOpen: Bool { state.withLock { !$0.isClosed } }

    /// Sends an event, whose data may have several lines.
    ///
    /// - Parameter name: without line breaks.
    package func send(event name: String, data: String, id: String? = nil) {
        var text = id.map { "id: \($0)\n" } ?? ""
        text += "event: \(name)\n"
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            text += "data: \(line)\n"
        }
        append(text + "\n")
    }

    /// Keeps proxies from ending the connection, and finds out whether the client is still there.
    package func beat() { append(":\n\n") }

    /// Ends the stream when all that was sent has reached the client.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            Self.wake(&state)
        }
    }

    private func append(_ text: String) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if state.pending.count + text.utf8.count > Self.limit {
                state.pending = []
                state.isClosed = true
            } else {
                state.pending += text.utf8
            }
            Self.wake(&state)
        }
    }

    private static func wake(_ state: inout State) {
        state.suspended?.resume()
        state.suspended = nil
    }

    /// Called on the server's thread: fills `buffer`, or suspends the connection until there is something to send.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, _ connection: Connection) -> Int {
        state.withLock { state in
            guard state.pending.isEmpty else {
                let count = min(buffer.count, state.pending.count)
                state.pending[..<count].withUnsafeBytes { buffer.copyMemory(from: $0) }
                state.pending.removeFirst(count)
                return count
            }
            guard !state.isClosed else { return Int(MHD_CONTENT_READER_END_OF_STREAM) }
            connection.suspend()
            state.suspended = connection
            return 0
        }
    }

    /// The library needs the stream no longer.
    func ended() {
        let onEnd = state.withLock { state in
            state.isClosed = true
            state.pending = []
            state.suspended = nil
            defer { state.onEnd = nil }
            return state.onEnd
        }
        onEnd?()
    }
}
