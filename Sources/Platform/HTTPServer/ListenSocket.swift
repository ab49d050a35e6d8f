import Glibc

/// A listening socket and its port.
struct ListenSocket {
    let descriptor: Int32
    let port: UInt16

    /// How many connections may wait to be accepted: when a server has started again, all of its clients come at once. One that
    /// finds no room tries again a second later.
    private static let backlog: Int32 = 4096

    /// Opened here because the library does not report why it could not open one.
    static func open(_ address: ListenAddress) throws(HTTPServerError) -> ListenSocket {
        var failure = EAFNOSUPPORT
        for candidate in address.candidates {
            switch open(candidate, allInterfaces: address.host == nil) {
            case .success(let socket): return socket
            case .failure(let error): failure = error.number
            }
            // The second candidate is only for a machine without IPv6, not for one whose port is taken.
            guard failure == EAFNOSUPPORT || failure == EADDRNOTAVAIL else { break }
        }
        throw HTTPServerError(errorNumber: failure, address: address)
    }

    private struct SystemError: Error { let number: Int32 }

    private static func open(
        _ address: SocketAddress, allInterfaces: Bool
    ) -> Result<ListenSocket, SystemError> {
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(address.family, Int32(flags), 0)
        guard descriptor >= 0 else { return .failure(SystemError(number: errno)) }
        // A restarted worker can listen while its predecessor's connections still linger.
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.family == AF_INET6 {
            set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, allInterfaces ? 0 : 1)
        }
        let status = address.withPointer { bind(descriptor, $0, $1) }
        guard status == 0, listen(descriptor, backlog) == 0, let port = port(of: descriptor) else {
            let number = errno
            close(descriptor)
            return .failure(SystemError(number: number))
        }
        return .success(ListenSocket(descriptor: descriptor, port: port))
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            let status = bytes.withMemoryRebound(to: sockaddr.self) {
                getsockname(descriptor, $0.baseAddress, &length)
            }
            guard status == 0 else { return nil }
            // The port is at the same offset in both families.
            return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}
