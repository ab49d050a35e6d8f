import HTTPServer

/// A method and a path of the API, and the SQL function that does it.
///
/// A route needs no code of its own: its parameters, their checks and the description for programs come from the function.
struct Route: Sendable {
    /// Who may call it.
    enum Access: Sendable {
        /// Anyone, if the server allows reading without a token.
        case reading
        /// A person.
        case person
    }

    enum Reply: Sendable {
        /// A page of rows.
        case list
        /// One row; 404 without one.
        case one
        /// The function's value, under this name.
        case value(String)
        /// Nothing: 204. 404 if the function returns false and `orNotFound`.
        case none(orNotFound: Bool = false)
    }

    let method: HTTPRequest.Method
    /// With parameters in braces.
    let path: String
    let function: String
    let summary: String
    let access: Access
    let reply: Reply
    /// The parameters of the function that are the calling person.
    let callers: [String]
    /// Parameters that are not offered, with the SQL that is passed for them; nil leaves them to their defaults.
    let fixed: [String: String?]
    /// Parameters that must be given, and may be null: then there is none afterwards.
    let nulls: [String]
    /// The names in braces.
    let pathParameters: [String]
    /// The parameter that is when the person's account was made.
    let since: String?
    /// Whether its rows are also offered as GeoJSON.
    let hasPositions: Bool
    /// How long others may keep what is the same for all readers, in seconds.
    let maxAge: Int
    /// 201 for what makes something.
    let status: Int

    init(
        _ method: HTTPRequest.Method, _ path: String, _ function: String, _ summary: String,
        access: Access = .reading, reply: Reply = .list, callers: [String] = [],
        fixed: [String: String?] = [:], nulls: [String] = [],
        since: String? = nil, hasPositions: Bool = false, maxAge: Int = 0, status: Int = 200
    ) {
        self.method = method
        self.path = path
        self.function = function
        self.summary = summary
        self.access = access
        self.reply = reply
        self.callers = callers
        self.fixed = fixed
        self.nulls = nulls
        self.since = since
        self.hasPositions = hasPositions
        self.maxAge = maxAge
        self.status = status
        pathParameters = path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
            String($0.dropFirst().dropLast())
        }
    }

    var segments: [Substring] { path.split(separator: "/") }

    /// Whether the other parameters are members of a JSON object in the body, and not of the query.
    var takesBody: Bool { [.post, .put, .patch].contains(method) }
}
