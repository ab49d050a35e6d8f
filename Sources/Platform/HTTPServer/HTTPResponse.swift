import Glibc

package struct HTTPResponse: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        case file(HTTPFile)
        case events(HTTPEventStream)
    }

    /// From 200 to 599.
    package var status: Int
    package var headers: HTTPHeaders
    /// Not sent for `HEAD`, whose response is otherwise the same.
    package var content: Content

    package init(status: Int = 200, headers: HTTPHeaders = [:], content: Content = .bytes([])) {
        self.status = status
        self.headers = headers
        self.content = content
    }

    /// A text that no cache keeps.
    package init(status: Int = 200, contentType: String = "text/plain; charset=utf-8", body: String) {
        self.init(
            status: status, headers: ["Content-Type": contentType, "Cache-Control": "no-store"],
            content: .bytes(Array(body.utf8)))
    }

    /// Why a request never came to a handler, for people.
    package init(_ fault: HTTPRequest.Fault) {
        self.init(status: fault.status, body: fault.text + "\n")
        if let allow = fault.allow { headers.add("Allow", allow) }
    }

    package static let notFound = HTTPResponse(status: 404, body: "Not found\n")
}

/// A part of an open file. Owns its descriptor.
package final class HTTPFile: Sendable {
    let descriptor: CInt
    package let offset: Int64
    package let byteCount: Int64

    /// - Parameter descriptor: duplicated, so the caller may close its own.
    /// - Throws: `HTTPServerError` if the process has no free descriptor.
    package init(duplicating descriptor: CInt, offset: Int64 = 0, byteCount: Int64) throws(HTTPServerError) {
        self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard self.descriptor >= 0 else { throw HTTPServerError(errno, "no descriptor for a file to send") }
        self.offset = offset
        self.byteCount = byteCount
    }

    deinit { close(descriptor) }
}
