import DarkroomClient
import Digests
import HTTPServer
import Imaging
import MediaStore
import Telemetry
import Tokens

/// Uploads that go on after a cut: a photo arrives in parts, and becomes an upload as any other with its last byte.
///
/// Whatever is killed between two steps of the end, the client that asks again finds the upload at its end, and asking ends it:
/// storing twice stores one file, and queueing twice with one key makes one job.
struct ResumableEndpoints: Sendable {
    let uploads: UploadEndpoints
    let directory: UploadDirectory
    /// Whether interim responses reach clients.
    let announces: Bool

    private var limits: UploadLimits { uploads.limits }

    /// Nil if the server has no directory for them.
    init?(_ uploads: UploadEndpoints, announces: Bool) {
        guard let path = uploads.limits.directory else { return nil }
        self.uploads = uploads
        directory = UploadDirectory(path: path, lifetime: uploads.limits.lifetime)
        self.announces = announces
    }

    static let path = "files"
    /// Where the upload can be followed that a finished file has become.
    static let jobField = "Darkroom-Upload"
    static let exposedHeaders =
        "Darkroom-Upload, Tus-Checksum-Algorithm, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Complete, "
        + "Upload-Draft-Interop-Version, Upload-Expires, Upload-Incomplete, Upload-Length, Upload-Limit, Upload-Metadata, "
        + "Upload-Offset"

    static func isOwn(_ path: ArraySlice<String>) -> Bool { path.first == Self.path }

    /// What each response below the path has, no matter which code makes it.
    static func fields(for request: HTTPRequest) -> HTTPHeaders {
        isOwn(request.segments.dropFirst()) ? UploadDialect.fields(for: request) : [:]
    }

    private static func address(of upload: UnfinishedUpload) -> String {
        "/\(APIServer.root)/\(path)/\(upload.id)"
    }

    // MARK: Requests

    func create(_ request: HTTPRequest, _ caller: Caller?) async throws -> HTTPResponse {
        let caller = try UploadEndpoints.required(caller)
        let dialect = try UploadDialect.required(request)
        var part = try dialect.part(request, isNew: true)
        if part.isLast == true, part.length == nil { part.length = request.body.announcedBytes }
        try Arrival(limits).requireFit(part.length)
        try await uploads.requireRoom()
        if part.metadata != nil, let ignored = request.query.first {
            throw Problem(
                .unknownParameter, "Send \(ignored.name) in Upload-Metadata, not in the query.",
                argument: ignored.name)
        }
        let given =
            part.metadata?.details ?? request.query.map { (name: $0.name, value: JSONValue.string($0.value)) }
        let details = try uploads.form.details(given)
        let key = request.headers["Idempotency-Key"]
        try await uploads.form.check(details, idempotencyKey: key, hasPhoto: true, caller: caller)
        let (metadata, length, lifetime) = (part.metadata?.text, part.length, limits.lifetime)
        let upload = try await files { () throws(MediaError) in
            try directory.create { id in
                UnfinishedRecord(
                    person: caller.person, idempotencyKey: key ?? "file-\(id)", details: details,
                    metadata: metadata, length: length, lifetime: lifetime)
            }
        }
        return try await finishing(dialect) { [part] in
            var isKnown = false
            do {
                try await requireShare(caller)
                isKnown = announces && dialect.announce(Self.address(of: upload), request.body, limits)
                var response = try await receive(part, request, upload, dialect, caller)
                if upload.record.job == nil || dialect == .tus {
                    response.status = 201
                    response.headers.set("Location", Self.address(of: upload))
                }
                return response
            } catch {
                // Nobody can go on with an upload whose address they do not know.
                if !isKnown { try? await files { () throws(MediaError) in try directory.remove(upload) } }
                throw error
            }
        }
    }

    func append(_ request: HTTPRequest, _ path: [String: String], _ caller: Caller?) async throws
        -> HTTPResponse
    {
        let caller = try UploadEndpoints.required(caller)
        let dialect = try UploadDialect.required(request)
        let part = try dialect.part(request, isNew: false)
        let upload = try await locked(path, caller)
        return try await finishing(dialect) {
            try await receive(part, request, upload, dialect, caller)
        }
    }

    func look(_ request: HTTPRequest, _ path: [String: String], _ caller: Caller?) async throws
        -> HTTPResponse
    {
        let caller = try UploadEndpoints.required(caller)
        let dialect = try UploadDialect.required(request)
        // A request that was cut may still be writing its last bytes.
        let (upload, isLocked) = try await find(path, caller)
        if upload.record.job == nil, upload.offset == upload.record.length {
            // Its last request was cut or its server was killed. Nobody hears that all is well before it is.
            guard isLocked else { throw Self.busy }
            try await finishing(dialect) { try await end(upload, caller) }
        }
        return HTTPResponse(
            status: dialect == .tus ? 200 : 204, headers: dialect.fields(upload, limits, isAsking: true))
    }

