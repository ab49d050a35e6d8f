import CLinux
import FoundationEssentials
import Glibc

/// JSON messages with their file descriptors over a `SOCK_SEQPACKET` socket.
///
/// Does not own the socket's descriptor. Calls block.
package struct MessageSocket: Sendable {
    /// Bytes of the longest message. A longer one is refused, not truncated.
    package static let messageLimit = 128 << 10
    package static let descriptorLimit = 16

    package let descriptor: CInt

    package init(descriptor: CInt) { self.descriptor = descriptor }

    package struct Failure: Error, Sendable {
        package enum Code: Sendable {
            case closed
            case tooLarge
            case malformed
            case system(CInt)
        }
        package var code: Code
        package var message: String
    }

    package func send(_ message: some Encodable, descriptors: [CInt] = []) throws(Failure) {
        let data: Data
        do { data = try JSONEncoder().encode(message) } catch {
            throw Failure(code: .malformed, message: "Cannot encode a message: \(error)")
        }
        guard data.count <= Self.messageLimit, descriptors.count <= Self.descriptorLimit else {
            throw Failure(code: .tooLarge, message: "A message of \(data.count) bytes is too large.")
        }
        let sent = data.withUnsafeBytes { bytes in
            linux_send_with_descriptors(
                descriptor, bytes.baseAddress, bytes.count, descriptors, CInt(descriptors.count))
        }
        guard sent < 0 else { return }
        let error = errno
        let gone = error == EPIPE || error == ECONNRESET || error == ENOTCONN
        throw Failure(
            code: gone ? .closed : .system(error), message: "sendmsg: \(String(cString: strerror(error)))")
    }

    /// Receives one message. The caller owns the descriptors that came with it.
    package func receive<Message: Decodable>(
        _ type: Message.Type
    ) throws(Failure) -> (message: Message, descriptors: [CInt]) {
        var buffer = [UInt8](repeating: 0, count: Self.messageLimit)
        var descriptors = [CInt](repeating: -1, count: Self.descriptorLimit)
        var count: CInt = 0
        let length = linux_receive_with_descriptors(
            descriptor, &buffer, buffer.count, &descriptors, CInt(descriptors.count), &count)
        if length < 0 {
            switch errno {
            case EMSGSIZE:
                throw Failure(code: .tooLarge, message: "A message exceeds \(Self.messageLimit) bytes.")
            case ECONNRESET: throw Failure(code: .closed, message: "The peer has closed the connection.")
            case let error:
                throw Failure(
                    code: .system(error), message: "recvmsg: \(String(cString: strerror(error)))")
            }
        }
        let received = Array(descriptors.prefix(Int(count)))
        do {
            guard length > 0 else {
                throw Failure(code: .closed, message: "The peer has closed the connection.")
            }
            return (try JSONDecoder().decode(type, from: Data(buffer[..<length])), received)
        } catch {
            for descriptor in received { close(descriptor) }
            if let failure = error as? Failure { throw failure }
            throw Failure(code: .malformed, message: "Cannot decode a message: \(error)")
        }
    }
}
