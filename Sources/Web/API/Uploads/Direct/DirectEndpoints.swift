import DarkroomClient
import Digests
import FoundationEssentials
import HTTPServer
import MediaStore
import Tokens

/// Photos that phones put into the object store themselves.
///
/// The phone names the photo's hash and size, and gets a request for the store and a ticket. It sends the request, and then
/// the ticket with the `ETag` of the store's reply. Who knows only the hash of somebody's photo cannot put it into the store, so
/// the store does not tell them its `ETag`.
struct DirectEndpoints: Sendable {
    private let uploads: UploadEndpoints
    private let key: [UInt8]?
    /// What is signed and never used counts in no quota.
    private let signatures = RateLimiter(RateLimit(100, per: .seconds(3600)))

    /// - Parameter key: the secret of tickets; nil to refuse direct uploads.
    init(_ uploads: UploadEndpoints, key: [UInt8]?) {
        self.uploads = uploads
        self.key = key
    }

    private static let signatureLifetime = Duration.seconds(900)

    func sign(_ request: HTTPRequest, _ caller: Caller?) async throws -> HTTPResponse {
        let caller = try UploadEndpoints.required(caller)
        let key = try requireKey()
        try UploadEndpoints.refuseQuery(request)
        try await uploads.requireRoom()
        var members = try await request.members()
        let sha256 = try Self.digest(members.removeValue(forKey: "sha256"))
        let byteCount = try Self.size(members.removeValue(forKey: "bytes"), atMost: uploads.limits.bytes)
        try await uploads.form.check(
            try uploads.form.details(members.map { ($0.key, $0.value) }), idempotencyKey: nil, hasPhoto: true,
            caller: caller)
        if case .retryAfter(let seconds) = signatures.ask(caller.person, at: .now) {
            throw Problem(
                .tooManyRequests, "Send the request again in \(seconds) s.", retryAfter: max(1, seconds))
        }
        let ticket = UploadTicket(
            sha256: sha256, byteCount: byteCount, issued: Int64(Date().timeIntervalSince1970))
        let signed = try await inStore {
            try await uploads.client.signUpload(
                sha256: sha256.hex, byteCount: byteCount, lifetime: Self.signatureLifetime
            ).request
        }
        let headers = signed.headers.sorted { $0.key < $1.key }.map { ($0.key, JSONText.string($0.value)) }
        let expires = signed.expires.formatted(.iso8601)
        let reply = JSONText.object([
            ("method", JSONText.string(signed.method)), ("url", JSONText.string(signed.url)),
            ("headers", JSONText.object(headers)), ("expires_at", JSONText.string(expires)),
            ("ticket", JSONText.string(ticket.text(for: caller.person, key: key))),
        ])
        return HTTPResponse(
            status: 201, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            content: .bytes(Array(reply.utf8)))
    }

    func enqueue(
        _ request: HTTPRequest, _ path: [String: String], _ caller: Caller?
    ) async throws -> HTTPResponse {
        let caller = try UploadEndpoints.required(caller)
        let key = try requireKey()
        try UploadEndpoints.refuseQuery(request)
        let text = path["ticket"] ?? ""
        let now = Int64(Date().timeIntervalSince1970)
        guard let ticket = UploadTicket(text, of: caller.person, key: key),
            (0...Int64(uploads.limits.lifetime)).contains(now - ticket.issued)
        else {
            throw Problem(
                .notFound, "There is no such ticket of yours, or it is too old: ask for another one.",
                argument: "ticket")
        }
        try await uploads.requireRoom()
        // The ticket makes one post, however often it is sent.
        let once = "direct \(text.suffix(64))"
        var members = try await request.members()
        let tag = try Self.tag(members.removeValue(forKey: "etag"))
        let details = try uploads.form.details(members.map { ($0.key, $0.value) })
        try await uploads.form.check(details, idempotencyKey: once, hasPhoto: true, caller: caller)
        let photo = StoredPhoto(
            key: MediaKey(ofOriginal: ticket.sha256).path, sha256: ticket.sha256.hex,
            byteCount: ticket.byteCount)
        guard try await inStore({ try await uploads.client.hasArrived(photo, tag: tag) }) else {
            throw Problem(
                .notPossible,
                "The photo has not arrived in the store, or the store gave it another ETag: send it there first.",
                reason: "not_arrived")
        }
        return try await uploads.accepted(
            try await uploads.form.enqueue(photo, details, idempotencyKey: once, caller: caller), caller)
    }

    private func requireKey() throws(Problem) -> [UInt8] {
        guard let key else { throw Self.unsupported }
        return key
    }

    private static let unsupported = Problem(
        .notPossible, "This server takes photos only itself: send them to /\(APIServer.root)/uploads.",
        reason: "no_direct_uploads")

