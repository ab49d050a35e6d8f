import Glibc

/// Where a server listens: `HOST:PORT`, `:PORT` for every interface, `[::1]:PORT` for an IPv6 address.
///
/// The host is an IP address or `localhost`; resolving other names could block for long. With port 0 the system
/// chooses one.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// Without brackets; nil for every interface, IPv4 and IPv6.
    package let host: String?
    package let port: UInt16

    /// Throws `HTTPServerError` with the code `malformedAddress`.
    package init(_ text: String) throws(HTTPServerError) {
        func malformed(_ why: String) -> HTTPServerError {
            HTTPServerError(
                .malformedAddress, address: text,
                message: "\(why); write HOST:PORT, :PORT or [IPV6]:PORT, such as 127.0.0.1:9464")
        }
        guard let colon = text.lastIndex(of: ":") else { throw malformed("there is no port") }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            throw malformed("the port is not a number from 0 to 65535")
        }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
        if isBracketed { host = host.dropFirst().dropLast() }
        guard isBracketed == host.contains(":") else {
            throw malformed("only an IPv6 address is written in brackets, and it needs them")
        }
        self.host = host.isEmpty ? nil : host == "localhost" ? "127.0.0.1" : String(host)
        self.port = port
        guard !candidates.isEmpty else { throw malformed("the host is neither an IP address nor localhost") }
    }

    /// The same host with another port.
    init(_ address: ListenAddress, port: UInt16) {
        host = address.host
        self.port = port
    }

    package var description: String {
        guard let host else { return ":\(port)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Whether only this machine reaches it.
    package var isLoopback: Bool {
        guard let host else { return false }
        return host == "::1" || host.hasPrefix("127.") && SocketAddress(ipv4: host, port: port) != nil
    }

    /// The socket addresses to try, in this order.
    var candidates: [SocketAddress] {
        guard let host else {
            // The second is for machines without IPv6.
            return [SocketAddress(ipv6: "::", port: port), SocketAddress(ipv4: "0.0.0.0", port: port)]
                .compactMap(\.self)
        }
        return [SocketAddress(ipv4: host, port: port) ?? SocketAddress(ipv6: host, port: port)].compactMap(
            \.self)
    }
}

/// A `sockaddr` of IPv4 or IPv6.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private let length: socklen_t

    var family: Int32 { Int32(storage.ss_family) }

    init?(ipv4 text: String, port: UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, text, &address.sin_addr) == 1 else { return nil }
        length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
    }

    init?(ipv6 text: String, port: UInt16) {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        guard inet_pton(AF_INET6, text, &address.sin6_addr) == 1 else { return nil }
        length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
    }

    func withPointer<T>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
        withUnsafeBytes(of: storage) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { body($0.baseAddress!, length) }
        }
    }
}
