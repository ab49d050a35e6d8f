import CLinux
package import Digests
import Glibc

/// A rendition whose bytes were checked and hashed, and to which nobody can write any more.
package struct SealedRendition: Sendable {
    let file: MediaFile
    package let sha256: SHA256Digest
    package let byteCount: Int64

    /// The name that ``MediaStore/publishRendition(_:fileExtension:ended:)`` gives it.
    package func key(fileExtension: String) -> MediaKey {
        MediaKey(of: sha256, in: .renditions, suffix: "." + fileExtension)
    }

    fileprivate init(file: MediaFile, sha256: SHA256Digest, byteCount: Int64) {
        self.file = file
        self.sha256 = sha256
        self.byteCount = byteCount
    }
}

/// A rendition in the store.
package struct StoredRendition: Hashable, Sendable {
    package let key: MediaKey
    package let sha256: SHA256Digest
    package let byteCount: Int64
}

extension LocalMediaStore {
    /// The file vanishes with its last descriptor unless it is published.
    package func makeUnnamedRendition() async throws(MediaError) -> MediaFile {
        try await inStore { (root) throws(MediaError) in try makeUnfinishedFile(in: root.tree(.renditions)) }
    }

    package func sealRendition(
        _ file: MediaFile, atMost limit: Int, _ check: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> SealedRendition {
        let sealed = try seal(file)
        return try sealed.bytes(atMost: limit).withUnsafeBytes { bytes in
            try check(bytes)
            return SealedRendition(
                file: sealed, sha256: SHA256Digest(hashing: bytes), byteCount: Int64(bytes.count))
        }
    }

    /// When this returns, the rendition is on the disk and everyone can read it.
    package func publishRendition(
        _ rendition: SealedRendition, fileExtension: String, ended: @escaping @Sendable () -> Void
    ) async throws(MediaError) -> StoredRendition {
        guard (1...8).contains(fileExtension.utf8.count),
            fileExtension.utf8.allSatisfy({
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            })
        else {
            throw MediaError(
                .invalidFileExtension, path: fileExtension,
                message: "is not a file extension; use 1 to 8 lower-case letters or digits, such as jpg")
        }
        return try await inStore { (root) throws(MediaError) in
            defer { ended() }
            let key = try publish(
                rendition.file, in: .renditions, of: root, digest: rendition.sha256,
                suffix: "." + fileExtension)
            return StoredRendition(key: key, sha256: rendition.sha256, byteCount: rendition.byteCount)
        }
    }

    /// Returns a file with the same bytes to which nobody can write any more.
    ///
    /// A process that was lent the descriptor of an unnamed rendition may still hold it. The result is `file` itself,
    /// made read-only, if no other writing descriptor or mapping is left anywhere; otherwise it is a private copy.
    /// Sealing twice is harmless.
    func seal(_ file: MediaFile) throws(MediaError) -> MediaFile {
        try file.requireRegular()
        if try becomeOnlyReader(of: file) { return file }
        guard let tree = file.tree else {
            throw MediaError(.io, path: file.name, message: "was not made by a media store")
        }
        let copy = try makeUnfinishedFile(in: tree)
        try file.forEachChunk { (chunk) throws(MediaError) in try copy.append(chunk) }
        return copy
    }

    /// Makes the descriptor read-only; true if the kernel confirms that no writer is left.
    private func becomeOnlyReader(of file: MediaFile) throws(MediaError) -> Bool {
        // A file that somebody else has named can be opened for writing again.
        guard try file.status().st_nlink == (file.temporary == nil ? 0 : 1) else { return false }
        return linux_become_only_reader(file.descriptor) == 0
    }
}
