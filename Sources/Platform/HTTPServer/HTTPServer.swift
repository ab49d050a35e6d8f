import CMicroHTTPD
import Glibc
import Synchronization
import Threads

/// A small HTTP/1.1 server for metrics and health checks: GET and HEAD, no bodies, no TLS.
///
/// A single thread serves all connections, so a slow handler delays every other request. Anyone who reaches the
/// address can read what the handler returns: listen on a private one. Limits: 64 connections, 16 per client,
/// 8 KiB for the request line and headers.
package final class HTTPServer: Sendable {
    package typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse

    /// Where the server listens. If port 0 was asked for, this has the port that the system chose.
    package let address: ListenAddress
    package var port: UInt16 { address.port }

    private struct Daemon {
        let handle: OpaquePointer
        let handler: Unmanaged<HandlerBox>

        /// Blocks until a running handler has returned.
        consuming func stop() {
            MHD_stop_daemon(handle)
            handler.release()
        }
    }

    /// Nil once stopped.
    private let daemon: Mutex<Daemon?>

    /// Starts listening. Does not block.
    ///
    /// - Parameters:
    ///   - address: see `ListenAddress`.
    ///   - idleSeconds: how long a connection may stay silent before it is closed.
    ///   - handler: called on the server's thread.
    package init(
        address: String, idleSeconds: Int = 10, handler: @escaping Handler
    ) throws(HTTPServerError) {
        let address = try ListenAddress(address)
        let socket = try ListenSocket.open(address)
        let box = Unmanaged.passRetained(HandlerBox(handler))
        guard let handle = Self.start(on: socket, idleSeconds: idleSeconds, box) else {
            let number = errno
            close(socket.descriptor)
            box.release()
            throw HTTPServerError(errorNumber: number, address: address)
        }
        self.address = ListenAddress(address, port: socket.port)
        daemon = Mutex(Daemon(handle: handle, handler: box))
    }

    deinit { stopBlocking() }

    /// Stops listening, closes the connections and waits for a running handler. A second call does nothing.
    package func stop() async {
        do {
            try await onThread { self.stopBlocking() }
        } catch {
            // No thread is available: blocking this one is better than keeping the port.
            stopBlocking()
        }
    }

    private func stopBlocking() {
        daemon.withLock { $0.take()?.stop() }
    }

    private static func start(on socket: ListenSocket, idleSeconds: Int, _ handler: Unmanaged<HandlerBox>)
        -> OpaquePointer?
    {
        func option(_ option: MHD_OPTION, _ value: Int) -> MHD_OptionItem {
            MHD_OptionItem(option: option, value: value, ptr_value: nil)
        }
        var options = [
            option(.LISTEN_SOCKET, Int(socket.descriptor)),
            option(.CONNECTION_LIMIT, 64),
            option(.PER_IP_CONNECTION_LIMIT, 16),
            option(.CONNECTION_MEMORY_LIMIT, 8192),
            option(.CONNECTION_TIMEOUT, idleSeconds),
            option(.STRICT_FOR_CLIENT, 1),
            option(.END, 0),
        ]
        let flags = UInt32(MHD_USE_AUTO_INTERNAL_THREAD.rawValue)
        return options.withUnsafeMutableBufferPointer { options in
            let arguments: [any CVarArg] = [
                Int32(bitPattern: MHD_OPTION.ARRAY.rawValue), options.baseAddress!,
                Int32(bitPattern: MHD_OPTION.END.rawValue),
            ]
            return withVaList(arguments) { arguments in
                // The variadic MHD_start_daemon cannot be called from Swift.
                MHD_start_daemon_va(flags, 0, nil, nil, HandlerBox.callback, handler.toOpaque(), arguments)
            }
        }
    }
}
