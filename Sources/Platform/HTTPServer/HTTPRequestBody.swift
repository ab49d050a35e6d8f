/// The body of a request, which is read as fast as its reader takes it: the server stops reading from the client while 64 KiB
/// wait.
package final class HTTPRequestBody: Sendable {
    /// The size in bytes that the client has announced; 0 if there is no body, nil if it tells the size at its end.
    package let announcedBytes: Int64?
    private let exchange: Exchange?

    init(announcedBytes: Int64?, exchange: Exchange) {
        self.announcedBytes = announcedBytes
        self.exchange = exchange
    }

    /// A request without a body.
    package init() {
        announcedBytes = 0
        exchange = nil
    }

    package var isEmpty: Bool { announcedBytes == 0 }

    /// The next piece, of at most 64 KiB; nil at the end. One task reads at a time.
    ///
    /// The client may be waiting for leave to send (`Expect: 100-continue`), which the first call gives. Until then the
    /// request can be refused without a byte of its body.
    ///
    /// - Throws: ``HTTPBodyError`` if the client is gone or too slow.
    package func next() async throws(HTTPBodyError) -> [UInt8]? {
        guard let exchange, !isEmpty else { return nil }
        return try await exchange.nextChunk()
    }

    /// The whole body.
    ///
    /// - Throws: ``HTTPBodyError``, with `tooLarge` as soon as that is known.
    package func bytes(atMost limit: Int) async throws(HTTPBodyError) -> [UInt8] {
        guard (announcedBytes ?? 0) <= Int64(limit) else { throw HTTPBodyError.tooLarge }
        var all: [UInt8] = []
        while let chunk = try await next() {
            guard all.count + chunk.count <= limit else { throw HTTPBodyError.tooLarge }
            all += chunk
        }
        return all
    }

    /// Sends an interim response, of status 100 to 199, before the body is read. Call it before the first ``next()``.
    package func announce(status: Int, reason: String, _ headers: HTTPHeaders) {
        var text = "HTTP/1.1 \(status) \(reason)\r\n"
        for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
        exchange?.announce(text + "\r\n")
    }

    /// Splits a body of the type `multipart/form-data` or `application/x-www-form-urlencoded` into its fields.
    ///
    /// - Returns: nil for a body of another type.
    package func formReader() -> HTTPFormReader? { exchange?.makeFormReader() }
}

/// Why a body did not arrive.
package enum HTTPBodyError: Error, Hashable, Sendable {
    /// The connection ended before the body did.
    case cut
    /// There are more bytes than allowed.
    case tooLarge
}
