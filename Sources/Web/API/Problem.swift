package import HTTPServer

/// Why a request is refused, as RFC 9457 has it: a code for programs and a sentence for people.
package struct Problem: Error, Sendable, Hashable {
    package enum Code: String, Sendable, CaseIterable {
        case invalidRequest = "invalid_request"
        case unknownParameter = "unknown_parameter"
        case missingParameter = "missing_parameter"
        case invalidArgument = "invalid_argument"
        case unauthenticated
        case notPermitted = "not_permitted"
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case conflict
        case notPossible = "not_possible"
        case tooLarge = "too_large"
        case unsupportedType = "unsupported_type"
        case lengthRequired = "length_required"
        case wrongVersion = "wrong_version"
        case wrongOffset = "wrong_offset"
        case checksumMismatch = "checksum_mismatch"
        case uploadBusy = "upload_busy"
        case uploadGone = "upload_gone"
        case tooManyRequests = "too_many_requests"
        case queryTooLong = "query_too_long"
        case headersTooLarge = "headers_too_large"
        case unknownMethod = "unknown_method"
        case unavailable
        case `internal`

        var status: Int {
            switch self {
            case .invalidRequest, .unknownParameter, .missingParameter: 400
            case .unauthenticated: 401
            case .notPermitted: 403
            case .notFound: 404
            case .methodNotAllowed: 405
            case .conflict, .wrongOffset: 409
            case .uploadGone: 410
            case .lengthRequired: 411
            case .wrongVersion: 412
            case .tooLarge: 413
            case .queryTooLong: 414
            case .unsupportedType: 415
            case .invalidArgument, .notPossible: 422
            case .uploadBusy: 423
            case .tooManyRequests: 429
            case .headersTooLarge: 431
            case .checksumMismatch: 460
            case .internal: 500
            case .unknownMethod: 501
            case .unavailable: 503
            }
        }

        var title: String {
            switch self {
            case .invalidRequest: "The request is not valid"
            case .unknownParameter: "There is no such parameter"
            case .missingParameter: "A parameter is missing"
            case .invalidArgument: "A value is not valid"
            case .unauthenticated: "A valid token is needed"
            case .notPermitted: "This is not permitted"
            case .notFound: "There is nothing here"
            case .methodNotAllowed: "This method is not allowed here"
            case .conflict: "This is taken already"
            case .notPossible: "This is not possible now"
            case .tooLarge: "This is too large"
            case .unsupportedType: "This type is not supported"
            case .lengthRequired: "The length is needed"
            case .wrongVersion: "The server speaks another version"
            case .wrongOffset: "The upload goes on elsewhere"
            case .checksumMismatch: "The bytes do not match their checksum"
            case .uploadBusy: "The upload is being written"
            case .uploadGone: "The upload is gone"
            case .tooManyRequests: "These are too many requests"
            case .queryTooLong: "The query is too long"
            case .headersTooLarge: "The header fields are too large"
            case .unknownMethod: "The server does not know the method"
            case .unavailable: "This is not available now"
            case .internal: "The server has a fault"
            }
        }
    }

    package var code: Code
    /// What happened, to what, and what to do.
    package var detail: String
    /// The parameter that is at fault.
    package var argument: String?
    /// The rule that a value breaks: the name of a constraint or of a rule of the posting policy.
    package var reason: String?
    /// In seconds.
    package var retryAfter: Int?
    /// Further members of the document, as JSON texts.
    package var extensions: [String: String] = [:]
    package var headers: HTTPHeaders = [:]

    package init(
        _ code: Code, _ detail: String, argument: String? = nil, reason: String? = nil, retryAfter: Int? = nil
    ) {
        self.code = code
        self.detail = detail
        self.argument = argument
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// For what the server refuses before an endpoint sees it.
    package init(_ fault: HTTPRequest.Fault) {
        self.init(Code.allCases.first { $0.status == fault.status } ?? .invalidRequest, fault.text + ".")
        if let allow = fault.allow { headers.add("Allow", allow) }
    }

    package var response: HTTPResponse {
        var members = [
            ("type", JSONText.string("urn:darkroom:problem:\(code.rawValue)")),
            ("title", JSONText.string(code.title)), ("status", "\(code.status)"),
            ("code", JSONText.string(code.rawValue)), ("detail", JSONText.string(detail)),
        ]
        if let argument { members.append(("argument", JSONText.string(argument))) }
        if let reason { members.append(("reason", JSONText.string(reason))) }
        members += extensions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        var headers: HTTPHeaders = [
            "Content-Type": "application/problem+json", "Cache-Control": "no-store",
        ]
        for field in self.headers.fields { headers.add(field.name, field.value) }
        if let retryAfter { headers.add("Retry-After", "\(retryAfter)") }
        if code == .unauthenticated, headers["WWW-Authenticate"] == nil {
            headers.add("WWW-Authenticate", "Bearer")
        }
        return HTTPResponse(
            status: code.status, headers: headers, content: .bytes(Array(JSONText.object(members).utf8)))
    }
}
