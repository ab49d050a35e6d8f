package import Digests

extension LocalMediaStore {
    package func openFile(_ key: MediaKey) async throws(MediaError) -> OpenedOriginal {
        let file = try await open(key, in: key.tree ?? .originals)
        return OpenedOriginal(
            file: file, byteCount: try file.byteCount(), sha256: try await file.sha256())
    }

    package func storeCopy(
        of file: MediaFile, as key: MediaKey, sha256: SHA256Digest, byteCount: Int64,
        ended: @escaping @Sendable () -> Void
    ) async throws(MediaError) {
        let tree = try key.requireTree()
        try await inStore { (root) throws(MediaError) in
            defer { ended() }
            let copy = try makeUnfinishedFile(in: root.tree(tree))
            let hasher = SHA256Hasher()
            try file.forEachChunk { (chunk) throws(MediaError) in
                hasher.update(chunk)
                try copy.append(chunk)
            }
            guard hasher.finish() == sha256 else { throw .changed(key) }
            try publish(copy, as: key, in: tree, of: root, digest: sha256)
        }
    }
}

extension MediaKey {
    /// The tree that it is in; nil if no store has such a file.
    var tree: MediaTree? { MediaTree.allCases.first { $0.contains(self) } }

    /// - Throws: `keyEscapesStore`.
    func requireTree() throws(MediaError) -> MediaTree {
        if let tree { return tree }
        throw MediaError(
            .keyEscapesStore, path: path,
            message: "is no key of a file: those begin with originals/ or renditions/")
    }

    /// The SHA-256 that its name tells; nil if its name is something else, as other programs may choose for originals.
    package var sha256: SHA256Digest? {
        let name = path.split(separator: "/").last?.split(separator: ".").first
        return name.flatMap { SHA256Digest(hex: String($0)) }
    }
}

extension MediaError {
    static func changed(_ key: MediaKey) -> MediaError {
        MediaError(.io, path: key.path, message: "other bytes were read the second time; look at the disk")
    }
}
