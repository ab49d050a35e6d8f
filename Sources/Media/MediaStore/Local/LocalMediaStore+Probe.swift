// Do what jobs do with the store, to see whether jobs would succeed.
extension LocalMediaStore {
    /// Sees whether the disk responds to writing, before this process writes to it.
    ///
    /// - Throws: `noResponse`.
    package func requireResponse() async throws(MediaError) {
        try await touch.requireResponse(of: root)
    }

    package func probeReading(isNeeded: Bool) async throws(MediaError) {
        try await probe(isNeeded: isNeeded) { () async throws(MediaError) in
            try await inStore { (_) throws(MediaError) in }
        }
    }

    /// Writes a file that has no name, flushes it to the disk, and reads it.
    ///
    /// A full disk often has room for an empty file, or for a small one.
    package func probeWriting(isNeeded: Bool) async throws(MediaError) {
        try await probe(isNeeded: isNeeded) { () async throws(MediaError) in
            try await inStore { (root) throws(MediaError) in
                try makeUnfinishedFile(in: root.tree(.renditions)).tryOut()
            }
        }
    }

    /// File systems do all that is needed, or probes fail.
    package func examine() -> [StoreFinding] { [] }
}
