import Digests
public import FoundationEssentials
import MediaStore
import ObjectStorage

/// An HTTP request that anyone who has it may send, once or more, until it expires.
public struct SignedRequest: Sendable, Hashable, Codable {
    /// `PUT` or `GET`.
    public let method: String
    /// Holds the signature: keep it from logs.
    public let url: String
    /// To be sent with exactly these values.
    public let headers: [String: String]
    public let expires: Date
}

// On a store that phones can reach, photos need not pass through the API.
extension DarkroomClient {
    /// Signs a request with which a phone puts one photo into the object store itself.
    ///
    /// The phone says first which bytes it has. The request stores exactly these, under a key derived from them, until it
    /// expires. When the phone says that it is done, ask ``hasArrived(_:tag:)``, then enqueue the photo. What is uploaded and
    /// never enqueued is removed after `settings.unclaimed_days`, 30 by default.
    ///
    /// ```swift
    /// let (photo, request) = try await darkroom.signUpload(sha256: phone.sha256, byteCount: phone.byteCount)
    /// // The phone sends `request`, with the photo as its body.
    /// guard try await darkroom.hasArrived(photo) else { return .notYet }
    /// let job = try await darkroom.enqueue(photo, details)
    /// ```
    ///
    /// Anyone who knows the SHA-256 and the size of a photo in the store can have it enqueued without having its bytes, unless
    /// you ask ``hasArrived(_:tag:)`` with what the store told the phone. Limit the sizes and the number of requests that you
    /// sign for a person.
    ///
    /// - Parameters:
    ///   - sha256: 64 hexadecimal digits.
    ///   - byteCount: at least 1.
    ///   - lifetime: whole seconds, 1 to 86,400 (a day). Temporary keys to the store may end before. Until it is over, the
    ///     request can store the photo again, even after an erasure.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a digest, size or lifetime out of range, and with `media` if
    ///   the store is a directory or away.
    public func signUpload(
        sha256: String, byteCount: Int64, lifetime: Duration = .seconds(900)
    ) async throws -> (photo: StoredPhoto, request: SignedRequest) {
        guard let digest = SHA256Digest(hex: sha256) else {
            throw DarkroomError(invalid: "the SHA-256 of the photo is not 64 hexadecimal digits")
        }
        guard byteCount > 0 else { throw DarkroomError(invalid: "a photo has at least one byte") }
        let seconds = try Self.seconds(lifetime, longest: 86_400)
        return try await typed {
            let (original, request) = try await media.signUpload(
                sha256: digest, byteCount: byteCount, lifetime: seconds)
            return (StoredPhoto(original), SignedRequest(request))
        }
    }

    /// Whether the photo is in the store, with its size. The job compares its bytes with its SHA-256.
    ///
    /// - Parameter tag: the `ETag` that the phone got from the store when it put the photo; nil to ask for none. Who knows only
    ///   the SHA-256 of a photo does not know it.
    /// - Throws: ``DarkroomError`` with `media` for a key that is none, or if the store is away.
    public func hasArrived(_ photo: StoredPhoto, tag: String? = nil) async throws -> Bool {
        try await typed {
            guard let file = try await media.find(MediaKey(validating: photo.key)) else { return false }
            let given = tag.map { $0.replacing("W/", with: "").filter { $0 != "\"" } }
            return file.byteCount == photo.byteCount && (given == nil || given == file.tag)
        }
    }

    /// Signs a request that reads an original, for its owner: originals have positions that no post shows.
    ///
    /// - Parameters:
    ///   - key: as ``StoredPhoto/key``. Nobody checks here whose it is.
    ///   - lifetime: whole seconds, 1 to 604,800 (a week). Temporary keys to the store may end before.
    public func signDownload(
        ofOriginal key: String, lifetime: Duration = .seconds(900)
    ) async throws -> SignedRequest {
        let seconds = try Self.seconds(lifetime, longest: 604_800)
        return try await typed {
            SignedRequest(try await media.signDownload(of: MediaKey(validating: key), lifetime: seconds))
        }
    }

    private static func seconds(_ lifetime: Duration, longest: Int64) throws -> Int {
        let seconds = lifetime.components.seconds
        guard (1...longest).contains(seconds), lifetime.components.attoseconds == 0 else {
            throw DarkroomError(
                invalid: "the lifetime of this signed request is 1 to \(longest) whole seconds")
        }
        return Int(seconds)
    }
}

extension SignedRequest {
    init(_ request: PresignedRequest) {
        self.init(
            method: request.method, url: request.url, headers: request.headers,
            expires: Date(timeIntervalSince1970: Double(request.expiry)))
    }
}
