package import Digests
import Glibc

extension LocalMediaStore {
    /// Reads the whole file from the disk, to see which bytes it really has.
    ///
    /// - Throws: `io` with `EIO` if the disk cannot read it, and what opening a file throws.
    package func readBack(
        _ key: MediaKey
    ) async throws(MediaError) -> (byteCount: Int64, sha256: SHA256Digest) {
        try await inStore { (root) throws(MediaError) in
            let file = MediaFile(adopting: try root.openBeneath(key.path), name: key.path)
            try file.requireRegular()
            // What memory still holds says nothing of the disk. Nor should a sweep crowd out what readers need.
            file.forgetCached()
            defer { file.forgetCached() }
            return (try file.byteCount(), try file.digest())
        }
    }
}

extension MediaFile {
    /// Drops the file's pages from memory, except those that still have to be written or are in use.
    fileprivate func forgetCached() { _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }
}
