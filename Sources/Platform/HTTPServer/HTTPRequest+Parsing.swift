import CMicroHTTPD

extension HTTPRequest {
    /// Why a request is refused before a handler sees it.
    package struct Fault: Error, Sendable {
        package let status: Int
        package let text: String
        package var allow: String?
    }

    /// The most bytes of all names and values of a request's header fields.
    static let headerLimit = 16 * 1024

    /// - Parameters:
    ///   - path: as it was sent, without the query.
    init(
        method: String, path: String, _ connection: Connection, body: HTTPRequestBody
    ) throws(Fault) {
        guard let method = Method(rawValue: method) else {
            let allowed = Method.allCases.map(\.rawValue).joined(separator: ", ")
            throw Fault(status: 501, text: "This server knows only the methods \(allowed)", allow: allowed)
        }
        guard let segments = Self.segments(of: path) else {
            throw Fault(status: 400, text: "The path of the request is not valid")
        }
        guard let headers = HTTPHeaders(connection) else {
            throw Fault(status: 400, text: "The header fields are not UTF-8, or have a name that is none")
        }
        // Where the body ends must be beyond doubt, or what follows is taken for another request (RFC 9112, section 6.3).
        let lengths = headers.count(of: "Content-Length")
        let codings = headers.count(of: "Transfer-Encoding")
        guard lengths + codings <= 1,
            codings == 0 || headers["Transfer-Encoding"]?.lowercased() == "chunked"
        else {
            throw Fault(status: 400, text: "Say once how long the body is: Content-Length or chunked")
        }
        guard headers.fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= Self.headerLimit
        else {
            throw Fault(status: 431, text: "The header fields have more than \(Self.headerLimit) bytes")
        }
        var query: [(name: String, value: String)] = []
        guard let arguments = connection.values(.GET_ARGUMENT_KIND) else {
            throw Fault(status: 400, text: "The query of the request is not valid")
        }
        for (name, value) in arguments {
            guard let name = Self.decoded(name[...]), let value = Self.decoded(value[...]) else {
                throw Fault(status: 400, text: "The query of the request is not valid")
            }
            query.append((name, value))
        }
        self.init(
            method: method, path: path, segments: segments, query: query, headers: headers,
            client: connection.client, body: body)
    }

    private static func segments(of path: String) -> [String]? {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        guard path.utf8.count > 1 else { return [] }
        var segments: [String] = []
        for part in path.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            guard let segment = decoded(Substring(part)), segment != ".", segment != ".." else { return nil }
            segments.append(segment)
        }
        return segments
    }

    /// Nil for a broken escape, a NUL, or what is not UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit),
                high | low != 0
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension HTTPHeaders {
    /// Nil if a name is none (RFC 9110, section 5.6.2), or a value is not UTF-8.
    init?(_ connection: Connection) {
        self.init()
        guard let fields = connection.values(.HEADER_KIND) else { return nil }
        for (name, value) in fields {
            guard !name.isEmpty,
                name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !#"\"(),/:;<=>?@[\]{}"#.utf8.contains($0) })
            else { return nil }
            add(name, value)
        }
    }
}

extension Connection {
    /// Nil for a NUL, or what is not UTF-8.
    private static func text(_ start: UnsafePointer<CChar>?, _ size: Int) -> String? {
        let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : size)
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// Nil if one is not UTF-8: repaired, two names of people would be one.
    func values(_ kind: MHD_ValueKind) -> [(String, String)]? {
        final class Found {
            var pairs: [(String, String)]? = []
        }
        let found = Found()
        MHD_get_connection_values_n(
            pointer, kind,
            { context, _, name, nameSize, value, valueSize in
                let found = Unmanaged<Found>.fromOpaque(context!).takeUnretainedValue()
                guard let name = Connection.text(name, nameSize),
                    let value = Connection.text(value, valueSize)
                else {
                    found.pairs = nil
                    return .NO
                }
                found.pairs?.append((name, value))
                return .YES
            }, Unmanaged.passUnretained(found).toOpaque())
        return found.pairs
    }

    /// Whether a body follows the headers, and how long it is if that was announced.
    var announcedBody: (hasBody: Bool, bytes: Int64?) {
        if header("Transfer-Encoding") != nil { return (true, nil) }
        let bytes = header("Content-Length").flatMap { Int64($0) } ?? 0
        return (bytes > 0, bytes)
    }
}
