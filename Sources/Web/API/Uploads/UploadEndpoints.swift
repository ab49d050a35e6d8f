import DarkroomClient
import HTTPServer
import Imaging
import MediaStore
import Postgres
import Telemetry
import Tokens

/// Photos and texts that people upload, and what becomes of them.
struct UploadEndpoints: Sendable {
    let client: DarkroomClient
    let limits: UploadLimits
    let form: UploadForm
    let live: LiveEndpoints
    let log: Log
    private let pressure: QueuePressure
    let status: SQLFunction

    init(
        _ client: DarkroomClient, _ limits: UploadLimits, _ functions: [String: SQLFunction],
        _ live: LiveEndpoints,
        _ log: Log
    ) throws(WebAPIError) {
        self.client = client
        self.limits = limits
        self.live = live
        self.log = log
        guard let status = functions["job_status"] else {
            throw WebAPIError("the database has no function job_status: run 'darkroom migrate'")
        }
        self.status = status
        form = try UploadForm(client, functions)
        pressure = QueuePressure(client, longestWait: limits.longestWait)
    }

    /// What pages of other origins may read of responses.
    static let exposedHeaders = "ETag, Link, Location, Retry-After, " + ResumableEndpoints.exposedHeaders

    /// What `OPTIONS` says of uploads.
    static func optionHeaders(_ path: ArraySlice<String>, _ limits: UploadLimits) -> HTTPHeaders {
        ResumableEndpoints.isOwn(path) && limits.directory != nil ? UploadDialect.options(limits) : [:]
    }

    /// Where its uploader can follow an upload.
    static func address(of job: Int64) -> String { "/\(APIServer.root)/uploads/\(job)" }

    // MARK: Receiving

    /// Uploads in one request: the bytes of a photo, a form with a photo, or a JSON object for a text.
    func upload(_ request: HTTPRequest, _ caller: Caller?) async throws -> HTTPResponse {
        let caller = try Self.required(caller)
        try await requireRoom()
        let key = request.headers["Idempotency-Key"]
        let type = request.headers["Content-Type"]?.split(separator: ";").first.map {
            $0.lowercased().filter { $0 != " " }
        }
        switch type {
        case "application/json":
            try Self.refuseQuery(request)
            let details = try form.details(try await request.members().map { ($0.key, $0.value) })
            try await form.check(details, idempotencyKey: key, hasPhoto: false, caller: caller)
            return try await accepted(
                try await form.enqueue(nil, details, idempotencyKey: key, caller: caller), caller)
        case "multipart/form-data":
            try Self.refuseQuery(request)
            let (photo, details) = try await receiveForm(request, idempotencyKey: key, caller)
            return try await accepted(
                try await form.enqueue(photo, details, idempotencyKey: key, caller: caller), caller)
        case let type? where type.hasPrefix("image/") || type == "application/octet-stream":
            let details = try form.details(request.query.map { ($0.name, .string($0.value)) })
            try await form.check(details, idempotencyKey: key, hasPhoto: true, caller: caller)
            var arrival = Arrival(limits)
            try arrival.requireFit(request.body.announcedBytes)
            do {
                while let chunk = try await request.body.next() {
                    try await arrival.take(chunk, client.store)
                }
            } catch is HTTPBodyError {
                throw Problem(.invalidRequest, "The photo ended too early.")
            }
            let photo = try await arrival.finish(client.store)
            return try await accepted(
                try await form.enqueue(photo, details, idempotencyKey: key, caller: caller), caller)
        default:
            throw Problem(
                .unsupportedType,
                "Send a photo as image/… or application/octet-stream, with the rest in the query; a form as multipart/form-data; "
                    + "or a text without a photo as application/json.")
        }
    }

    static func refuseQuery(_ request: HTTPRequest) throws(Problem) {
        guard let first = request.query.first else { return }
        throw Problem(
            .unknownParameter, "Send \(first.name) in the body, not in the query.", argument: first.name)
    }

    /// A form has its fields before the photo, so that a refusal comes before its bytes.
    private func receiveForm(
        _ request: HTTPRequest, idempotencyKey: String?, _ caller: Caller
    ) async throws -> (StoredPhoto?, [String: String?]) {
        guard let reader = request.body.formReader() else {
            throw Problem(.invalidRequest, "The Content-Type of the form has no usable boundary.")
        }
        var arrival = Arrival(limits)
        var fields: [(name: String, bytes: [UInt8])] = []
        var fieldBytes = 0
        var details: [String: String?]?
        func take(_ parts: [HTTPFormPart]?) async throws {
            guard let parts else { throw Problem(.invalidRequest, "The form is broken.") }
            for part in parts {
                if part.name == "photo" {
                    if details == nil {
                        let known = try form.details(try Self.texts(fields))
                        try await form.check(
                            known, idempotencyKey: idempotencyKey, hasPhoto: true, caller: caller)
                        details = known
                    } else if part.offset == 0, arrival.byteCount > 0 {
                        throw Problem(.invalidRequest, "The form has two photos: send each by itself.")
                    }
                    try await arrival.take(part.bytes, client.store)
                    continue
                }
                guard details == nil else {
                    throw Problem(
                        .invalidRequest, "The field \(part.name) comes after the photo: send the photo last.",
                        argument: part.name)
                }
                fieldBytes += part.bytes.count + part.name.utf8.count
                guard fieldBytes <= 64 * 1024, fields.count <= 100 else {
                    throw Problem(.tooLarge, "The fields of the form are too large.")
                }
                if part.offset == 0 {
                    fields.append((part.name, part.bytes))
                } else if !fields.isEmpty {
                    fields[fields.count - 1].bytes += part.bytes
                }
            }
        }
        do {
            while let chunk = try await request.body.next() { try await take(reader.parse(chunk)) }
        } catch is HTTPBodyError {
            throw Problem(.invalidRequest, "The form ended too early.")
        }
        try await take(reader.finish())
        guard let details else {
            throw Problem(
                .missingParameter,
                "The form has no file named photo. Send a text without a photo as application/json.",
                argument: "photo")
        }
        let arrived = try await arrival.finish(client.store)
        return (arrived, details)
    }

