import DarkroomClient
import FoundationEssentials
import HTTPServer
import MediaStore
import Postgres
import Tokens

/// The files of posts' pictures, as long as readers may see the posts.
struct PictureEndpoints: Sendable {
    private let client: DarkroomClient
    private let options: PictureOptions
    private let visible: VisiblePictures

    init(_ client: DarkroomClient, _ options: PictureOptions) {
        self.client = client
        self.options = options
        visible = VisiblePictures(client)
    }

    private static let types = [
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp", "avif": "image/avif",
    ]

    private let notFound = Problem(
        .notFound,
        "There is no such picture, its post is no longer visible, or it is shown only nearer to the post: give latitude and longitude."
    )

    // MARK: One file

    private func picture(_ request: HTTPRequest, _ key: String, _ person: String?) async throws
        -> HTTPResponse
    {
        guard key.hasPrefix("renditions/"), let media = try? MediaKey(validating: key),
            let type = key.split(separator: ".").last.flatMap({ Self.types[String($0)] })
        else { throw notFound }
        let query = try QueryReader(request, ["expires", "signature", "latitude", "longitude"])
        var headers: HTTPHeaders = [
            "Content-Type": type, "ETag": Self.tag(key), "Accept-Ranges": "bytes",
            "Cache-Control": try await caching(of: key, query, person),
            "Content-Security-Policy": "default-src 'none'; sandbox", "Content-Disposition": "inline",
            "Cross-Origin-Resource-Policy": "cross-origin",
        ]
        if request.hasTag(Self.tag(key)) { return HTTPResponse(status: 304, headers: headers) }
        if let path = options.internalPath {
            headers.add("X-Accel-Redirect", "\(path)/\(key)")
            return HTTPResponse(headers: headers)
        }
        let file: MediaFile
        let byteCount: Int64
        do throws(MediaError) {
            file = try await client.store.openRendition(media)
            byteCount = try file.byteCount()
        } catch {
            throw error.code == .notFound ? notFound : Problem(error)
        }
        return try Self.response(request, file, byteCount, headers)
    }

    /// How long caches may keep the picture, and which.
    ///
    /// - Throws: `Problem` if it may not be shown.
    private func caching(of key: String, _ query: QueryReader, _ person: String?) async throws -> String {
        if let secret = options.linkKey, let expires = query["expires"], let signature = query["signature"] {
            let now = Int64(Date().timeIntervalSince1970)
            guard PictureLink.isValid(key, expires: expires, signature: signature, key: secret, now: now)
            else {
                throw Problem(.notPermitted, "The link has expired, or is not one of this server.")
            }
            return Self.caching(Int(clamping: (Int64(expires) ?? now) - now), isPublic: true)
        }
        let audience = try await visible.audience(of: key, try Self.reader(query), person)
        guard audience != .nobody else { throw notFound }
        return Self.caching(options.maxAge, isPublic: audience == .everyone)
    }

    private static func reader(_ query: QueryReader) throws(Problem) -> VisiblePictures.Position? {
        try query.position().map { VisiblePictures.Position(latitude: $0.latitude, longitude: $0.longitude) }
    }

    /// What is shown to those nearby, or to its uploader, is for them alone.
    private static func caching(_ lifetime: Int, isPublic: Bool) -> String {
        "\(isPublic ? "public" : "private"), max-age=\(lifetime)"
    }

    private static func response(
        _ request: HTTPRequest, _ file: MediaFile, _ byteCount: Int64, _ headers: HTTPHeaders
    ) throws -> HTTPResponse {
        var headers = headers
        // A range of another file would be useless.
        let isSame = request.headers["If-Range"].map { $0 == headers["ETag"] } ?? true
        // Ranges are of GET alone (RFC 9110, section 14.2).
        let range = isSame && request.method == .get ? request.headers["Range"] : nil
        switch ByteRange(range, byteCount: byteCount) {
        case .whole:
            return HTTPResponse(
                headers: headers,
                content: .file(try HTTPFile(duplicating: file.descriptor, byteCount: byteCount)))
        case .part(let range):
            headers.add("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound)/\(byteCount)")
            return HTTPResponse(
                status: 206, headers: headers,
                content: .file(
                    try HTTPFile(
                        duplicating: file.descriptor, offset: range.lowerBound, byteCount: Int64(range.count))
                ))
        case .unsatisfiable:
            return HTTPResponse(status: 416, headers: ["Content-Range": "bytes */\(byteCount)"])
        }
    }

    /// A file never changes while it has its key.
    private static func tag(_ key: String) -> String {
        "\"" + (key.split(separator: "/").last ?? "").prefix(32) + "\""
    }

    // MARK: The best file of a post