    func remove(_ request: HTTPRequest, _ path: [String: String], _ caller: Caller?) async throws
        -> HTTPResponse
    {
        let caller = try UploadEndpoints.required(caller)
        _ = try UploadDialect.required(request)
        let upload = try await locked(path, caller)
        try await files { () throws(MediaError) in try directory.remove(upload) }
        return HTTPResponse(status: 204, headers: ["Cache-Control": "no-store"])
    }

    // MARK: Steps

    /// Goes on when the client is gone, so that what has arrived is written and an end that has begun is reached.
    private func finishing<Value: Sendable>(
        _ dialect: UploadDialect, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await Task { try await body() }.value
        } catch var problem as Problem {
            dialect.mark(&problem.headers, isComplete: false)
            throw problem
        }
    }

    private static let busy = Problem(
        .uploadBusy, "Another request is writing to this upload.", retryAfter: 1)
    /// How long a request waits for another one that writes to the same upload, which may have been cut just now.
    private static let patience = Duration.seconds(2)

    /// - Throws: `Problem` with `uploadBusy` if another request writes to the upload.
    private func locked(_ path: [String: String], _ caller: Caller) async throws -> UnfinishedUpload {
        let (upload, isLocked) = try await find(path, caller)
        guard isLocked else { throw Self.busy }
        return upload
    }

    private func find(
        _ path: [String: String], _ caller: Caller
    ) async throws -> (upload: UnfinishedUpload, isLocked: Bool) {
        let id = path["file_id"] ?? ""
        let end = ContinuousClock.now + Self.patience
        while true {
            let locking = ContinuousClock.now < end
            switch try await files({ () throws(MediaError) in
                try directory.open(id, of: caller.person, locking: locking)
            }) {
            case .upload(let upload): return (upload, locking)
            case .busy: try await Task.sleep(for: .milliseconds(20))
            case .expired:
                throw Problem(.uploadGone, "The upload was not finished in time: begin it again.")
            case .missing: throw Problem(.notFound, "There is no such unfinished upload of yours.")
            }
        }
    }

    /// An upload is counted after it was made, so that two at once cannot both be the last one.
    private func requireShare(_ caller: Caller) async throws {
        let known = limits.bytes
        let (count, bytes) = try await files { () throws(MediaError) in
            try directory.unfinished(of: caller.person, unknown: known)
        }
        guard count > limits.unfinished || bytes > limits.bytes * limits.unfinishedPhotos else { return }
        throw Problem(
            .tooManyRequests,
            "You have \(count - 1) unfinished uploads already. Finish or delete one of them first.",
            reason: "too_many_unfinished", retryAfter: 60)
    }

    private func receive(
        _ part: UploadDialect.Part, _ request: HTTPRequest, _ upload: UnfinishedUpload,
        _ dialect: UploadDialect, _ caller: Caller
    ) async throws -> HTTPResponse {
        let start = upload.offset
        guard part.offset == start else {
            var problem = Problem(
                .wrongOffset, "The upload has \(start) bytes: go on with the next one.",
                argument: "Upload-Offset")
            problem.headers.set("Upload-Offset", "\(start)")
            problem.extensions = ["expected-offset": "\(start)", "provided-offset": "\(part.offset ?? 0)"]
            throw problem
        }
        if upload.record.job == nil || !request.body.isEmpty {
            try await take(part, request.body, upload)
            if part.isLast ?? (upload.offset == upload.record.length) { try await end(upload, caller) }
        }
        return try await response(upload, dialect, caller)
    }

    private func response(
        _ upload: UnfinishedUpload, _ dialect: UploadDialect, _ caller: Caller
    ) async throws -> HTTPResponse {
        var response = HTTPResponse(status: 204)
        if dialect != .tus, let job = upload.record.job { response = try await uploads.accepted(job, caller) }
        for field in dialect.fields(upload, limits).fields { response.headers.set(field.name, field.value) }
        return response
    }

    /// Stores and queues a photo of which all bytes are there.
    private func end(_ upload: UnfinishedUpload, _ caller: Caller) async throws {
        guard upload.record.job == nil else { return }
        try await requirePhoto(upload, isWhole: true)
        do {
            let stored = try await uploads.client.store.putOriginal(fromFile: upload.bytesPath)
            guard stored.byteCount == upload.offset else {
                throw Problem(.unavailable, "The photo was not stored whole. Ask again.", retryAfter: 1)
            }
            let record = upload.record
            let job = try await uploads.form.enqueue(
                StoredPhoto(key: stored.key.path, sha256: stored.sha256.hex, byteCount: stored.byteCount),
                record.details, idempotencyKey: record.idempotencyKey, caller: caller)
            upload.end(with: job)
            // It is queued, whether this can be written or not: the next one who asks queues nothing new.
            try? await files { () throws(MediaError) in try upload.settle() }
        } catch let error as MediaError {
            throw fault(error)
        }
    }

    // MARK: Faults

    func files<Value: Sendable>(
        _ work: @escaping @Sendable () throws(MediaError) -> Value
    ) async throws(Problem) -> Value {
        do throws(MediaError) {
            return try await directory.run(work)
        } catch {
            throw fault(error)
        }
    }

    private func fault(_ error: MediaError) -> Problem {
        uploads.log.warning("uploads.failed", ["error": .init("\(error)")])
        return Problem(error)
    }
}
