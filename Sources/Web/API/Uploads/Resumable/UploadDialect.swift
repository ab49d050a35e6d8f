import Digests
import FoundationEssentials
import HTTPServer

/// The two ways in which clients speak of an upload in parts. They differ in their header fields alone.
enum UploadDialect: Sendable, Equatable {
    /// tus 1.0.0 (https://tus.io/protocols/resumable-upload).
    case tus
    /// draft-ietf-httpbis-resumable-upload, by its interop version: 3 is draft 01, which iOS 17 sends; 4 is 02, 5 is 03, 6 is
    /// 04 and 05, 7 and 8 are the later ones.
    case draft(version: Int)

    static let tusVersion = "1.0.0"
    static let versionField = "Upload-Draft-Interop-Version"
    static let drafts = 3...8
    static let tusType = "application/offset+octet-stream"
    static let draftType = "application/partial-upload"

    /// What one request brings.
    struct Part: Sendable {
        /// Where its first byte belongs; nil if the request must say so and does not.
        var offset: Int64?
        /// Of the whole photo, if the request says it.
        var length: Int64?
        /// Whether the photo ends with this request; nil if its length alone says when it ends.
        var isLast: Bool?
        var checksum: UploadChecksum?
        var metadata: UploadMetadata?
    }

    /// What a request speaks, by its fields; nil if it says nothing of it, or something that is not known.
    init?(_ headers: HTTPHeaders) {
        if headers["Tus-Resumable"] == Self.tusVersion {
            self = .tus
        } else if headers["Tus-Resumable"] == nil,
            let version = headers[Self.versionField].flatMap({ Int($0) }),
            version >= Self.drafts.lowerBound
        {
            self = .draft(version: version)
        } else {
            return nil
        }
    }

    /// - Throws: `Problem` with `wrongVersion` if the request speaks neither.
    static func required(_ request: HTTPRequest) throws(Problem) -> UploadDialect {
        if let dialect = UploadDialect(request.headers) { return dialect }
        var problem = Problem(
            .wrongVersion,
            "Send Tus-Resumable: \(tusVersion), or \(versionField) with a number from \(drafts.lowerBound) to \(drafts.upperBound)."
        )
        problem.headers.set("Tus-Version", tusVersion)
        throw problem
    }

    /// What each response has, also that of a request that speaks neither.
    static func fields(for request: HTTPRequest) -> HTTPHeaders {
        if case .draft(let version)? = UploadDialect(request.headers) {
            return [versionField: "\(min(version, drafts.upperBound))"]
        }
        return ["Tus-Resumable": tusVersion]
    }

    /// What `OPTIONS` says.
    static func options(_ limits: UploadLimits) -> HTTPHeaders {
        [
            "Tus-Resumable": tusVersion, "Tus-Version": tusVersion,
            "Tus-Extension": "creation,creation-with-upload,checksum,expiration,termination",
            "Tus-Max-Size": "\(limits.bytes)",
            "Tus-Checksum-Algorithm": UploadChecksum.names,
            "Upload-Limit": "max-size=\(limits.bytes), max-age=\(limits.lifetime)",
            "Accept-Patch": "\(tusType), \(draftType)",
        ]
    }

    // MARK: Requests

    /// - Parameter isNew: for the request that makes the upload.
    func part(_ request: HTTPRequest, isNew: Bool) throws(Problem) -> Part {
        let type = request.headers["Content-Type"]?.split(separator: ";").first.map { $0.lowercased() }
        var part = Part(
            offset: isNew ? 0 : try Self.number(request, "Upload-Offset"),
            length: try Self.number(request, "Upload-Length"))
        switch self {
        case .tus:
            guard (isNew && request.body.isEmpty) || type == Self.tusType else {
                throw Problem(.unsupportedType, "Send bytes of the photo as \(Self.tusType).")
            }
            if isNew {
                guard request.headers["Upload-Concat"] == nil else {
                    throw Problem(.invalidRequest, "Uploads cannot be joined: send each photo as one upload.")
                }
                guard part.length != nil else {
                    throw Problem(.lengthRequired, "Send Upload-Length: the size of the photo in bytes.")
                }
                part.metadata = try UploadMetadata(request.headers["Upload-Metadata"] ?? "")
            } else {
                part.length = nil
            }
            part.checksum = try request.headers["Upload-Checksum"].map { (text) throws(Problem) in
                try UploadChecksum(text)
            }
        case .draft(let version):
            guard isNew || version < 6 || type == Self.draftType else {
                throw Problem(.unsupportedType, "Send bytes of the photo as \(Self.draftType).")
            }
            let name = completeness
            let isYes = version == 3 ? "?0" : "?1"
            switch request.headers[name] {
            case isYes: part.isLast = true
            case "?0", "?1": part.isLast = false
            default: throw Problem(.invalidRequest, "Send \(name) as ?0 or ?1.")
            }
        }
        guard part.offset != nil else {
            throw Problem(
                .invalidRequest, "Send Upload-Offset: how many bytes of the photo come before these.")
        }
        return part
    }

    private var completeness: String {
        self == .draft(version: 3) ? "Upload-Incomplete" : "Upload-Complete"
    }

    /// A number of bytes. One that is larger than any of ours is as good as the largest.
    private static func number(_ request: HTTPRequest, _ name: String) throws(Problem) -> Int64? {
        guard let text = request.headers[name] else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            throw Problem(.invalidRequest, "\(name) must be a number of bytes, 0 or more.", argument: name)
        }
        return Int64(text) ?? .max
    }

    // MARK: Responses

    /// What a response says of an upload.
    ///
    /// - Parameter isEnd: nil if it is for a request that only asks.
    func fields(_ upload: UnfinishedUpload, _ limits: UploadLimits, isAsking: Bool = false) -> HTTPHeaders {
        let record = upload.record
        var fields: HTTPHeaders = ["Upload-Offset": "\(upload.offset)", "Cache-Control": "no-store"]
        if let job = record.job { fields.add(ResumableEndpoints.jobField, UploadEndpoints.address(of: job)) }
        switch self {
        case .tus:
            fields.add("Upload-Expires", HTTPDate.text(record.expires))
            if isAsking, let metadata = record.metadata, !metadata.isEmpty {
                fields.add("Upload-Metadata", metadata)
            }
        case .draft:
            fields.add("Upload-Limit", "max-size=\(limits.bytes), max-age=\(record.remaining)")
            mark(&fields, isComplete: record.job != nil)
        }
        if isAsking, let length = record.length { fields.add("Upload-Length", "\(length)") }
        return fields
    }

    /// Says whether all of the photo has arrived, also in a response that refuses.
    func mark(_ fields: inout HTTPHeaders, isComplete: Bool) {
        guard case .draft(let version) = self else { return }
        fields.set(completeness, isComplete == (version == 3) ? "?0" : "?1")
    }

    /// Tells a client that waits for it, before its bytes, where it can go on after a cut.
    func announce(_ address: String, _ body: HTTPRequestBody, _ limits: UploadLimits) -> Bool {
        guard case .draft(let version) = self, Self.drafts.contains(version), !body.isEmpty else {
            return false
        }
        body.announce(
            status: 104, reason: "Upload Resumption Supported",
            [
                Self.versionField: "\(version)", "Location": address,
                "Upload-Limit": "max-size=\(limits.bytes), max-age=\(limits.lifetime)",
            ])
        return true
    }
}
