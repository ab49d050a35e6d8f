import Digests
import FoundationEssentials

/// A link to a picture that is valid until it expires: for caches that cannot ask.
///
/// `?expires=SECONDS&signature=HEX`, where the signature is the HMAC-SHA-256, by the server's link key, of the media key, a line
/// feed, and the digits of `expires`.
package enum PictureLink {
    package static func signature(of mediaKey: String, expires: Int64, key: [UInt8]) -> String {
        SHA256Digest(authenticating: "\(mediaKey)\n\(expires)".utf8, key: key).hex
    }

    /// Whether the link is valid at `now`, in seconds since 1970.
    static func isValid(_ mediaKey: String, expires: String, signature: String, key: [UInt8], now: Int64)
        -> Bool
    {
        guard let end = Int64(expires), String(end) == expires, end > now,
            let given = SHA256Digest(hex: signature)
        else { return false }
        return SHA256Digest(authenticating: "\(mediaKey)\n\(end)".utf8, key: key).isEqualInConstantTime(
            to: given)
    }
}
