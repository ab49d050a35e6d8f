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

extension IdentifiedStore {
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

    /// Returns a file with the same bytes to which nobody can write any more.
    ///
    /// A process that was lent the descriptor of an unnamed rendition may still hold it. The result is `file` itself,
    /// made read-only, if no other writing descriptor or mapping is left anywhere; otherwise it is a private copy.
    /// Sealing twice is harmless.
    func seal(_ file: MediaFile) throws(MediaError) -> MediaFile {
        try file.requireRegular()
        if try becomeOnlyReader(of: file) { return file }
        let copy = try makeFile(like: file)
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

extension MediaKey {
    /// The place of a rendition.
    ///
    /// - Throws: `invalidFileExtension`.
    static func rendition(
        _ rendition: SealedRendition, fileExtension: String
    ) throws(MediaError) -> MediaKey {
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
        return rendition.key(fileExtension: fileExtension)
    }
}