    private static func texts(
        _ fields: [(name: String, bytes: [UInt8])]
    ) throws(Problem) -> [(name: String, value: JSONValue)] {
        var texts: [(name: String, value: JSONValue)] = []
        for field in fields where !field.bytes.isEmpty {
            guard let text = String(validating: field.bytes, as: UTF8.self) else {
                throw Problem(.invalidArgument, "\(field.name) is not UTF-8.", argument: field.name)
            }
            texts.append((field.name, .string(text)))
        }
        return texts
    }

    /// - Throws: `Problem` with `unavailable` while the queue is too long.
    func requireRoom() async throws {
        guard let seconds = try await pressure.retryAfter() else { return }
        throw Problem(
            .unavailable, "Too many uploads are waiting. Send this one again later.", retryAfter: seconds)
    }

    func accepted(_ job: Int64, _ caller: Caller) async throws -> HTTPResponse {
        let json = try await status(of: job, caller)?.json
        return HTTPResponse(
            status: 202,
            headers: [
                "Location": Self.address(of: job), "Content-Type": "application/json",
                "Cache-Control": "no-store",
            ], content: .bytes(Array((json ?? forgotten(job)).utf8)))
    }

    /// The state of an upload that was sent again so long after its end that only its number is known.
    private func forgotten(_ job: Int64) -> String {
        JSONText.object(status.columns.map { ($0.name, $0.name == "job_id" ? "\(job)" : "null") })
    }

    // MARK: Following

    private func status(of job: Int64, _ caller: Caller) async throws -> (json: String, isFinal: Bool)? {
        let rows = try await client.write(
            """
            select to_json(s)::text as json, s.finished_at is not null as is_final
            from darkroom.job_status(\(job), \(caller.person)) s
            """)
        return try rows.first.map { (try $0.decode("json"), try $0.decode("is_final")) }
    }

    func follow(
        _ request: HTTPRequest, _ path: [String: String], _ caller: Caller?
    ) async throws -> HTTPResponse {
        let caller = try Self.required(caller)
        let job = try Self.number(path)
        guard let status = try await status(of: job, caller) else {
            throw Problem(.notFound, "There is no such upload of yours, or it ended long ago: see /me/posts.")
        }
        if (request.headers["Accept"] ?? "").contains("text/event-stream") {
            return live.stream(job: job, status: status.json, isFinal: status.isFinal)
        }
        return HTTPResponse(
            headers: ["Content-Type": "application/json", "Cache-Control": "private, no-cache"],
            content: .bytes(Array(status.json.utf8)))
    }

    func cancel(_ path: [String: String], _ caller: Caller?) async throws -> HTTPResponse {
        let caller = try Self.required(caller)
        let job = try Self.number(path)
        let rows = try await client.write("select darkroom.cancel_job(\(job), \(caller.person)) as done")
        guard try rows.first?.decode("done", as: Bool.self) == true else {
            throw Problem(.notFound, "There is no such upload of yours, or it has ended.")
        }
        return HTTPResponse(status: 204, headers: ["Cache-Control": "no-store"])
    }

    func preflight(_ request: HTTPRequest, _ caller: Caller?) async throws -> HTTPResponse {
        let caller = try Self.required(caller)
        try Self.refuseQuery(request)
        var hasPhoto = true
        var given = try await request.members()
        if let value = given.removeValue(forKey: "has_photo") {
            guard case .bool(let bool) = value else {
                throw Problem(.invalidArgument, "has_photo must be true or false.", argument: "has_photo")
            }
            hasPhoto = bool
        }
        try await form.check(
            try form.details(given.map { ($0.key, $0.value) }), idempotencyKey: nil, hasPhoto: hasPhoto,
            caller: caller)
        return HTTPResponse(status: 204, headers: ["Cache-Control": "no-store"])
    }

    static func required(_ caller: Caller?) throws(Problem) -> Caller {
        guard let caller else {
            throw Problem(.unauthenticated, "Send a token as 'Authorization: Bearer …'.")
        }
        return caller
    }

    static func number(_ path: [String: String]) throws(Problem) -> Int64 {
        guard let job = path["job_id"].flatMap({ Int64($0) }) else {
            throw Problem(.notFound, "The number of an upload is a whole number.")
        }
        return job
    }
}
