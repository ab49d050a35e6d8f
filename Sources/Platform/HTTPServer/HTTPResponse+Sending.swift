import CMicroHTTPD
import Glibc

extension HTTPResponse {
    /// The size of the content; nil if it has no end.
    var byteCount: Int64? {
        switch content {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let file): file.byteCount
        case .events: nil
        }
    }

    func queue(on connection: Connection) -> MHD_Result {
        guard let response = makeResponse(connection) else { return .NO }
        defer { MHD_destroy_response(response) }
        for field in headers.fields {
            guard MHD_add_response_header(response, field.name, field.value) == .YES else { return .NO }
        }
        return MHD_queue_response(connection.pointer, UInt32(status), response)
    }

    private func makeResponse(_ connection: Connection) -> OpaquePointer? {
        switch content {
        case .bytes(let bytes):
            return bytes.withUnsafeBytes {
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .file(let file):
            // The library closes the descriptor that it is given.
            let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { return nil }
            let response = MHD_create_response_from_fd_at_offset64(
                UInt64(file.byteCount), descriptor, UInt64(file.offset))
            if response == nil { close(descriptor) }
            return response
        case .events(let stream):
            let sending = Unmanaged.passRetained(EventSending(stream, connection))
            let response = MHD_create_response_from_callback(
                UInt64.max, HTTPEventStream.blockBytes,
                { context, _, buffer, size in
                    let sending = Unmanaged<EventSending>.fromOpaque(context!).takeUnretainedValue()
                    return sending.stream.fill(
                        UnsafeMutableRawBufferPointer(start: buffer, count: size), sending.connection)
                }, sending.toOpaque(),
                { context in
                    Unmanaged<EventSending>.fromOpaque(context!).takeRetainedValue().stream.ended()
                })
            if response == nil { sending.release() }
            return response
        }
    }

    /// The whole response as it is written past the library, for a connection that ends with it.
    var closingBytes: [UInt8] {
        guard case .bytes(let bytes) = content else { return [] }
        let reason = MHD_get_reason_phrase_for(UInt32(status)).map { String(cString: $0) } ?? ""
        var text = "HTTP/1.1 \(status) \(reason)\r\nConnection: close\r\nContent-Length: \(bytes.count)\r\n"
        for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8) + bytes
    }
}

private final class EventSending: Sendable {
    let stream: HTTPEventStream
    let connection: Connection

    init(_ stream: HTTPEventStream, _ connection: Connection) {
        self.stream = stream
        self.connection = connection
    }
}
