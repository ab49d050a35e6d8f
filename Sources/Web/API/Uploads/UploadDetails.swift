import DarkroomClient
import HTTPServer
import Postgres
import Tokens

/// What an uploader says of a photo or text: the parameters of `enqueue_upload` that are theirs.
struct UploadForm: Sendable {
    /// The route whose parameters these are.
    private let bound: BoundRoute
    private let check: SQLFunction
    private let client: DarkroomClient

    /// What the operator, the store or a header says.
    private static let others = [
        "original_key", "original_sha256", "original_bytes", "priority", "run_at", "queue", "idempotency_key",
    ]

    init(_ client: DarkroomClient, _ functions: [String: SQLFunction]) throws(WebAPIError) {
        self.client = client
        var fixed: [String: String?] = [:]
        for name in Self.others { fixed.updateValue(nil, forKey: name) }
        bound = try BoundRoute(
            Route(
                .post, "/uploads", "enqueue_upload", "Upload a photo or a text", access: .person,
                reply: .value("job_id"), callers: ["uploader"], fixed: fixed, status: 202),
            functions["enqueue_upload"])
        guard let check = functions["check_upload"] else {
            throw WebAPIError("the database has no function check_upload: run 'darkroom migrate'")
        }
        self.check = check
    }

    var parameters: [BoundRoute.Parameter] { bound.parameters }
    var refusals: Set<Problem.Code> { Set(bound.function.errors.map(Problem.Code.init)) }

    /// - Throws: `Problem` for a detail that is unknown or not of its type.
    func details(_ given: [(name: String, value: JSONValue)]) throws(Problem) -> [String: String?] {
        var details: [String: String?] = [:]
        for (name, value) in given {
            guard let parameter = parameters.first(where: { $0.name == name }) else {
                throw Problem(
                    .unknownParameter,
                    "An upload has no “\(name)”. It has \(parameters.map(\.name).joined(separator: ", ")).",
                    argument: name)
            }
            guard value != .null else {
                details.updateValue(nil, forKey: name)
                continue
            }
            guard let text = ParameterType(parameter).text(value) else {
                throw Problem(
                    .invalidArgument, "\(name) must be \(ParameterType(parameter).description).",
                    argument: name)
            }
            if let fault = parameter.schema.fault(of: value) {
                throw Problem(.invalidArgument, "\(name) \(fault).", argument: name)
            }
            guard details.updateValue(text, forKey: name) == nil else {
                throw Problem(.invalidRequest, "\(name) is given twice.", argument: name)
            }
        }
        return details
    }

    /// Refuses what would be refused later, before any byte of the photo.
    ///
    /// - Throws: `Problem` with all objections.
    func check(
        _ details: [String: String?], idempotencyKey: String?, hasPhoto: Bool, caller: Caller
    ) async throws {
        var text = PostgresQuery.StringInterpolation(literalCapacity: 128, interpolationCount: 16)
        text.appendLiteral(
            "select argument, reason, message, retry_after_s from darkroom.check_upload(uploader => ")
        text.appendInterpolation(caller.person)
        for parameter in check.parameters {
            guard let value = details[parameter.name] else { continue }
            text.appendLiteral(", \(parameter.name) => ")
            text.appendInterpolation(value)
        }
        if let idempotencyKey {
            text.appendLiteral(", idempotency_key => ")
            text.appendInterpolation(idempotencyKey)
        }
        text.appendLiteral(", has_photo => \(hasPhoto))")
        let rows = try await client.write(PostgresQuery(stringInterpolation: text))
        guard let first = rows.first else { return }
        let reason = try first.decode("reason", as: String.self)
        guard !Problem.quotas.contains(reason) else {
            throw Problem.beyondQuota(
                try first.decode("message"), reason: reason, retryAfter: try first.decode("retry_after_s"))
        }
        for row in rows where try row.decode("reason", as: String.self) == "person_is_barred" {
            throw Problem(.notPermitted, try row.decode("message"), reason: "person_is_barred")
        }
        var problem = Problem(
            .invalidArgument, try first.decode("message"), argument: try first.decode("argument"),
            reason: reason)
        var objections: [String] = []
        for row in rows {
            objections.append(
                JSONText.object([
                    ("argument", JSONText.string(try row.decode("argument"))),
                    ("reason", JSONText.string(try row.decode("reason"))),
                    ("message", JSONText.string(try row.decode("message"))),
                ]))
        }
        problem.extensions["objections"] = JSONText.array(objections)
        throw problem
    }

    /// Queues the upload and returns its job's number.
    func enqueue(
        _ photo: StoredPhoto?, _ details: [String: String?], idempotencyKey: String?, caller: Caller
    ) async throws -> Int64 {
        var text = PostgresQuery.StringInterpolation(literalCapacity: 128, interpolationCount: 16)
        text.appendLiteral("select darkroom.enqueue_upload(uploader => ")
        text.appendInterpolation(caller.person)
        func add(_ name: String, _ value: String?) {
            text.appendLiteral(", \(name) => ")
            text.appendInterpolation(value)
        }
        if let photo {
            add("original_key", photo.key)
            add("original_sha256", photo.sha256)
            add("original_bytes", String(photo.byteCount))
        }
        if let idempotencyKey { add("idempotency_key", idempotencyKey) }
        for (name, value) in details { add(name, value) }
        text.appendLiteral(") as job_id")
        let rows = try await client.write(PostgresQuery(stringInterpolation: text))
        guard let row = rows.first else { throw Problem(.internal, "The database returned nothing.") }
        return try row.decode("job_id")
    }
}
