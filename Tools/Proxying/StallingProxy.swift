import CLinux
import ChildProcess
import Glibc
import Synchronization
import Threads

/// A proxy in front of a PostgreSQL server that can become a black hole: its connections stay open and nothing passes.
///
/// Like the server, it listens on a Unix socket, in a folder of its own. Its methods may be called on any thread.
package final class StallingProxy: Sendable {
    private struct State {
        var links: [ProxyLink] = []
        var isStalled = false
        /// The request to which so many more replies are to be held.
        var request: [UInt8]?
        var holds = 0
        var isStopped = false
    }

    private static let socketName = ".s.PGSQL.5432"

    private let state = Mutex(State())
    /// The folder of its socket.
    package let directory: String
    private let serverSocket: String
    private let listener: Int32
    /// An eventfd that makes the forwarding thread check the state.
    private let event: Int32

    /// Calls `body` with a forwarding proxy, and closes it with all of its connections.
    ///
    /// - Parameters:
    ///   - server: the folder of the server's socket.
    ///   - directory: where the proxy makes its own folder; a short path, as it becomes part of a socket's address.
    /// - Throws: ``ProxyError`` if it cannot listen, and what `body` throws.
    package static func with<T>(
        before server: String, in directory: String, _ body: (StallingProxy) async throws -> T
    ) async throws -> T {
        let proxy = try StallingProxy(before: server, in: directory)
        let forwarding = Task { try await onThread { proxy.forward() } }
        let result: Result<T, any Error>
        do {
            result = .success(try await body(proxy))
        } catch {
            result = .failure(error)
        }
        proxy.state.withLock { $0.isStopped = true }
        proxy.wake()
        try await forwarding.value
        return try result.get()
    }

    private init(before server: String, in parent: String) throws {
        serverSocket = "\(server)/\(Self.socketName)"
        directory = try makeTemporaryFolder("proxy", in: parent)
        event = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        listener = try unixSocket("\(directory)/\(Self.socketName)") { descriptor, address, length in
            bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
        }
    }

    deinit {
        for descriptor in [event, listener] { close(descriptor) }
        unlink("\(directory)/\(Self.socketName)")
        rmdir(directory)
    }

    /// The URL of `database` through the proxy, as superuser `darkroom`.
    package func url(database: String) -> String {
        "postgresql:///\(database)?host=\(directory)&port=5432&user=darkroom"
    }

    /// From now on no byte passes in either direction, and no connection is accepted or closed. New clients find
    /// a listener that never replies.
    package func stall() {
        state.withLock { $0.isStalled = true }
        wake()
    }

    /// Holds the replies to the next `count` scripts that are just `statement`, with all that follows on their connections.
    /// Everything else passes.
    package func hold(_ count: Int, repliesTo statement: String) {
        state.withLock { state in
            // A script is sent as one message, whose text ends with a zero.
            state.request = Array(statement.utf8) + [0]
            state.holds = count
        }
    }

    /// How many connections it holds because of `hold`.
    package var held: Int { state.withLock { $0.links.count(where: \.isHeld) } }

    /// Forwards again, beginning with what was held.
    package func resume() {
        state.withLock { state in
            state.isStalled = false
            state.holds = 0
            for index in state.links.indices { state.links[index].release() }
        }
        wake()
    }

    /// Closes every connection, stalled or not. New ones are accepted.
    package func cut() {
        state.withLock { state in
            for link in state.links { link.close() }
            state.links = []
        }
        wake()
    }

    /// Whether bytes from a client or the server have arrived that were not passed on.
    package var isHolding: Bool { state.withLock { $0.links.contains(where: \.isHolding) } }

    private func wake() { eventfd_write(event, 1) }

    /// Forwards until the proxy is closed. Blocks.
    private func forward() {
        while true {
            var waiting = [pollfd(fd: event, events: Int16(POLLIN), revents: 0)]
            let isStopped = state.withLock { state in
                if state.isStopped {
                    for link in state.links { link.close() }
                    state.links = []
                } else if !state.isStalled {
                    takeClients(&state)
                    for index in state.links.indices { forward(&state, index) }
                    state.links.removeAll { link in
                        if link.isEnded { link.close() }
                        return link.isEnded
                    }
                    waiting.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
                    for link in state.links { waiting += link.waiting }
                }
                return state.isStopped
            }
            if isStopped { return }
            // It does not matter which socket is ready: every one is tried, and none blocks.
            _ = poll(&waiting, nfds_t(waiting.count), -1)
            var count: eventfd_t = 0
            eventfd_read(event, &count)
        }
    }

    private func forward(_ state: inout State, _ index: Int) {
        let wasHeld = state.links[index].isHeld
        state.links[index].forward(holdingRepliesTo: state.holds > 0 ? state.request : nil)
        if !wasHeld, state.links[index].isHeld { state.holds -= 1 }
    }

    private func takeClients(_ state: inout State) {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            makeNonblocking(client)
            let server = try? unixSocket(serverSocket) { connect($0, $1, $2) == 0 }
            guard let server else {
                close(client)
                continue
            }
            state.links.append(ProxyLink(client: client, server: server))
        }
    }
}
