import CLinux
import Digests
import Glibc

// Shared by originals and renditions. Everything except `open` blocks.
extension LocalMediaStore {
    /// The directory of named unfinished files. No component of a key can start with a dot.
    static let unfinishedDirectory = ".unfinished"
    /// After this many seconds an unfinished file is assumed to belong to a dead writer.
    static let abandonedAfter: time_t = 24 * 60 * 60

    /// Makes a file in a tree of the store.
    func makeUnfinishedFile(in directory: DirectoryHandle) throws(MediaError) -> MediaFile {
        if unfinishedFiles == .unnamedIfPossible {
            let descriptor = linux_open_unnamed_file(directory.descriptor)
            if descriptor >= 0 {
                // The mode is widened when the file is published.
                fchmod(descriptor, 0o600)
                return MediaFile(
                    adopting: descriptor, name: "unnamed file in \(directory.path)", tree: directory)
            }
            guard errno == EOPNOTSUPP || errno == EISDIR else {
                throw .system("make an unnamed file", path: directory.path)
            }
        }
        return try makeNamedUnfinishedFile(in: directory)
    }

    private func makeNamedUnfinishedFile(in tree: DirectoryHandle) throws(MediaError) -> MediaFile {
        // Several users of a group may store photos.
        let directory = try tree.subdirectory(Self.unfinishedDirectory, mode: 0o770)
        while true {
            let name = "\(getpid())-" + String(UInt64.random(in: .min ... .max), radix: 36)
            let descriptor = openat(directory.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { throw .system("make a file", path: directory.path) }
            return MediaFile(
                adopting: descriptor, name: "\(directory.path)/\(name)", tree: tree,
                temporary: TemporaryName(directory: directory, name: name))
        }
    }

    /// Makes `file` durable and links it under the name derived from its digest and `suffix`.
    func publish(
        _ file: MediaFile, in tree: MediaTree, of root: DirectoryHandle, digest: SHA256Digest, suffix: String
    ) throws(MediaError) -> MediaKey {
        let key = MediaKey(of: digest, in: tree, suffix: suffix)
        try publish(file, as: key, in: tree, of: root, digest: digest)
        return key
    }

    func publish(
        _ file: MediaFile, as key: MediaKey, in tree: MediaTree, of root: DirectoryHandle,
        digest: SHA256Digest
    ) throws(MediaError) {
        try file.persist(mode: tree.fileMode)
        var directory = try root.tree(tree)
        let components = key.path.split(separator: "/")
        let name = String(components[components.count - 1])
        for component in components.dropFirst().dropLast() {
            directory = try directory.subdirectory(String(component), mode: tree.directoryMode)
        }
        while true {
            if try link(file, to: name, in: directory) { break }
            // If the file is removed at this very moment, there is room for ours.
            if try markStored(name, digest, as: file, in: directory, key: key) { break }
        }
        file.temporary?.remove()
        // Also if the file was there already: the writer that linked it may not have synced the directory yet.
        try directory.sync()
        try requireStillThere(root)
    }

    /// Gives a finished file a name; false if the name is taken.
    func link(
        _ file: MediaFile, to name: String, in directory: DirectoryHandle
    ) throws(MediaError) -> Bool {
        let isLinked =
            if let temporary = file.temporary {
                linkat(temporary.directory.descriptor, temporary.name, directory.descriptor, name, 0) == 0
            } else {
                linux_link_unnamed_file(file.descriptor, directory.descriptor, name) == 0
            }
        guard isLinked || errno == EEXIST else {
            throw .system("name the file", path: "\(directory.path)/\(name)")
        }
        return isLinked
    }

    func open(_ key: MediaKey, in tree: MediaTree) async throws(MediaError) -> MediaFile {
        guard tree.contains(key) else { throw notFound(key, in: tree) }
        return try await inStore { (root) throws(MediaError) in
            let file = MediaFile(adopting: try root.openBeneath(key.path), name: key.path)
            try file.requireRegular()
            return file
        }
    }

    /// Removes leftovers of dead writers. Only named unfinished files can be left over.
    func removeAbandonedFiles(in tree: MediaTree, of root: DirectoryHandle) throws(MediaError) {
        let directory: DirectoryHandle
        do throws(MediaError) {
            directory = try root.directory(beneath: "\(tree.rawValue)/\(Self.unfinishedDirectory)")
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
