import Glibc
import Synchronization
import Threads

/// A proxy before an object store that damages what passes, or a server that only says what it is told.
///
/// Each connection has a thread and carries one request.
package final class FaultProxy: Sendable {
    package enum Fault: Sendable, CustomStringConvertible {
        case pass
        /// Sent instead of asking the store.
        case reply(String)
        /// The connection is cut after so many bytes of the request's body came.
        case cutRequest(after: Int)
        /// The connection is cut after so many bytes of the reply's body.
        case cutReply(after: Int)
        /// The store does what it is asked, and nothing of its reply passes.
        case loseReply
        /// After so many bytes of the reply's body comes nothing more, and the connection stays.
        case stallReply(after: Int)
        /// The reply tells a length that differs by so many bytes.
        case misstateLength(by: Int)
        /// The request passes after so many milliseconds.
        case delay(milliseconds: Int)
        /// The reply tells no length.
        case omitLength

        package var description: String {
            switch self {
            case .reply(let text): "reply \(text.prefix { !$0.isNewline })"
            case .pass: "pass"
            case .cutRequest(let count): "cut the request after \(count)"
            case .cutReply(let count): "cut the reply after \(count)"
            case .loseReply: "lose the reply"
            case .stallReply(let count): "stall the reply after \(count)"
            case .misstateLength(let count): "misstate the length by \(count)"
            case .delay(let count): "wait for \(count) ms"
            case .omitLength: "omit the length"
            }
        }
    }

    package let port: UInt16
    private let listener: CInt
    private let upstream: UInt16?
    private let decide: @Sendable (String) -> Fault
    private let seen = Mutex<[String]>([])
    private let repliedBytes = Atomic(0)
    /// Tells when a stalled connection begins (true) and when the client leaves it (false).
    package let stalls: AsyncStream<Bool>
    private let stall: AsyncStream<Bool>.Continuation

    /// - Parameters:
    ///   - endpoint: of the store.
    ///   - decide: gets the request's line and headers.
    package init(before endpoint: String? = nil, decide: @escaping @Sendable (String) -> Fault) throws {
        upstream = endpoint.flatMap { UInt16($0.split(separator: ":").last ?? "") }
        self.decide = decide
        (stalls, stall) = AsyncStream.makeStream()
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw ProxyError("cannot listen on 127.0.0.1") }
        port = UInt16(bigEndian: address.sin_port)
        let accepting = Weak(self)
        try startThread(named: "fault-proxy") {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    close(listener)
                    return
                }
                guard let proxy = accepting.proxy else {
                    close(client)
                    close(listener)
                    return
                }
                try? startThread(named: "fault-proxy-one") {
                    proxy.serve(client)
                    close(client)
                }
            }
        }
    }

    // The accepting thread ends with the listener.
    deinit { shutdown(listener, CInt(SHUT_RDWR)) }

    package var endpoint: String { "http://127.0.0.1:\(port)" }

    /// Lines and headers of the requests that came.
    package var requests: [String] { seen.withLock { $0 } }

    /// How many bytes of replies came from the store.
    package var replied: Int { repliedBytes.load(ordering: .relaxed) }

    private struct Weak: Sendable {
        weak let proxy: FaultProxy?
        init(_ proxy: FaultProxy) { self.proxy = proxy }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func serve(_ client: CInt) {
        guard let (head, rest) = readHead(client) else { return }
        seen.withLock { $0.append(head) }
        let fault = decide(head)
        if case .reply(let text) = fault {
            readBody(client, head, rest.count)
            sendAll(client, Array(text.utf8))
            return leave(client)
        }
        if case .delay(let count) = fault { usleep(useconds_t(count) * 1000) }
        guard let upstream else { return }
        let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        defer { close(server) }
        var address = Self.address(port: upstream)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return }
        // So that the store ends its reply by closing.
        let line = head.prefix { $0 != "\r\n" }
        sendAll(server, Array("\(line)\r\nConnection: close\(head.dropFirst(line.count))".utf8))
        pass(client, server, rest, fault)
    }

    private func pass(_ client: CInt, _ server: CInt, _ rest: [UInt8], _ fault: Fault) {
        var left = if case .cutRequest(let count) = fault { count } else { Int.max }
        var reply = ForwardedReply(fault)
        func forward(_ bytes: [UInt8]) -> Bool {
            sendAll(server, Array(bytes.prefix(left)))
            left -= min(left, bytes.count)
            return left > 0
        }
        guard forward(rest) else { return }
        var isClientDone = false
        while true {
            var ready = [
                pollfd(fd: isClientDone ? -1 : client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&ready, 2, -1) > 0 else { return }
            if ready[0].revents != 0 {
                let bytes = read(client)
                if bytes.isEmpty { isClientDone = true }
                guard forward(bytes) else { return }
            }
            if ready[1].revents != 0 {
                let bytes = read(server)
                if bytes.isEmpty { return leave(client) }
                repliedBytes.add(bytes.count, ordering: .relaxed)
                sendAll(client, reply.damaged(bytes))
                if reply.isStalled {
                    stall.yield(true)
                    return leave(client, tells: true)
                }
                if reply.isCut { return }
            }
        }
    }

    /// Waits until the client closes, so that it reads all that was sent.
    private func leave(_ client: CInt, tells: Bool = false) {
        if !tells { shutdown(client, CInt(SHUT_WR)) }
        while !read(client).isEmpty {}
        if tells { stall.yield(false) }
    }

    private func readHead(_ client: CInt) -> (head: String, rest: [UInt8])? {
        var bytes: [UInt8] = []
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                return (
                    String(decoding: bytes[..<end.upperBound], as: UTF8.self), Array(bytes[end.upperBound...])
                )
            }
            let more = read(client)
            if more.isEmpty { return nil }
            bytes += more
        }
    }

    /// Unless the client waits to be told to send it.
    private func readBody(_ client: CInt, _ head: String, _ count: Int) {
        let head = head.lowercased()
        guard !head.contains("\r\nexpect:"), let name = head.firstRange(of: "\r\ncontent-length: ") else {
            return
        }
        var left = (Int(head[name.upperBound...].prefix { $0.isNumber }) ?? 0) - count
        while left > 0 {
            let bytes = read(client)
            if bytes.isEmpty { return }
            left -= bytes.count
        }
    }

    private func read(_ descriptor: CInt) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    private func sendAll(_ descriptor: CInt, _ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// A reply on its way through the proxy.
private struct ForwardedReply {
    private let fault: FaultProxy.Fault
    private var head: [UInt8]? = []
    private var left: Int
    private(set) var isCut = false
    private(set) var isStalled = false

    init(_ fault: FaultProxy.Fault) {
        self.fault = fault
        switch fault {
        case .cutReply(let count), .stallReply(let count): left = count
        default: left = .max
        }
    }

    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        if case .loseReply = fault {
            // A 100 is no reply yet: without it the client keeps its body.
            if String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 100"), head?.isEmpty == true {
                return bytes
            }
            isCut = true
            return []
        }
        guard var all = head else { return body(bytes) }
        all += bytes
        guard let end = all.firstRange(of: Array("\r\n\r\n".utf8)) else {
            head = all
            return []
        }
        let text = String(decoding: all[..<end.upperBound], as: UTF8.self)
        let rest = Array(all[end.upperBound...])
        if text.hasPrefix("HTTP/1.1 100") {
            head = []
            return Array(text.utf8) + (rest.isEmpty ? [] : damaged(rest))
        }
        head = nil
        return Array(changed(text).utf8) + body(rest)
    }

    private func changed(_ head: String) -> String {
        head.split(separator: "\r\n", omittingEmptySubsequences: false).compactMap { line -> String? in
            guard line.lowercased().hasPrefix("content-length:"),
                let length = Int(line.dropFirst(15).drop(while: \.isWhitespace))
            else { return String(line) }
            switch fault {
            case .misstateLength(let count): return "Content-Length: \(length + count)"
            case .omitLength: return nil
            default: return String(line)
            }
        }.joined(separator: "\r\n")
    }

    private mutating func body(_ bytes: [UInt8]) -> [UInt8] {
        let passed = Array(bytes.prefix(left))
        left -= passed.count
        if left == 0 {
            if case .cutReply = fault { isCut = true }
            if case .stallReply = fault { isStalled = true }
        }
        return passed
    }
}
