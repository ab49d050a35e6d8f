/// A request without a body.
package struct HTTPRequest: Hashable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
    }

    package var method: Method
    /// Percent-decoded, without the query; begins with `/`.
    package var path: String

    package init(method: Method, path: String) {
        self.method = method
        self.path = path
    }
}

/// A response whose body is complete in memory.
package struct HTTPResponse: Hashable, Sendable {
    /// From 200 to 599.
    package var status: Int
    package var contentType: String
    /// Not sent for `HEAD`, whose response is otherwise the same.
    package var body: String

    package init(status: Int = 200, contentType: String = "text/plain; charset=utf-8", body: String) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    package static let notFound = HTTPResponse(status: 404, body: "Not found\n")
}
