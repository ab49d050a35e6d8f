import HTTPServer

extension UploadEndpoints {
    var schemas: [(name: String, schema: Schema)] { [("UploadStatus", Schema(columns: status.columns))] }

    static let location = Endpoint.Parameter("Location", in: .header, .string(), isRequired: true)
    static let idempotencyKey = Endpoint.Parameter(
        "Idempotency-Key", in: .header, .string(minLength: 1, maxLength: 200),
        "An upload that is sent twice with one key makes one post")

    var endpoints: [Endpoint] {
        let status = Endpoint.Reply(
            status: 200, description: "The state of the upload",
            content: [("application/json", .named("UploadStatus")), ("text/event-stream", .string())])
        let number = Endpoint.Parameter("job_id", in: .path, .integer(), isRequired: true)
        let details = form.parameters.map { parameter in
            (parameter.name, parameter.schema)
        }
        let members = details.map { (name: $0.0, schema: Schema.nullable($0.1), description: String?.none) }
        let ofJob: Set<Problem.Code> = [.notFound]
        var upload = Endpoint(
            method: .post, path: "/uploads", name: "upload", tag: "uploads",
            summary: "Upload a photo or a text; it becomes a post",
            description:
                "A photo is sent as its bytes, with the rest in the query, or as the file photo of a form, after its "
                + "other fields. A text without a photo is a JSON object. What only the photo can tell is checked later: follow "
                + "the upload at its Location.",
            access: .person,
            parameters: details.map { .init($0.0, in: .query, $0.1, "For a photo that is sent as its bytes") }
                + [Self.idempotencyKey],
            replies: [
                .init(
                    status: 202, description: "Queued",
                    content: [("application/json", .named("UploadStatus"))], headers: [Self.location])
            ], refusals: form.refusals
        ) { request, _, caller in try await self.upload(request, caller) }
        upload.isBodyRequired = true
        upload.bodies = [
            ("image/*", .string(format: "binary")), ("application/octet-stream", .string(format: "binary")),
            (
                "multipart/form-data",
                .object(
                    details.map { ($0.0, $0.1, nil) } + [("photo", .string(format: "binary"), nil)],
                    required: ["photo"], isClosed: true)
            ), ("application/json", .object(members, required: [], isClosed: true)),
        ]
        var preflight = Endpoint(
            method: .post, path: "/uploads/check", name: "check_upload", tag: "uploads",
            summary: "Whether an upload would be accepted, before its bytes are sent", access: .person,
            replies: [.init(status: 204, description: "Nothing is wrong with it")]
        ) { request, _, caller in try await self.preflight(request, caller) }
        preflight.isBodyRequired = true
        preflight.bodies = [
            (
                "application/json",
                .object(
                    members + [(name: "has_photo", schema: .boolean, description: nil)], required: [],
                    isClosed: true)
            )
        ]
        return [
            upload, preflight,
            Endpoint(
                method: .get, path: "/uploads/{job_id}", name: "upload_status", tag: "uploads",
                summary: "What became of an upload; with Accept: text/event-stream, as it happens",
                access: .person,
                parameters: [number], replies: [status], refusals: ofJob
            ) { request, path, caller in try await self.follow(request, path, caller) },
            Endpoint(
                method: .delete, path: "/uploads/{job_id}", name: "cancel_upload", tag: "uploads",
                summary: "Withdraw an upload that waits", access: .person, parameters: [number],
                replies: [.init(status: 204, description: "Withdrawn")], refusals: ofJob
            ) { _, path, caller in try await self.cancel(path, caller) },
        ]
    }
}
