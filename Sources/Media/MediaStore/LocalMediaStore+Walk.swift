import Glibc

/// A file found by a walk through the store.
package struct StoredFile: Hashable, Sendable {
    package let key: MediaKey
    package let byteCount: Int64
    /// The time since it was last stored.
    package let age: Duration
}

/// Walks through all finished files of a store, one directory at a time, so it only keeps one directory in memory.
///
/// Files that come or go meanwhile may or may not be found.
package struct MediaWalk: Sendable {
    private let store: LocalMediaStore
    /// Directories still to be read, relative to the root.
    private var pending: [String]

    init(_ store: LocalMediaStore) {
        self.store = store
        pending = MediaTree.allCases.map(\.rawValue).sorted()
    }

    /// The files of the next directory; nil at the end.
    package mutating func next() async throws(MediaError) -> [StoredFile]? {
        guard let path = pending.popLast() else { return nil }
        do throws(MediaError) {
            let found = try await store.inStore { [store] (root) throws(MediaError) in
                try store.list(path, of: root)
            }
            pending += found.directories
            return found.files
        } catch {
            if error.code == .notFound { return [] }
            throw error
        }
    }
}

extension LocalMediaStore {
    /// A walk through originals and renditions.
    package func walk() -> MediaWalk { MediaWalk(self) }

    fileprivate func list(
        _ path: String, of root: DirectoryHandle
    ) throws(MediaError) -> (directories: [String], files: [StoredFile]) {
        let directory = try root.directory(beneath: path)
        var directories: [String] = []
        var files: [StoredFile] = []
        for name in try directory.entries() {
            // Anything that is not a key, such as an unfinished file, is not part of the store.
            guard let key = try? MediaKey(validating: "\(path)/\(name)") else { continue }
            var status = stat()
            guard fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: directories.append(key.path)
            case S_IFREG:
                files.append(
                    StoredFile(
                        key: key, byteCount: Int64(status.st_size), age: timeSinceStored(status)))
            default: continue
            }
        }
        return (directories.sorted(by: >), files)
    }
}
