import CMicroHTTPD
import Glibc
import Synchronization

/// What the library's callbacks need.
final class ServerContext: Sendable {
    let watches = ConnectionWatches()
    private let handler: HTTPServer.Handler
    private let refuse: HTTPServer.Refuse
    private let grace: Duration
    private struct Exchanges {
        var running: [ObjectIdentifier: Exchange] = [:]
        /// The library aborts the process if it is stopped while a connection waits, so none may begin to.
        var areClosed = false
    }

    private let exchanges = Mutex(Exchanges())
    private let sweeping = Mutex<Task<Void, Never>?>(nil)

    init(
        _ handler: @escaping HTTPServer.Handler, _ refuse: @escaping HTTPServer.Refuse, grace: Duration
    ) {
        self.handler = handler
        self.refuse = refuse
        self.grace = grace
    }

    func startSweeping() {
        let watches = watches
        sweeping.withLock {
            $0 = Task {
                while (try? await Task.sleep(for: .seconds(1))) != nil { watches.sweep() }
            }
        }
    }

    func stopSweeping() { sweeping.withLock { $0.take() }?.cancel() }

    /// Closes connections that send another request, and ends the event streams. Waits until no handler runs, but at most for `grace`; then cancels those that do, and waits for them.
    func drain(_ grace: Duration) async {
        let end = ContinuousClock.now + grace
        exchanges.withLock { $0.areClosed = true }
        while case let running = exchanges.withLock({ Array($0.running.values) }), !running.isEmpty {
            for exchange in running { exchange.endStream() }
            if ContinuousClock.now >= end { for exchange in running { exchange.cancel() } }
            if ContinuousClock.now >= end + .seconds(10) { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// The library calls this for each request: when the headers have arrived, for each part of the body, and at the end.
    static let access: MHD_AccessHandlerCallback = {
        context, connection, url, method, _, data, size, state in
        guard let context, let connection, let url, let method, let size, let state else { return .NO }
        let server = Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue()
        if let known = state.pointee {
            let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
            return exchange.advance(data, &size.pointee)
        }
        return server.begin(
            Connection(pointer: connection), String(cString: method), path: String(cString: url),
            &state.pointee)
    }

    private func begin(
        _ connection: Connection, _ method: String, path: String, _ state: inout UnsafeMutableRawPointer?
    ) -> MHD_Result {
        let announced = connection.announcedBody
        let exchange = Exchange(connection, hasBody: announced.hasBody, handler: handler)
        do throws(HTTPRequest.Fault) {
            let body =
                announced.hasBody
                ? HTTPRequestBody(announcedBytes: announced.bytes, exchange: exchange) : HTTPRequestBody()
            let request = try HTTPRequest(method: method, path: path, connection, body: body)
            exchange.request.withLock { $0 = request }
        } catch {
            return refuse(error).queue(on: connection)
        }
        let isAccepted = exchanges.withLock { exchanges in
            if !exchanges.areClosed { exchanges.running[ObjectIdentifier(exchange)] = exchange }
            return !exchanges.areClosed
        }
        guard isAccepted else { return .NO }
        state = Unmanaged.passRetained(exchange).toOpaque()
        connection.watch?.rest()
        guard announced.hasBody else {
            // The library calls again at once. A response to the first call would end the connection.
            return .YES
        }
        var nothing = 0
        return exchange.advance(nil, &nothing)
    }

    static let completed: MHD_RequestCompletedCallback = { context, connection, state, _ in
        guard let context, let known = state?.pointee else { return }
        state?.pointee = nil
        let server = Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue()
        let exchange = Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue()
        _ = server.exchanges.withLock { $0.running.removeValue(forKey: ObjectIdentifier(exchange)) }
        exchange.end()
    }

    static let connected: MHD_NotifyConnectionCallback = { context, connection, socketContext, what in
        guard let context, let connection, let socketContext else { return }
        let server = Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue()
        if what == .CONNECTION_NOTIFY_STARTED {
            let watch = ConnectionWatch(Connection(pointer: connection).descriptor, grace: server.grace)
            server.watches.add(watch)
            socketContext.pointee = Unmanaged.passRetained(watch).toOpaque()
        } else if let known = socketContext.pointee {
            server.watches.remove(Unmanaged<ConnectionWatch>.fromOpaque(known).takeRetainedValue())
            socketContext.pointee = nil
        }
    }

    /// The most parameters of a query.
    static let mostParameters = 256
    /// The most bytes of a path with its query: half of what a connection keeps of a request.
    static let mostPathBytes = 16 * 1024

    /// The library keeps the path, and a record of each parameter, in a connection's memory. If that is full, it says nothing and
    /// waits.
    static let requested:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
        ) -> UnsafeMutableRawPointer? = { context, uri, connection in
            guard let context, let uri, let connection else { return nil }
            let bytes = UnsafeRawBufferPointer(start: uri, count: strlen(uri))
            let count = bytes.reduce(0) { $0 + ($1 == UInt8(ascii: "&") ? 1 : 0) }
            guard count >= mostParameters || bytes.count > mostPathBytes else { return nil }
            let client = Connection(pointer: connection)
            let server = Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue()
            let text =
                count >= mostParameters
                ? "The query of the request has more than \(mostParameters) parameters"
                : "The path and query of the request have more than \(mostPathBytes) bytes"
            client.write(server.refuse(HTTPRequest.Fault(status: 414, text: text)).closingBytes)
            client.end()
            return nil
        }

    /// Paths are decoded part by part, so that `%2F` is no slash.
    static let unescape:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
        ) -> Int = { _, _, text in text.map { strlen($0) } ?? 0 }
}
