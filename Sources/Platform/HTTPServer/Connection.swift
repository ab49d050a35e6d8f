import CMicroHTTPD
import Glibc

/// A connection of the library.
///
/// `@unchecked Sendable`: the library allows `resume()` on any thread. All else is called on the server's threads, inside of
/// the library's own calls. A suspended connection stays until it is resumed, so its owner resumes it once at most.
struct Connection: @unchecked Sendable {
    let pointer: OpaquePointer

    func suspend() { MHD_suspend_connection(pointer) }
    func resume() { MHD_resume_connection(pointer) }

    var descriptor: CInt {
        MHD_get_connection_info_descriptor(pointer)
    }

    /// The IP address of the other end.
    var client: String {
        guard let address = MHD_get_connection_info_client(pointer) else { return "" }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                var bytes = $0.pointee.sin_addr
                inet_ntop(AF_INET, &bytes, &text, socklen_t(text.count))
            }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                var bytes = $0.pointee.sin6_addr
                inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count))
            }
        default: return ""
        }
        let end = text.firstIndex(of: 0) ?? text.count
        let name = String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // A server for every interface sees IPv4 clients in this form.
        return name.hasPrefix("::ffff:") ? String(name.dropFirst(7)) : name
    }

    /// What the server keeps for the connection, over all of its requests.
    var watch: ConnectionWatch? {
        MHD_get_connection_info_context(pointer).map {
            Unmanaged<ConnectionWatch>.fromOpaque($0).takeUnretainedValue()
        }
    }

    func header(_ name: String) -> String? {
        MHD_lookup_connection_value(pointer, .HEADER_KIND, name).map { String(cString: $0) }
    }

    /// Writes past the library, when it has nothing to write itself: an interim response, or a refusal while the body is
    /// still on its way. What does not fit into the socket's buffer is lost.
    func write(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
    }

    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }
}
