import HTTPServer
import Tokens

/// What one method of one path does, and how it is described.
struct Endpoint: Sendable {
    struct Parameter: Sendable {
        enum Place: String, Sendable { case path, query, header }

        let name: String
        let place: Place
        let schema: Schema
        let isRequired: Bool
        var description: String?

        init(
            _ name: String, in place: Place, _ schema: Schema, isRequired: Bool = false,
            _ description: String? = nil
        ) {
            self.name = name
            self.place = place
            self.schema = schema
            self.isRequired = isRequired
            self.description = description
        }
    }

    struct Reply: Sendable {
        let status: Int
        let description: String
        /// Content types with the schema of each.
        var content: [(type: String, schema: Schema)] = []
        var headers: [Parameter] = []
    }

    let method: HTTPRequest.Method
    let path: String
    /// Unique, for generated clients.
    let name: String
    let tag: String
    let summary: String
    var description: String?
    let access: Route.Access
    var parameters: [Parameter] = []
    var bodies: [(type: String, schema: Schema)] = []
    var isBodyRequired = false
    var replies: [Reply]
    /// Why it may refuse a request, apart from what ``problems`` adds.
    var refusals: Set<Problem.Code> = []
    /// The values of the path, and the caller if there is one.
    let respond: @Sendable (HTTPRequest, [String: String], Caller?) async throws -> HTTPResponse
}

extension Endpoint {
    /// Why a request may be refused.
    var problems: Set<Problem.Code> {
        var codes = refusals
        codes.formUnion([.invalidRequest, .unauthenticated, .tooManyRequests, .internal, .unavailable])
        if !parameters.isEmpty || !bodies.isEmpty { codes.insert(.invalidArgument) }
        if !bodies.isEmpty { codes.formUnion([.tooLarge, .unsupportedType]) }
        return codes
    }
}

extension Problem.Code {
    /// What a response with it has.
    var headers: [Endpoint.Parameter] {
        switch self {
        case .unauthenticated: [.init("WWW-Authenticate", in: .header, .string(), isRequired: true)]
        case .tooManyRequests, .unavailable, .uploadBusy:
            [.init("Retry-After", in: .header, .integer(minimum: 1), isRequired: true, "Seconds")]
        case .wrongOffset:
            [.init("Upload-Offset", in: .header, .integer(minimum: 0), "With the code wrong_offset")]
        default: []
        }
    }
}
