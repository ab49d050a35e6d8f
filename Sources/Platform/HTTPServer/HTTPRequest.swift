/// A request whose headers have arrived. Its body is read with ``body``.
package struct HTTPRequest: Sendable {
    package enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
        case options = "OPTIONS"
        case trace = "TRACE"
        case query = "QUERY"
    }

    package var method: Method
    /// As it was sent, without the query; begins with `/`.
    package var path: String
    /// The parts of the path between its slashes, percent-decoded. `/` has none, and `/a/` has two, of which the second is
    /// empty. None is `.` or `..`, or has a NUL character.
    package var segments: [String]
    /// Decoded, in the order in which they were sent. A name may come several times.
    package var query: [(name: String, value: String)]
    package var headers: HTTPHeaders
    /// The IP address of the other end of the connection: of a proxy, if one is in front.
    package var client: String
    package var body: HTTPRequestBody

    /// The value of a query parameter that may come once.
    package func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

/// Header fields in the order in which they were sent. Names are compared without case.
package struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    package private(set) var fields: [Field] = []

    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// Nil if there is no such field; several are joined by commas, as RFC 9110, section 5.3 says.
    package subscript(name: String) -> String? {
        var found: String?
        for field in fields where Self.isSame(field.name, name) {
            found = found.map { "\($0), \(field.value)" } ?? field.value
        }
        return found
    }

    /// How many fields have this name.
    package func count(of name: String) -> Int { fields.count { Self.isSame($0.name, name) } }

    package mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    package mutating func set(_ name: String, _ value: String) {
        fields.removeAll { Self.isSame($0.name, name) }
        add(name, value)
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
