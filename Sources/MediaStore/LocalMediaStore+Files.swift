import CLinux
import Glibc

// What originals and renditions have in common. All but `open` and `remove` block.
extension LocalMediaStore {
    /// Holds named unfinished files. Keys cannot have a component that starts with a dot.
    static let unfinishedDirectory = ".unfinished"
    /// After so many seconds an unfinished file belongs to a writer that died.
    static let abandonedAfter: time_t = 24 * 60 * 60

    func directory(of tree: MediaTree) throws(MediaError) -> DirectoryHandle {
        try rootDirectory.subdirectory(tree.rawValue, mode: tree.directoryMode)
    }

    func makeUnfinishedFile(in tree: MediaTree) throws(MediaError) -> MediaFile {
        let directory = try directory(of: tree)
        if unfinishedFiles == .unnamedIfPossible {
            let descriptor = linux_open_unnamed_file(directory.descriptor)
            if descriptor >= 0 {
                // The mode is widened when the file is published.
                fchmod(descriptor, 0o600)
                return MediaFile(adopting: descriptor, name: "unnamed file in \(directory.path)")
            }
            guard errno == EOPNOTSUPP || errno == EISDIR else {
                throw .system("make an unnamed file", path: directory.path)
            }
        }
        return try makeNamedUnfinishedFile(in: directory)
    }

    private func makeNamedUnfinishedFile(in tree: DirectoryHandle) throws(MediaError) -> MediaFile {
        let directory = try tree.subdirectory(Self.unfinishedDirectory, mode: 0o700)
        while true {
            let name = "\(getpid())-" + String(UInt64.random(in: .min ... .max), radix: 36)
            let descriptor = openat(directory.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { throw .system("make a file", path: directory.path) }
            return MediaFile(
                adopting: descriptor, name: "\(directory.path)/\(name)",
                temporary: TemporaryName(directory: directory, name: name))
        }
    }

    /// Makes `file` durable and links it under the name that its digest and `suffix` give it.
    func publish(
        _ file: MediaFile, in tree: MediaTree, digest: SHA256Digest, byteCount: Int64, suffix: String
    ) throws(MediaError) -> MediaKey {
        let hex = digest.hex
        let first = String(hex.prefix(2))
        let second = String(hex.dropFirst(2).prefix(2))
        let key = MediaKey(trusted: "\(tree.rawValue)/\(first)/\(second)/\(hex)\(suffix)")
        try file.persist(mode: tree.fileMode)
        let directory = try directory(of: tree)
            .subdirectory(first, mode: tree.directoryMode)
            .subdirectory(second, mode: tree.directoryMode)
        while true {
            let isLinked =
                if let temporary = file.temporary {
                    linkat(
                        temporary.directory.descriptor, temporary.name, directory.descriptor, hex + suffix, 0)
                        == 0
                } else {
                    linux_link_unnamed_file(file.descriptor, directory.descriptor, hex + suffix) == 0
                }
            if isLinked { break }
            guard errno == EEXIST else { throw .system("name the file", path: key.path) }
            // Where it is removed at this very moment, there is room for ours.
            if try markStored(hex + suffix, byteCount, in: directory, key: key) { break }
        }
        file.temporary?.remove()
        // Also when the file was there: whoever linked it may not have come so far yet.
        try directory.sync()
        return key
    }

    func open(
        _ key: MediaKey, in tree: MediaTree, verifying digest: SHA256Digest?
    ) async throws(MediaError) -> MediaFile {
        guard tree.contains(key) else { throw notFound(key, in: tree) }
        return try await FileThreads.shared.run { () throws(MediaError) in
            let file = MediaFile(adopting: try rootDirectory.openBeneath(key.path), name: key.path)
            try file.requireRegular()
            if let digest, try file.digest() != digest {
                throw MediaError(
                    .hashMismatch, path: key.path,
                    message: "has not the SHA-256 \(digest); restore it from a backup or upload it again")
            }
            return file
        }
    }

    func remove(_ key: MediaKey, from tree: MediaTree) async throws(MediaError) -> Bool {
        guard tree.contains(key), let slash = key.path.lastIndex(of: "/") else { return false }
        let name = String(key.path[key.path.index(after: slash)...])
        return try await FileThreads.shared.run { () throws(MediaError) in
            do throws(MediaError) {
                let directory = try rootDirectory.directory(beneath: String(key.path[..<slash]))
                guard try directory.remove(name) else { return false }
                try directory.sync()
                return true
            } catch {
                if error.code == .notFound { return false }
                throw error
            }
        }
    }

    /// Removes what writers that died have left, which only happens to named unfinished files.
    func removeAbandonedFiles(in tree: DirectoryHandle) throws(MediaError) {
        let directory: DirectoryHandle
        do throws(MediaError) {
            directory = try tree.directory(beneath: Self.unfinishedDirectory)
        } catch {
            if error.code == .notFound { return }
            throw error
        }
        let now = time(nil)
        for name in try directory.entries() {
            var status = stat()
            guard fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                now - status.st_mtim.tv_sec > Self.abandonedAfter
            else { continue }
            _ = try directory.remove(name)
        }
    }

    private func notFound(_ key: MediaKey, in tree: MediaTree) -> MediaError {
        MediaError(
            .notFound, path: key.path,
            message: "no such file: keys of \(tree.rawValue) start with \(tree.rawValue)/")
    }
}
