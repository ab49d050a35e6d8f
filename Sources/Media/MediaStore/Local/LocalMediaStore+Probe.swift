import Glibc

// Do what jobs do with the store, to see whether jobs would succeed.
extension LocalMediaStore {
    /// Sees whether the disk responds to writing, before this process writes to it.
    ///
    /// - Throws: `noResponse`.
    package func requireResponse() async throws(MediaError) {
        try await touch.requireResponse(of: root)
    }

    package func probeReading(isNeeded: Bool) async throws(MediaError) {
        try await probe(isNeeded: isNeeded) { (_) throws(MediaError) in }
    }

    /// Writes a file that has no name, flushes it to the disk, and reads it.
    ///
    /// A full disk often has room for an empty file, or for a small one.
    package func probeWriting(isNeeded: Bool) async throws(MediaError) {
        try await probe(isNeeded: isNeeded) { (root) throws(MediaError) in
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

    private func probe(
        isNeeded: Bool, _ body: @escaping @Sendable (DirectoryHandle) throws(MediaError) -> Void
    ) async throws(MediaError) {
        try await requireResponse()
        do throws(MediaError) {
            if try await check() != nil || isNeeded { try await inStore(body) }
        } catch {
            // The database says for itself whether it is away.
            guard error.code == .unconfirmed else { throw error }
        }
    }

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
