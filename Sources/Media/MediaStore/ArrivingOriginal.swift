import Digests
import Synchronization

/// A photo that is arriving, piece by piece: it is hashed while it is written, and is not in the store before it is whole.
///
/// What is written vanishes with the last reference, unless it was stored. One task writes.
package final class ArrivingOriginal: Sendable {
    private let store: any MediaStore
    private let file: MediaFile
    private let written = Mutex(Written())

    private struct Written: ~Copyable {
        var hasher: SHA256Hasher? = SHA256Hasher()
        var byteCount: Int64 = 0
    }

    package init(in store: any MediaStore) async throws(MediaError) {
        self.store = store
        file = try await store.makeArrivingOriginal()
    }

    /// Writes the next piece.
    package func append(_ bytes: [UInt8]) async throws(MediaError) {
        try await FileThreads.shared.run { [self] () throws(MediaError) in
            written.withLock { written in
                bytes.withUnsafeBytes { all in written.hasher?.update(all) }
                written.byteCount += Int64(bytes.count)
            }
            try file.append(bytes)
        }
    }

    /// Stores what was written, durably. Nothing can be written after that.
    package func finish() async throws(MediaError) -> StoredOriginal {
        let (digest, byteCount) = written.withLock { written in
            (written.hasher.take()?.finish(), written.byteCount)
        }
        guard let digest else { throw MediaError(.io, path: file.name, message: "was stored already") }
        return try await store.publishOriginal(file, sha256: digest, byteCount: byteCount)
    }
}
