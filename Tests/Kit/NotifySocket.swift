import Glibc

/// The supervisor's end of sd_notify(3): receives what a process sends to `path`, its `$NOTIFY_SOCKET`.
package final class NotifySocket: Sendable {
    package let path: String
    private let descriptor: Int32

    package struct Failure: Error { let number: Int32 }

    package init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // A message that never comes fails the test instead of hanging it.
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafeBytes(of: address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(descriptor, $0.baseAddress!, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw Failure(number: errno) }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// The next message. Blocks.
    package func receive() throws -> String {
        guard let message = receive(0) else { throw Failure(number: errno) }
        return message
    }

    package func receiveIfAny() -> String? { receive(Int32(MSG_DONTWAIT)) }

    private func receive(_ flags: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, flags)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