    private func inStore<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as DarkroomError {
            guard let fault = error.underlying as? MediaError else { throw error.underlying }
            throw fault.code == .unsupportedLocation ? Self.unsupported : Problem(fault)
        }
    }

    private static func digest(_ value: JSONValue?) throws(Problem) -> SHA256Digest {
        guard let value else {
            throw Problem(.missingParameter, "Give sha256 of the photo's bytes.", argument: "sha256")
        }
        guard case .string(let text) = value, let digest = SHA256Digest(hex: text) else {
            throw Problem(.invalidArgument, "sha256 must be 64 hexadecimal digits.", argument: "sha256")
        }
        return digest
    }

    private static func tag(_ value: JSONValue?) throws(Problem) -> String {
        guard let value else {
            throw Problem(
                .missingParameter, "Give etag, the ETag of the store's reply to the photo.", argument: "etag")
        }
        guard case .string(let text) = value, (1...200).contains(text.utf8.count) else {
            throw Problem(
                .invalidArgument, "etag must be a text of 1 to 200 characters.", argument: "etag")
        }
        return text
    }

    private static func size(_ value: JSONValue?, atMost most: Int64) throws(Problem) -> Int64 {
        guard let value else {
            throw Problem(.missingParameter, "Give bytes, the size of the photo.", argument: "bytes")
        }
        guard case .integer(let count) = value, count > 0 else {
            throw Problem(
                .invalidArgument, "bytes must be a whole number from 1 to \(most).", argument: "bytes")
        }
        guard count <= most else {
            throw Problem(
                .tooLarge, "The photo has \(count) bytes; at most \(most) are accepted.",
                argument: "bytes", reason: "too_many_bytes")
        }
        return count
    }
}

extension DirectEndpoints {
    var endpoints: [Endpoint] {
        let members = uploads.form.parameters.map { parameter in
            (name: parameter.name, schema: Schema.nullable(parameter.schema), description: String?.none)
        }
        var sign = Endpoint(
            method: .post, path: "/uploads/direct", name: "sign_upload", tag: "uploads",
            summary: "A request with which a phone puts a photo into the object store itself",
            description:
                "Names the photo's hash and size, and what else is known of it, so that a refusal comes before its bytes. Send "
                + "the request of the reply to the store, with exactly these headers and the photo as its body; then send the "
                + "ticket. Refused with not_possible where photos are not in an object store.",
            access: .person,
            replies: [
                .init(
                    status: 201, description: "Signed",
                    content: [("application/json", .named("SignedUpload"))]
                )
            ], refusals: uploads.form.refusals.union([.notPossible, .missingParameter, .tooLarge])
        ) { request, _, caller in try await self.sign(request, caller) }
        sign.isBodyRequired = true
        sign.bodies = [
            (
                "application/json",
                .object(
                    [
                        ("sha256", .string(pattern: "^[0-9a-fA-F]{64}$"), "Of the photo's bytes"),
                        ("bytes", .integer(minimum: 1, maximum: uploads.limits.bytes), nil),
                    ] + members, required: ["sha256", "bytes"], isClosed: true)
            )
        ]
        var enqueue = Endpoint(
            method: .post, path: "/uploads/direct/{ticket}", name: "enqueue_signed_upload", tag: "uploads",
            summary: "Say that a photo is in the object store; it becomes a post",
            description:
                "etag is the ETag of the store's reply: it shows that the photo is the caller's. A ticket that is sent twice makes one "
                + "post; the deletion of that post forgets it.",
            access: .person,
            parameters: [.init("ticket", in: .path, .string(), isRequired: true)],
            replies: [
                .init(
                    status: 202, description: "Queued",
                    content: [("application/json", .named("UploadStatus"))],
                    headers: [UploadEndpoints.location])
            ], refusals: uploads.form.refusals.union([.notPossible, .notFound, .missingParameter])
        ) { request, path, caller in try await self.enqueue(request, path, caller) }
        enqueue.isBodyRequired = true
        enqueue.bodies = [
            (
                "application/json",
                .object(
                    [("etag", .string(minLength: 1, maxLength: 200), "Of the store's reply")] + members,
                    required: ["etag"], isClosed: true)
            )
        ]
        return [sign, enqueue]
    }

    static let schemas: [(name: String, schema: Schema)] = [
        (
            "SignedUpload",
            .allRequired([
                ("method", .choice(["PUT"]), nil),
                ("url", .string(), "Holds the signature: keep it from logs"),
                ("headers", .object([], required: []), "To be sent with exactly these values"),
                ("expires_at", .string(format: "date-time"), nil),
                ("ticket", .string(), "To be sent when the photo is in the store"),
            ])
        )
    ]
}
