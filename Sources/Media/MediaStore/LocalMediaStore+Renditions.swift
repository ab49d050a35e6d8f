import CLinux
import Glibc

/// A rendition in the store.
package struct StoredRendition: Hashable, Sendable {
    package let key: MediaKey
    package let sha256: SHA256Digest
    package let byteCount: Int64
}

extension LocalMediaStore {
    /// Makes a file without a name for a rendition to be written to, open for reading and writing.
    ///
    /// The file vanishes with its last descriptor unless it is published. One quick system call, so not
    /// async.
    package func makeUnnamedRendition() throws(MediaError) -> MediaFile {
        try makeUnfinishedFile(in: .renditions)
    }

    /// Returns a file with the same bytes to which nobody can write any more.
    ///
    /// Whoever was lent the descriptor of an unnamed rendition may still hold it. Seal the file before
    /// checking its contents, else they can change after the check. This is `file` itself, made
    /// read-only, when no other writing descriptor or mapping is left anywhere; else a private copy.
    /// Sealing twice is harmless.
    package func sealRendition(_ file: MediaFile) async throws(MediaError) -> MediaFile {
        try await FileThreads.shared.run { () throws(MediaError) in try seal(file) }
    }

    /// Seals `file` and gives it its name: the hash of its bytes and `fileExtension`.
    ///
    /// `fileExtension` is 1 to 8 lower-case letters or digits, without a dot. The rendition is on the
    /// disk, readable by everybody, when this returns.
    package func publishRendition(
        _ file: MediaFile, fileExtension: String
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
        return try await FileThreads.shared.run { () throws(MediaError) in
            let sealed = try seal(file)
            let digest = try sealed.digest()
            let byteCount = try sealed.byteCount()
            let key = try publish(
                sealed, in: .renditions, digest: digest, byteCount: byteCount, suffix: "." + fileExtension)
            return StoredRendition(key: key, sha256: digest, byteCount: byteCount)
        }
    }

    /// Opens the rendition with `key` for reading; errors as those of `openOriginal(_:verifying:)`.
    package func openRendition(
        _ key: MediaKey, verifying digest: SHA256Digest? = nil
    ) async throws(MediaError) -> MediaFile {
        try await open(key, in: .renditions, verifying: digest)
    }

    private func seal(_ file: MediaFile) throws(MediaError) -> MediaFile {
        try file.requireRegular()
        if try becomeOnlyReader(of: file) { return file }
        let copy = try makeUnfinishedFile(in: .renditions)
        try file.forEachChunk { (chunk) throws(MediaError) in try copy.append(chunk) }
        return copy
    }

    /// Makes the descriptor read-only; true when the kernel confirms that no writer is left.
    private func becomeOnlyReader(of file: MediaFile) throws(MediaError) -> Bool {
        // A file that somebody else has named can be opened for writing again.
        guard try file.status().st_nlink == (file.temporary == nil ? 0 : 1) else { return false }
        return linux_become_only_reader(file.descriptor) == 0
    }
}
