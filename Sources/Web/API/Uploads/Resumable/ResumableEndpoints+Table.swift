import HTTPServer

extension ResumableEndpoints {
    var endpoints: [Endpoint] {
        let size = Schema.integer(minimum: 0)
        let draft = Endpoint.Parameter(
            UploadDialect.versionField, in: .header, .integer(minimum: 3),
            "For a client of draft-ietf-httpbis-resumable-upload")
        let protocols = [
            Endpoint.Parameter(
                "Tus-Resumable", in: .header, .choice([UploadDialect.tusVersion]), "For a client of tus"),
            draft,
        ]
        let flags = [
            Endpoint.Parameter(
                "Upload-Complete", in: .header, .choice(["?0", "?1"]),
                "Draft: whether the photo ends with this request"),
            Endpoint.Parameter(
                "Upload-Incomplete", in: .header, .choice(["?0", "?1"]),
                "Version 3 of the draft: the opposite"),
            Endpoint.Parameter(
                "Upload-Length", in: .header, .integer(minimum: 0, maximum: uploads.limits.bytes),
                "Bytes of the whole photo; tus needs it"),
            Endpoint.Parameter(
                "Upload-Checksum", in: .header, .string(maxLength: 100),
                "tus: \(UploadChecksum.names), a space, and the checksum of these bytes in base64"),
        ]
        let id = Endpoint.Parameter(
            "file_id", in: .path, .string(pattern: "^[0-9a-f]{32}$"), isRequired: true)
        let length = Endpoint.Parameter("Upload-Length", in: .header, size)
        let state: [Endpoint.Parameter] = [
            .init("Upload-Offset", in: .header, size, isRequired: true),
            .init("Upload-Expires", in: .header, .string()),
            .init("Upload-Limit", in: .header, .string()), .init("Upload-Complete", in: .header, .string()),
            .init(Self.jobField, in: .header, .string()),
        ]
        let refusals: Set<Problem.Code> = [.wrongVersion]
        let ofFile = refusals.union([.notFound, .uploadGone, .uploadBusy])
        let ofBytes = uploads.form.refusals.union([.checksumMismatch, .unsupportedType, .tooLarge])
        let whole = Endpoint.Reply(
            status: 202, description: "Draft: all has arrived, and the upload is queued",
            content: [("application/json", .named("UploadStatus"))],
            headers: [UploadEndpoints.location] + state)
        let some = Endpoint.Reply(
            status: 204, description: "These bytes have arrived; with \(Self.jobField), all of them",
            headers: state)
        var create = Endpoint(
            method: .post, path: "/\(Self.path)", name: "create_file", tag: "uploads",
            summary: "Begin to upload a photo that goes on after a cut",
            description:
                "Speaks tus 1.0.0 (https://tus.io/protocols/resumable-upload) and draft-ietf-httpbis-resumable-upload. The details "
                + "are the parameters of POST /uploads: in Upload-Metadata for tus, in the query for the draft. With its last byte "
                + "the photo is queued, and \(Self.jobField) says where to follow it.",
            access: .person,
            parameters: protocols + flags + [
                .init(
                    "Upload-Metadata", in: .header, .string(maxLength: 8192),
                    "tus: pairs of a name and a value in base64"),
                UploadEndpoints.idempotencyKey,
            ]
                + uploads.form.parameters.map {
                    .init($0.name, in: .query, $0.schema, "Draft")
                },
            replies: [
                .init(status: 201, description: "Begun", headers: [UploadEndpoints.location] + state), whole,
            ], refusals: refusals.union(ofBytes).union([.lengthRequired])
        ) { request, _, caller in try await self.create(request, caller) }
        create.bodies = [
            (UploadDialect.tusType, .string(format: "binary")), ("image/*", .string(format: "binary")),
            ("application/octet-stream", .string(format: "binary")),
        ]
        var append = Endpoint(
            method: .patch, path: "/\(Self.path)/{file_id}", name: "append_to_file", tag: "uploads",
            summary: "Send the next bytes of a photo", access: .person,
            parameters: [id] + protocols + flags + [
                .init(
                    "Upload-Offset", in: .header, size, isRequired: true, "How many bytes come before these")
            ], replies: [some, whole], refusals: ofFile.union(ofBytes).union([.conflict, .wrongOffset])
        ) { request, path, caller in try await self.append(request, path, caller) }
        append.bodies = [
            (UploadDialect.tusType, .string(format: "binary")),
            (UploadDialect.draftType, .string(format: "binary")),
        ]
        return [
            create, append,
            Endpoint(
                method: .head, path: "/\(Self.path)/{file_id}", name: "file_offset", tag: "uploads",
                summary: "How many bytes of a photo have arrived", access: .person,
                parameters: [id] + protocols,
                replies: [
                    .init(
                        status: 200, description: "For tus",
                        headers: state + [length, .init("Upload-Metadata", in: .header, .string())]),
                    .init(status: 204, description: "For the draft", headers: state + [length]),
                ], refusals: ofFile.union(ofBytes)
            ) { request, path, caller in try await self.look(request, path, caller) },
            Endpoint(
                method: .delete, path: "/\(Self.path)/{file_id}", name: "remove_file", tag: "uploads",
                summary: "Forget a photo that has not arrived whole, or what is known of one that has",
                access: .person, parameters: [id] + protocols,
                replies: [.init(status: 204, description: "Forgotten")], refusals: ofFile
            ) { request, path, caller in try await self.remove(request, path, caller) },
        ]
    }
}
