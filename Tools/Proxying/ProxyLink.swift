import Glibc

/// One client of a proxy and its connection to the server. Its sockets do not block.
struct ProxyLink: Sendable {
    private var outward: Direction
    private var inward: Direction

    init(client: Int32, server: Int32) {
        outward = Direction(source: client, target: server)
        inward = Direction(source: server, target: client)
    }

    var isEnded: Bool { outward.isBroken || inward.isBroken || (outward.isDone && inward.isDone) }

    /// Whether bytes, or an end, are still to be passed on.
    var isHolding: Bool { outward.isHolding || inward.isHolding }

    /// What to wait for before forwarding again.
    var waiting: [pollfd] { outward.waiting + inward.waiting }

    /// Passes on what it can without waiting.
    ///
    /// - Parameter request: after the server got this from the client, nothing that it replies is passed on.
    mutating func forward(holdingRepliesTo request: [UInt8]?) {
        outward.forward { bytes in
            if let request, bytes.contains(request) { inward.isHeld = true }
        }
        inward.forward { _ in }
    }

    var isHeld: Bool { inward.isHeld }

    mutating func release() { inward.isHeld = false }

    func close() {
        Glibc.close(outward.source)
        Glibc.close(outward.target)
    }
}

private struct Direction: Sendable {
    let source: Int32
    let target: Int32
    /// Read but not yet written.
    private var pending: [UInt8] = []
    private var sourceHasEnded = false
    private(set) var isBroken = false
    /// Whether nothing is read from the source.
    var isHeld = false

    init(source: Int32, target: Int32) {
        self.source = source
        self.target = target
    }

    var isDone: Bool { sourceHasEnded && pending.isEmpty }

    var isHolding: Bool {
        var input = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
        return !pending.isEmpty || (!sourceHasEnded && poll(&input, 1, 0) > 0)
    }

    var waiting: [pollfd] {
        if !pending.isEmpty { return [pollfd(fd: target, events: Int16(POLLOUT), revents: 0)] }
        return sourceHasEnded || isHeld ? [] : [pollfd(fd: source, events: Int16(POLLIN), revents: 0)]
    }

    /// - Parameter read: gets the bytes before they are passed on.
    mutating func forward(_ read: ([UInt8]) -> Void) {
        while !isBroken, !isDone {
            if pending.isEmpty {
                if isHeld { return }
                var bytes = [UInt8](repeating: 0, count: 1 << 16)
                let count = recv(source, &bytes, bytes.count, 0)
                if count < 0 {
                    isBroken = errno != EAGAIN && errno != EINTR
                    return
                }
                pending = Array(bytes[..<count])
                read(pending)
                if count == 0 {
                    sourceHasEnded = true
                    shutdown(target, Int32(SHUT_WR))
                }
            } else {
                let count = send(target, pending, pending.count, Int32(MSG_NOSIGNAL))
                if count < 0 {
                    isBroken = errno != EAGAIN && errno != EINTR
                    return
                }
                pending.removeFirst(count)
            }
        }
    }
}

/// A Unix stream socket that does not block, after `use` has bound or connected it to `path`.
func unixSocket(
    _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw ProxyError("the path of the socket \(path) is too long")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw ProxyError("no socket: \(String(cString: strerror(errno)))") }
    let isUsable = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard isUsable else {
        let reason = String(cString: strerror(errno))
        close(descriptor)
        throw ProxyError("cannot use the socket \(path): \(reason)")
    }
    makeNonblocking(descriptor)
    return descriptor
}

func makeNonblocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}
