import Glibc
import PlainText

// An unmounted disk leaves an empty directory, in which every file is absent. The marker tells it from the store,
// where an absent file was really deleted.
extension LocalMediaStore {
    static let marker = ".darkroom-store"

    /// The store's random name, 16 hexadecimal digits; nil until something has been stored.
    ///
    /// Programs that must work on the same store can compare this name.
    package func identity() async throws(MediaError) -> String? {
        try await FileThreads.shared.run { () throws(MediaError) in
            guard try hasMarker() else { return nil }
            let directory = try directory(of: .originals)
            let file = MediaFile(
                adopting: try directory.openBeneath(Self.marker), name: "\(directory.path)/\(Self.marker)")
            try file.requireRegular()
            var text: [UInt8] = []
            try file.forEachChunk { (chunk) throws(MediaError) in text += chunk.prefix(16) }
            return String(decoding: text.prefix(16), as: UTF8.self)
        }
    }

    func requireMarker() throws(MediaError) {
        guard try !hasMarker() else { return }
        throw MediaError(
            .neverUsed, path: root,
            message:
                "nothing was ever stored here, so no file is treated as deleted: mount the right disk, "
                + "or set DARKROOM_MEDIA to the store")
    }

    private func hasMarker() throws(MediaError) -> Bool {
        let directory = try directory(of: .originals)
        if faccessat(directory.descriptor, Self.marker, F_OK, 0) == 0 { return true }
        guard errno == ENOENT else { throw .system("look for the marker in", path: directory.path) }
        return false
    }

    /// Creates the marker if it is missing.
    func bearMarker() throws(MediaError) {
        do throws(MediaError) {
            guard try !hasMarker() else { return }
            let file = try makeUnfinishedFile(in: .originals)
            let text = UInt64.random(in: .min ... .max).hexadecimal + "\n"
            let written: Result<Void, MediaError> = Array(text.utf8).withUnsafeBytes { bytes in
                Result { () throws(MediaError) in try file.append(bytes) }
            }
            try written.get()
            try file.persist(mode: 0o644)
            let directory = try directory(of: .originals)
            // Another process may just have created it.
            _ = try link(file, to: Self.marker, in: directory)
            file.temporary?.remove()
            try directory.sync()
        } catch {
            // A process that may not write originals only stores renditions.
            guard error.code == .permissionDenied else { throw error }
        }
    }

    /// Whether any file or directory for files exists, except unfinished files.
    func holdsFiles() throws(MediaError) -> Bool {
        for tree in MediaTree.allCases {
            if try directory(of: tree).entries().contains(where: { !$0.hasPrefix(".") }) { return true }
        }
        return false
    }
}
