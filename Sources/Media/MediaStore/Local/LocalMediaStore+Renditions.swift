extension LocalMediaStore {
    /// The file vanishes with its last descriptor unless it is published.
    package func makeUnnamedRendition() async throws(MediaError) -> MediaFile {
        try await inStore { (root) throws(MediaError) in try makeUnfinishedFile(in: root.tree(.renditions)) }
    }

    func makeFile(like file: MediaFile) throws(MediaError) -> MediaFile {
        guard let tree = file.tree else {
            throw MediaError(.io, path: file.name, message: "was not made by a media store")
        }
        return try makeUnfinishedFile(in: tree)
    }

    /// When this returns, the rendition is on the disk and everyone can read it.
    package func publishRendition(
        _ rendition: SealedRendition, fileExtension: String, ended: @escaping @Sendable () -> Void
    ) async throws(MediaError) -> StoredRendition {
        _ = try MediaKey.rendition(rendition, fileExtension: fileExtension)
        return try await inStore { (root) throws(MediaError) in
            defer { ended() }
            let key = try publish(
                rendition.file, in: .renditions, of: root, digest: rendition.sha256,
                suffix: "." + fileExtension)
            return StoredRendition(key: key, sha256: rendition.sha256, byteCount: rendition.byteCount)
        }
    }
}