    /// Redirects to the rendition that fits best: the narrowest that is wide enough, in a format that the client accepts.
    private func best(
        _ request: HTTPRequest, _ path: [String: String], _ person: String?
    ) async throws -> HTTPResponse {
        guard let post = path["post_id"].flatMap({ Int64($0) }) else { throw notFound }
        let query = try QueryReader(request, ["width", "latitude", "longitude"])
        let reader = try Self.reader(query)
        let width = try query.integer("width", in: 1...100_000) ?? 1080
        let accepted = request.headers["Accept"] ?? "*/*"
        var formats = ["jpeg"]
        for format in ["webp", "avif"] where accepted.contains("image/\(format)") {
            formats.insert(format, at: 0)
        }
        let rows = try await client.read(
            """
            select p.media_key from darkroom.post_details(
                    \(post), \(person), \(reader?.latitude)::float8, \(reader?.longitude)::float8) d,
                jsonb_to_recordset(d.pictures) p (media_key text, format text, width integer)
            where p.format = any (\(formats)::text[])
            order by p.width < \(width), abs(p.width - \(width)), array_position(\(formats)::text[], p.format) limit 1
            """)
        guard let key = try rows.first?.decode("media_key", as: String.self) else { throw notFound }
        let position = reader.map { "?latitude=\($0.latitude)&longitude=\($0.longitude)" } ?? ""
        return HTTPResponse(
            status: 302,
            headers: [
                "Location": "/\(APIServer.root)/pictures/\(key)\(position)", "Vary": "Accept",
                "Cache-Control": Self.caching(options.maxAge, isPublic: reader == nil && person == nil),
            ])
    }

    /// For a file server that asks before it sends a file, such as nginx with `auth_request`.
    private func mayShow(_ request: HTTPRequest, _ person: String?) async throws -> HTTPResponse {
        // The file server sends what the path names: a key in the query or the fragment says nothing of it.
        let original = request.headers["X-Original-URI"] ?? ""
        let path = original.prefix { $0 != "?" && $0 != "#" }
        guard let start = path.firstRange(of: "renditions/"),
            case let key = String(path[start.lowerBound...]),
            (try? MediaKey(validating: key)) != nil,
            try await visible.audience(of: key, try? Self.reader(QueryReader(uri: original)), person)
                != .nobody
        else { throw Self.forbidden }
        return HTTPResponse(status: 204, headers: ["Cache-Control": "no-store"])
    }

    private static let forbidden = Problem(.notPermitted, "This picture is not shown to readers.")

    // MARK: The table

    private static let position = [
        Endpoint.Parameter(
            "latitude", in: .query, .number(minimum: -90, maximum: 90),
            "Where the reader is, if pictures are shown only to those nearby"),
        Endpoint.Parameter("longitude", in: .query, .number(minimum: -180, maximum: 180)),
    ]

    var endpoints: [Endpoint] {
        let files = Set(Self.types.values).sorted().map { ($0, Schema.string(format: "binary")) }
        let tag = Endpoint.Parameter("ETag", in: .header, .string(), isRequired: true)
        let range = Endpoint.Parameter("Content-Range", in: .header, .string(), isRequired: true)
        return [
            Endpoint(
                method: .get, path: "/pictures/{key...}", name: "picture", tag: "pictures",
                summary: "A picture, by its media_key, while readers may see its post", access: .reading,
                parameters: [
                    .init("key", in: .path, .string(), isRequired: true),
                    .init("expires", in: .query, .integer(), "Of a signed link: seconds since 1970"),
                    .init("signature", in: .query, .string(), "Of a signed link"),
                ] + Self.position + [
                    .init("Range", in: .header, .string()), .init("If-None-Match", in: .header, .string()),
                ],
                replies: [
                    .init(status: 200, description: "The file", content: files, headers: [tag]),
                    .init(
                        status: 206, description: "A part of the file", content: files, headers: [tag, range]),
                    .init(status: 304, description: "The client has it", headers: [tag]),
                    .init(status: 416, description: "No part of the file is in the range", headers: [range]),
                ], refusals: [.notFound, .notPermitted]
            ) { request, path, caller in try await self.picture(request, path["key"] ?? "", caller?.person) },
            Endpoint(
                method: .get, path: "/posts/{post_id}/picture", name: "post_picture", tag: "pictures",
                summary:
                    "Where the picture of a post is that fits a width, in a format that the client accepts",
                access: .reading,
                parameters: [
                    .init("post_id", in: .path, .integer(), isRequired: true),
                    .init(
                        "width", in: .query, .integer(minimum: 1, maximum: 100_000), "Pixels; 1080 by default"
                    ),
                ] + Self.position,
                replies: [
                    .init(status: 302, description: "Its address", headers: [UploadEndpoints.location])
                ],
                refusals: [.notFound]
            ) { request, path, caller in try await self.best(request, path, caller?.person) },
            Endpoint(
                method: .get, path: "/may-show", name: "may_show", tag: "pictures",
                summary: "Whether a file server may send the file of X-Original-URI", access: .reading,
                parameters: [.init("X-Original-URI", in: .header, .string(), isRequired: true)],
                replies: [.init(status: 204, description: "It may")], refusals: [.notPermitted]
            ) { request, _, caller in try await self.mayShow(request, caller?.person) },
        ]
    }
}
