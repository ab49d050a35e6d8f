import Digests
import FoundationEssentials

/// `Upload-Checksum` of tus: what the bytes of one request must have.
struct UploadChecksum: Sendable {
    let algorithm: ChecksumHasher.Algorithm
    let digest: [UInt8]

    static let names = ChecksumHasher.Algorithm.allCases.map(\.rawValue).joined(separator: ",")

    init(_ text: String) throws(Problem) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let algorithm = ChecksumHasher.Algorithm(rawValue: String(parts[0])),
            let digest = Data(base64Encoded: String(parts[1])), digest.count == algorithm.byteCount
        else {
            throw Problem(
                .invalidRequest,
                "Upload-Checksum must be an algorithm (\(Self.names)), a space, and the checksum in base64.",
                argument: "Upload-Checksum")
        }
        self.algorithm = algorithm
        self.digest = [UInt8](digest)
    }
}

/// `Upload-Metadata` of tus: the details of an upload.
struct UploadMetadata: Sendable {
    /// What clients say of a file, and a photo here does not have.
    private static let ignored: Set = ["filename", "filetype", "name", "type", "relativePath"]

    let text: String
    let details: [(name: String, value: JSONValue)]

    init(_ text: String) throws(Problem) {
        func refuse(_ why: String) -> Problem {
            Problem(.invalidRequest, "Upload-Metadata \(why).", argument: "Upload-Metadata")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else { throw refuse("must be ASCII") }
        var details: [(name: String, value: JSONValue)] = []
        var names: Set<Substring> = []
        for pair in text.split(separator: ",", omittingEmptySubsequences: false) where !text.isEmpty {
            let parts = pair.drop { $0 == " " }.split(separator: " ", omittingEmptySubsequences: false)
            guard let name = parts.first, !name.isEmpty, parts.count <= 2 else {
                throw refuse("must be pairs of a name and a value in base64, with commas between them")
            }
            guard names.insert(name).inserted else { throw refuse("has \(name) twice") }
            guard !Self.ignored.contains(String(name)) else { continue }
            guard let bytes = Data(base64Encoded: parts.count == 2 ? String(parts[1]) : ""),
                let value = String(validating: bytes, as: UTF8.self)
            else { throw refuse("must have the value of \(name) as UTF-8 in base64") }
            details.append((String(name), value.isEmpty ? .null : .string(value)))
        }
        self.text = text
        self.details = details
    }
}
