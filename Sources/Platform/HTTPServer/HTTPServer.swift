import CMicroHTTPD
import Glibc
import Synchronization
import Threads

/// An HTTP/1.1 server. TLS is for a proxy in front of it.
///
/// Handlers run as tasks, any number at once. A request whose handler waits holds no thread. A body is read as fast as the
/// handler takes it. The server ends what is too slow: see ``Limits``.
package final class HTTPServer: Sendable {
    package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse
    /// Says in the response why a request never came to the handler.
    package typealias Refuse = @Sendable (HTTPRequest.Fault) -> HTTPResponse

    package struct Limits: Sendable {
        /// The most connections at once.
        package var connections = 64
        /// The most connections at once from one address.
        package var connectionsPerClient = 16
        /// How long a connection may stay silent before it is closed.
        package var idleSeconds = 10
        /// How long a request or a response may take beyond what it takes at the slowest accepted rate.
        package var grace = Duration.seconds(30)
        /// The threads that read and write, 1 at least.
        package var threads = 1

        package init() {}
    }

    /// Where the server listens. If port 0 was asked for, this has the port that the system chose.
    package let address: ListenAddress
    package var port: UInt16 { address.port }

    /// `@unchecked Sendable`: the handle is passed to calls that the library allows on any thread, and ended once.
    private struct Daemon: @unchecked Sendable {
        let handle: OpaquePointer
        let context: Unmanaged<ServerContext>
    }

    /// Nil once stopped.
    private let daemon: Mutex<Daemon?>

    /// Starts listening. Does not block.
    ///
    /// - Parameter address: see `ListenAddress`.
    package init(
        address: String, limits: Limits = Limits(), refuse: @escaping Refuse = { HTTPResponse($0) },
        handler: @escaping Handler
    ) throws(HTTPServerError) {
        let address = try ListenAddress(address)
        let socket = try ListenSocket.open(address)
        let context = Unmanaged.passRetained(ServerContext(handler, refuse, grace: limits.grace))
        guard let handle = Self.start(on: socket, limits, context) else {
            let number = errno
            close(socket.descriptor)
            context.release()
            throw HTTPServerError(errorNumber: number, address: address)
        }
        self.address = ListenAddress(address, port: socket.port)
        daemon = Mutex(Daemon(handle: handle, context: context))
        context.takeUnretainedValue().startSweeping()
    }

    deinit { if let daemon = daemon.withLock({ $0.take() }) { Self.end(daemon) } }

    /// Stops listening, lets the handlers that run finish, and closes the connections. A second call does nothing.
    ///
    /// - Parameter grace: how long handlers may go on before their tasks are cancelled.
    package func stop(grace: Duration = .seconds(5)) async {
        guard let daemon = daemon.withLock({ $0.take() }) else { return }
        // Belongs to the library until now; nobody else can connect from here on.
        let listening = MHD_quiesce_daemon(daemon.handle)
        if listening >= 0 { close(listening) }
        await daemon.context.takeUnretainedValue().drain(grace)
        do {
            try await onThread { Self.end(daemon) }
        } catch {
            // No thread is available: blocking this one is better than keeping the connections.
            Self.end(daemon)
        }
    }

    /// How many connections are open.
    package var connections: Int {
        daemon.withLock { $0?.context.takeUnretainedValue().watches.count } ?? 0
    }

    /// Blocks. A handler that does not end is waited for: the library cannot forget a connection that waits for it.
    private static func end(_ daemon: consuming Daemon) {
        daemon.context.takeUnretainedValue().stopSweeping()
        MHD_stop_daemon(daemon.handle)
        daemon.context.release()
    }

    private static func start(
        on socket: ListenSocket, _ limits: Limits, _ context: Unmanaged<ServerContext>
    ) -> OpaquePointer? {
        func option(
            _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
        ) -> MHD_OptionItem {
            MHD_OptionItem(option: option, value: value, ptr_value: pointer)
        }
        func address<Function>(_ function: Function) -> Int { unsafeBitCast(function, to: Int.self) }
        var options = [
            option(.LISTEN_SOCKET, Int(socket.descriptor)),
            option(.CONNECTION_LIMIT, limits.connections),
            option(.PER_IP_CONNECTION_LIMIT, limits.connectionsPerClient),
            option(.CONNECTION_MEMORY_LIMIT, 32 * 1024),
            option(.CONNECTION_MEMORY_INCREMENT, 16 * 1024),
            option(.CONNECTION_TIMEOUT, limits.idleSeconds),
            option(.STRICT_FOR_CLIENT, 1),
            option(.NOTIFY_COMPLETED, address(ServerContext.completed), context.toOpaque()),
            option(.NOTIFY_CONNECTION, address(ServerContext.connected), context.toOpaque()),
            option(.URI_LOG_CALLBACK, address(ServerContext.requested), context.toOpaque()),
            option(.UNESCAPE_CALLBACK, address(ServerContext.unescape), nil),
        ]
        if limits.threads > 1 { options.append(option(.THREAD_POOL_SIZE, limits.threads)) }
        options.append(option(.END, 0))
        let flags = UInt32(MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue)
        return options.withUnsafeMutableBufferPointer { options in
            let arguments: [any CVarArg] = [
                Int32(bitPattern: MHD_OPTION.ARRAY.rawValue), options.baseAddress!,
                Int32(bitPattern: MHD_OPTION.END.rawValue),
            ]
            return withVaList(arguments) { arguments in
                // The variadic MHD_start_daemon cannot be called from Swift.
                MHD_start_daemon_va(flags, 0, nil, nil, ServerContext.access, context.toOpaque(), arguments)
            }
        }
    }
}
