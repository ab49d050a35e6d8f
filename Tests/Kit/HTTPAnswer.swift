import FoundationEssentials
import Glibc
import Threads

/// A server's reply, read until it closes the connection.
package struct HTTPAnswer: Sendable {
    package struct Failure: Error { var call: String, number: Int32 }

    package let text: String

    package var status: Int { text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
    package var body: String {
        text.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
    }

    package func header(_ name: String) -> String? {
        text.split(separator: "\r\n").prefix { !$0.isEmpty }.first { $0.hasPrefix(name + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    /// Connects, sends `request` and reads to the end.
    ///
    /// - Parameter host: an IPv4 or IPv6 address.
    package static func to(_ request: String, port: UInt16, host: String = "127.0.0.1") async throws
        -> HTTPAnswer
    {
        try await onThread {
            let descriptor = try connected(host, port)
            defer { close(descriptor) }
            let bytes = Array(request.utf8)
            // A server that refuses may close before it has read everything.
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            return HTTPAnswer(text: try readAll(descriptor))
        }
    }

    package static func get(_ path: String, port: UInt16, host: String = "127.0.0.1") async throws
        -> HTTPAnswer
    {
        try await to(
            "GET \(path) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n", port: port, host: host)
    }

    package static func connected(_ host: String, _ port: UInt16) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let found else {
            throw Failure(call: "getaddrinfo", number: 0)
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(found.pointee.ai_family, found.pointee.ai_socktype, 0)
        // A reply that never comes fails the test instead of hanging it.
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
            let number = errno
            close(descriptor)
            throw Failure(call: "connect", number: number)
        }
        return descriptor
    }

    package static func readAll(_ descriptor: Int32) throws -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            guard count > 0 else {
                if errno == ECONNRESET { return String(decoding: bytes, as: UTF8.self) }
                throw Failure(call: "recv", number: errno)
            }
            bytes += chunk[..<count]
        }
    }
}
