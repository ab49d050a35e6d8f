import DarkroomClient
import Digests
import Imaging
import MediaStore

/// A photo on its way into the store, refused as soon as it is known to be none.
struct Arrival {
    /// As many bytes as say which format it is.
    private static let headBytes = 256

    private let limits: UploadLimits
    private var original: ArrivingOriginal?
    private var head: [UInt8] = []
    private(set) var byteCount: Int64 = 0

    init(_ limits: UploadLimits) { self.limits = limits }

    /// - Parameter announced: the size that the client has announced, if it has.
    /// - Throws: `Problem` if that is too much.
    func requireFit(_ announced: Int64?) throws(Problem) {
        guard let announced, announced > limits.bytes else { return }
        throw Problem(
            .tooLarge, "The photo has \(announced) bytes; at most \(limits.bytes) are accepted.",
            reason: "too_many_bytes")
    }

    mutating func take(_ bytes: [UInt8], _ store: any MediaStore) async throws {
        guard !bytes.isEmpty else { return }
        byteCount += Int64(bytes.count)
        guard byteCount <= limits.bytes else {
            throw Problem(
                .tooLarge, "The photo has more than \(limits.bytes) bytes.", reason: "too_many_bytes")
        }
        do {
            if let original { return try await original.append(bytes) }
            head += bytes
            guard head.count >= Self.headBytes else { return }
            try await open(store)
        } catch let error as MediaError {
            throw Problem(error)
        }
    }

    /// Looks at the first bytes before anything is written.
    private mutating func open(_ store: any MediaStore) async throws {
        let format = head.withUnsafeBytes { bytes in
            Result { () throws(PhotoRejection) in try Sniffing.format(of: bytes) }
        }
        if case .failure(let rejection) = format {
            throw Problem(.unsupportedType, rejection.message, reason: rejection.code.rawValue)
        }
        let original = try await ArrivingOriginal(in: store)
        try await original.append(head)
        head = []
        self.original = original
    }

    mutating func finish(_ store: any MediaStore) async throws -> StoredPhoto {
        do {
            if original == nil { try await open(store) }
            guard let original else { throw Problem(.internal, "The photo was not written.") }
            let stored = try await original.finish()
            return StoredPhoto(key: stored.key.path, sha256: stored.sha256.hex, byteCount: stored.byteCount)
        } catch let error as MediaError {
            throw Problem(error)
        }
    }
}

extension Problem {
    /// A fault of the store is never the uploader's.
    init(_ error: MediaError) {
        self.init(
            .unavailable,
            error.code == .noSpace
                ? "The store is full. Send the photo again later."
                : "The store does not respond now. Send the request again later.", retryAfter: 10)
    }
}
