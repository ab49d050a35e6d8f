import Glibc

/// A walk of one directory at a time.
private struct LocalMediaWalk: MediaWalk {
    private let store: LocalMediaStore
    /// Directories still to be read, relative to the root; the next one is the last.
    private var pending: [String]

    init(_ store: LocalMediaStore) {
        self.store = store
        pending = MediaTree.allCases.map(\.rawValue).sorted(by: >)
    }

    mutating func next() async throws(MediaError) -> [StoredFile]? {
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
    package func walk() -> any MediaWalk { LocalMediaWalk(self) }

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
