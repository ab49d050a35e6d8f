import CMicroHTTPD

/// The handler in a form that C can hold.
final class HandlerBox: Sendable {
    private let handler: HTTPServer.Handler

    init(_ handler: @escaping HTTPServer.Handler) { self.handler = handler }

    /// The library calls this for each request: once when the headers have arrived, and again with the body.
    ///
    /// Replying to the first call ends the connection, so a refused body is never read.
    static let callback: MHD_AccessHandlerCallback = {
        context, connection, url, method, _, _, uploadSize, state in
        guard let context, let connection, let url, let method, let uploadSize, let state else { return .NO }
        guard let method = HTTPRequest.Method(rawValue: String(cString: method)) else {
            return send(
                HTTPResponse(status: 405, body: "Only GET and HEAD are allowed\n"), to: connection,
                headers: [("Allow", "GET, HEAD")])
        }
        if state.pointee == nil {
            guard !announcesBody(connection) else {
                return send(HTTPResponse(status: 413, body: "No request body allowed\n"), to: connection)
            }
            state.pointee = UnsafeMutableRawPointer(bitPattern: 1)
            return .YES
        }
        guard uploadSize.pointee == 0 else { return .NO }
        let box = Unmanaged<HandlerBox>.fromOpaque(context).takeUnretainedValue()
        return send(box.handler(HTTPRequest(method: method, path: String(cString: url))), to: connection)
    }

    private static func announcesBody(_ connection: OpaquePointer) -> Bool {
        func value(_ header: String) -> String? {
            MHD_lookup_connection_value(connection, .HEADER_KIND, header).map { String(cString: $0) }
        }
        return value("Transfer-Encoding") != nil || !["0", nil].contains(value("Content-Length"))
    }

    private static func send(
        _ response: HTTPResponse, to connection: OpaquePointer, headers: [(String, String)] = []
    ) -> MHD_Result {
        var body = response.body
        let created = body.withUTF8 { bytes in
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let created else { return .NO }
        defer { MHD_destroy_response(created) }
        let all = [("Content-Type", response.contentType), ("Cache-Control", "no-store")] + headers
        for (name, value) in all {
            guard MHD_add_response_header(created, name, value) == .YES else { return .NO }
        }
        return MHD_queue_response(connection, UInt32(response.status), created)
    }
}
