import Digests
import FoundationEssentials

/// Says that a person was given a request to store one photo, and when.
///
/// `TIME.BYTES.SHA256.MAC`, where the MAC is the HMAC-SHA-256, by the server's link key, of `upload`, the person, and the rest,
/// each on a line. So any server with the key can check it, and nobody else can use it.
struct UploadTicket: Sendable {
    let sha256: SHA256Digest
    /// Of the photo.
    let byteCount: Int64
    /// In seconds since 1970.
    let issued: Int64

    init(sha256: SHA256Digest, byteCount: Int64, issued: Int64) {
        self.sha256 = sha256
        self.byteCount = byteCount
        self.issued = issued
    }

    /// Nil for a text that was not given to `person`.
    init?(_ text: String, of person: String, key: [UInt8]) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let issued = Int64(parts[0]), let byteCount = Int64(parts[1]),
            let sha256 = SHA256Digest(hex: parts[2]), let given = SHA256Digest(hex: parts[3])
        else { return nil }
        self.init(sha256: sha256, byteCount: byteCount, issued: issued)
        guard given.isEqualInConstantTime(to: mac(of: person, key: key)),
            text == self.text(for: person, key: key)
        else { return nil }
    }

    func text(for person: String, key: [UInt8]) -> String { "\(plain).\(mac(of: person, key: key).hex)" }

    private var plain: String { "\(issued).\(byteCount).\(sha256.hex)" }

    private func mac(of person: String, key: [UInt8]) -> SHA256Digest {
        SHA256Digest(authenticating: "upload\n\(person)\n\(plain)".utf8, key: key)
    }
}
