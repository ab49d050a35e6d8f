import Glibc

// Do what jobs do with the store, to see whether jobs would succeed.
extension IdentifiedStore {
    /// Calls `body` if the store is in use, or should be.
    func probe(
        isNeeded: Bool, _ body: () async throws(MediaError) -> Void
    ) async throws(MediaError) {
        try await requireResponse()
        do throws(MediaError) {
            if try await check() != nil || isNeeded { try await body() }
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

extension MediaFile {
    /// More than a full disk often still takes.
    static let trialBytes = [UInt8](repeating: 0xA5, count: 128 * 1024)

    /// Writes to the new file, flushes it to the disk, and reads it.
    func tryOut() throws(MediaError) {
        try append(Self.trialBytes)
        try persist(mode: 0o600)
        guard try bytes(atMost: Self.trialBytes.count) == Self.trialBytes else {
            throw MediaError(
                .io, path: name, message: "does not have the bytes that were written; look at the disk")
        }
    }
}
