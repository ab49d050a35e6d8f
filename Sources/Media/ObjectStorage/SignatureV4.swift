import CivilCalendar
import Digests
import PlainText

/// Signs requests as AWS Signature Version 4 with HMAC-SHA-256.
///
/// Source: "Authenticating Requests (AWS Signature Version 4)", Amazon S3 API Reference. As S3 requires it, a path is encoded
/// once, and neither `//` nor `..` in it is resolved. Nothing here reads a clock.
struct SignatureV4: Sendable {
    var credentials: StoreCredentials
    var region: String
    /// `s3`, except in AWS's test suite.
    var service = "s3"
    /// When the request is signed, in seconds since 1970. Stores refuse what is 15 minutes away from their clock.
    var time: Int

    struct Request: Sendable {
        var method: String
        /// Not encoded; begins with a slash.
        var path: String
        /// Neither encoded nor sorted.
        var query: [(name: String, value: String)] = []
        /// What is signed, in any order; a name may come more than once. `host` must be among them.
        var headers: [(name: String, value: String)]
        /// The SHA-256 of the body as 64 lower-case digits, or ``unsignedPayload``.
        var payload: String
    }

    /// The payload of a request whose body is not known when it is signed.
    static let unsignedPayload = "UNSIGNED-PAYLOAD"

    /// `20130524T000000Z`.
    var timestamp: String {
        let now = CivilTime(secondsSince1970: time)
        return now.description.filter { $0 != "-" && $0 != ":" } + "Z"
    }

    /// What the signature is good for: day, region and service.
    var scope: String { "\(timestamp.prefix(8))/\(region)/\(service)/aws4_request" }

    // MARK: Steps

    /// The query with sorted and encoded names and values.
    static func canonicalQuery(_ query: [(name: String, value: String)]) -> String {
        query.map { (name: $0.name.percentEncoded(), value: $0.value.percentEncoded()) }
            .sorted {
                $0.name == $1.name ? $0.value.precedes($1.value) : $0.name.precedes($1.name)
            }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// Lower-case names in order; the values of the same name in one line, without superfluous spaces.
    static func canonicalHeaders(
        _ headers: [(name: String, value: String)]
    ) -> [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for header in headers {
            let value = header.value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
            values[header.name.lowercased(), default: []].append(value)
        }
        return values.sorted { $0.key.precedes($1.key) }.map { ($0.key, $0.value.joined(separator: ",")) }
    }

    static func signedHeaders(_ request: Request) -> String {
        canonicalHeaders(request.headers).map(\.name).joined(separator: ";")
    }

    static func canonicalRequest(_ request: Request) -> String {
        let headers = canonicalHeaders(request.headers).map { "\($0.name):\($0.value)\n" }.joined()
        return [
            request.method, request.path.percentEncoded(keepsSlashes: true), canonicalQuery(request.query),
            headers, signedHeaders(request), request.payload,
        ].joined(separator: "\n")
    }

    func stringToSign(_ request: Request) -> String {
        let digest = SHA256Digest(hashing: Self.canonicalRequest(request).utf8)
        return "AWS4-HMAC-SHA256\n\(timestamp)\n\(scope)\n\(digest)"
    }

    /// 64 lower-case digits.
    func signature(_ request: Request) -> String {
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for part in scope.split(separator: "/") {
            key = SHA256Digest(authenticating: part.utf8, key: key).bytes
        }
        return SHA256Digest(authenticating: stringToSign(request).utf8, key: key).hex
    }

    // MARK: Signed requests

    /// The headers of `request` with those that sign it: `x-amz-date`, `x-amz-security-token` if there is a session, and
    /// `Authorization`.
    func headers(signing request: Request) -> [(name: String, value: String)] {
        var request = request
        request.headers.append(("x-amz-date", timestamp))
        if let token = credentials.sessionToken { request.headers.append(("x-amz-security-token", token)) }
        let authorization = """
            AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), \
            SignedHeaders=\(Self.signedHeaders(request)), Signature=\(signature(request))
            """
        return request.headers + [("Authorization", authorization)]
    }

    /// The query of a URL that allows anyone who has it to make this one request, with these headers.
    ///
    /// - Parameter lifetime: in seconds, 1 to 604,800.
    func presignedQuery(_ request: Request, lifetime: Int) -> String {
        var request = request
        request.query += [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
            ("X-Amz-Credential", "\(credentials.accessKey)/\(scope)"), ("X-Amz-Date", timestamp),
            ("X-Amz-Expires", "\(lifetime)"), ("X-Amz-SignedHeaders", Self.signedHeaders(request)),
        ]
        if let token = credentials.sessionToken { request.query.append(("X-Amz-Security-Token", token)) }
        return "\(Self.canonicalQuery(request.query))&X-Amz-Signature=\(signature(request))"
    }
}

extension String {
    /// Texts are ordered by their bytes here: `<` orders by characters.
    func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
