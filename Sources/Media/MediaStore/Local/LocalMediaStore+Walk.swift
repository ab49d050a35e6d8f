import Glibc

/// A walk of one directory at a time.
private struct LocalMediaWalk: MediaWalk {
    private let store: LocalMediaStore
    /// Directories still to be read, relative to the root; the next one is the last.
    private var pending: [String]
    /// The directory where an earlier walk ended.
    private let start: [Substring]
    /// The directory that was read last. Directories are read in the order of their components.
    private(set) var position: String?

    init(_ store: LocalMediaStore, after position: String?) {
        self.store = store
        start = position?.split(separator: "/") ?? []
        self.position = position
        pending = MediaTree.allCases.map(\.rawValue).sorted(by: >)
    }

    /// Whether an earlier walk was here and in all that is below.
    private func isPassed(_ directory: String) -> Bool {
        let components = directory.split(separator: "/")
        return !start.starts(with: components) && components.lexicographicallyPrecedes(start)
    }

    private mutating func pass(_ directory: String) {
        if !start.starts(with: directory.split(separator: "/")) { position = directory }
    }

    mutating func next() async throws(MediaError) -> [StoredFile]? {
        guard let path = pending.popLast() else { return nil }
        guard !isPassed(path) else { return [] }
        do throws(MediaError) {
            let found = try await store.inStore { [store] (root) throws(MediaError) in
                try store.list(path, of: root)
            }
            pending += found.directories.filter { !isPassed($0) }
            pass(path)
            return found.files
        } catch {
            // The rest of a directory that cannot be read cannot be reached.
            if !error.concernsWholeStore { pass(path) }
            if error.code == .notFound { return [] }
            throw error
        }
    }
}

extension LocalMediaStore {
    package func walk(after position: String?) -> any MediaWalk { LocalMediaWalk(self, after: position) }

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
