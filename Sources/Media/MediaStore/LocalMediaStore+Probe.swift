import Glibc

// Do what jobs do with the store, to see whether jobs would succeed.
extension LocalMediaStore {
    /// - Throws: what reading an original would throw if the store is away.
    package func probeReading() async throws(MediaError) { _ = try await isInUse() }

    /// Writes a file that has no name, flushes it to the disk, and reads it.
    ///
    /// A full disk often has room for an empty file, or for a small one.
    package func probeWriting() async throws(MediaError) {
        guard try await isInUse() else { return }
        try await inStore { (root) throws(MediaError) in
            let file = try makeUnfinishedFile(in: root.tree(.renditions))
            let bytes = [UInt8](repeating: 0xA5, count: 128 * 1024)
            try file.append(bytes)
            try file.persist(mode: 0o600)
            guard try file.bytes(atMost: bytes.count) == bytes else {
                throw MediaError(
                    .io, path: file.name,
                    message: "does not have the bytes that were written; look at the disk")
            }
        }
    }

    /// Whether it is there. False if it is not used yet, or if the database cannot say which store is the right one.
    private func isInUse() async throws(MediaError) -> Bool {
        do throws(MediaError) {
            return try await check() != nil
        } catch {
            guard error.code == .unconfirmed else { throw error }
            return false
        }
    }

    /// Opens as many files at once as a few photos need.
    package func probeDescriptors() throws(MediaError) {
        var opened: [CInt] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<32 {
            let descriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .system("open one more file", path: "/dev/null") }
            opened.append(descriptor)
        }
    }
}
