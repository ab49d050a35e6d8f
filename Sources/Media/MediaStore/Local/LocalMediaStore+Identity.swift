import Glibc

extension LocalMediaStore {
    /// The identity in the marker of the directory to which the path leads now; nil without a marker or directory.
    package func identity() async throws(MediaError) -> String? {
        try await FileThreads.shared.run { () throws(MediaError) in try look().identity }
    }

    /// Makes the directory too if it is missing.
    package func mark(as proposal: String) async throws(MediaError) -> String {
        try await FileThreads.shared.run { () throws(MediaError) in try makeMarker(proposal) }
    }

    /// Blocks.
    func makeMarker(_ proposal: String) throws(MediaError) -> String {
        try makeDirectories(root)
        let directory = try DirectoryHandle(opening: root)
        if let identity = try directory.identity() { return identity }
        let originals = try directory.tree(.originals)
        let file = try makeUnfinishedFile(in: originals)
        try file.append(StoreMarker.contents(proposal))
        try file.persist(mode: 0o644)
        // Another process may just have made it: then its identity counts.
        _ = try link(file, to: StoreMarker.name, in: originals)
        file.temporary?.remove()
        try originals.sync()
        guard let identity = try directory.identity() else {
            throw MediaError(.unavailable, path: root, message: "lost its new marker: try again")
        }
        return identity
    }

    /// Calls `body` with the store's directory, on a thread for files.
    ///
    /// The path is followed again each time: a disk may have been mounted or unmounted, or a directory replaced.
    ///
    /// - Parameter storing: whether an original is to be stored, and the store made if the database has recorded none.
    func inStore<Value: Sendable>(
        storing: Bool = false,
        _ body: @escaping @Sendable (DirectoryHandle) throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        try await withIdentity(storing: storing) { (identity) throws(MediaError) in
            try await run(body, in: identity)
        }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (DirectoryHandle) throws(MediaError) -> Value, in identity: String
    ) async throws(MediaError) -> Value {
        try await FileThreads.shared.run { () throws(MediaError) in
            let directory = try requireStore(identity)
            do throws(MediaError) {
                return try body(directory)
            } catch {
                // A file is at fault only if its store is still there, and is not itself a link or on several disks.
                if error.code == .notFound || error.code == .leadsElsewhere {
                    _ = try requireStore(identity)
                }
                throw error
            }
        }
    }

    func holdsFiles() async throws(MediaError) -> Bool {
        try await FileThreads.shared.run { () throws(MediaError) in
            try look().directory?.holdsFiles() ?? false
        }
    }

    func require(_ identity: String) async throws(MediaError) {
        try await FileThreads.shared.run { () throws(MediaError) in
            let directory = try requireStore(identity)
            guard known.isFirstUse() else { return }
            for tree in MediaTree.allCases { try removeAbandonedFiles(in: tree, of: directory) }
        }
    }

    /// The directory to which the path leads now, and what its marker says.
    private struct Found {
        /// Nil if there is none.
        let directory: DirectoryHandle?
        let identity: String?
    }

    private func look() throws(MediaError) -> Found {
        let directory: DirectoryHandle
        do throws(MediaError) {
            directory = try DirectoryHandle(opening: root)
        } catch {
            guard error.code == .notFound else { throw error }
            return Found(directory: nil, identity: nil)
        }
        return Found(directory: directory, identity: try directory.identity())
    }

    /// The directory to which the path leads now, if it is the store with this identity.
    private func requireStore(_ identity: String) throws(MediaError) -> DirectoryHandle {
        let found = try look()
        if let directory = found.directory, found.identity == identity { return directory }
        let what =
            if let other = found.identity {
                "is the media store \(other)"
            } else if found.directory != nil {
                "has no marker of a media store, like the mount point of a disk that is not mounted"
            } else {
                "is no directory"
            }
        throw MediaError(
            .unavailable, path: root,
            message: "\(what), and the database's media store is \(identity): mount the right disk, or set "
                + "DARKROOM_MEDIA. If the store was moved here on purpose, run 'darkroom store adopt'")
    }

    /// Throws `unavailable` if the path leads to another directory by now.
    func requireStillThere(_ directory: DirectoryHandle) throws(MediaError) {
        guard let now = try look().directory, try now.isSame(as: directory) else {
            throw MediaError(
                .unavailable, path: root, message: "was replaced while a file was being stored: try again")
        }
    }
}

// The layout of a store.
extension DirectoryHandle {
    func tree(_ tree: MediaTree) throws(MediaError) -> DirectoryHandle {
        try subdirectory(tree.rawValue, mode: tree.directoryMode)
    }

    /// The 16 hexadecimal digits in the marker; nil if there is no marker.
    ///
    /// - Throws: `unavailable` if the marker is something else than a file with an identity: nothing says that this is
    ///   the store.
    func identity() throws(MediaError) -> String? {
        let name = "\(self.path)/\(StoreMarker.path)"
        let found: [UInt8]
        do throws(MediaError) {
            let marker = MediaFile(adopting: try openBeneath(StoreMarker.path), name: name)
            try marker.requireRegular()
            let limit = StoreMarker.limit
            found = try marker.byteCount() <= limit ? marker.bytes(atMost: limit) : []
        } catch {
            switch error.code {
            case .notFound: return nil
            case .leadsElsewhere:
                throw MediaError(.unavailable, path: error.path, message: error.message)
            case .notARegularFile: found = []
            default: throw error
            }
        }
        return try StoreMarker.identity(in: found, path: name)
    }

    /// Whether it has any file or directory for files, except unfinished files.
    func holdsFiles() throws(MediaError) -> Bool {
        for tree in MediaTree.allCases {
            do throws(MediaError) {
                let names = try directory(beneath: tree.rawValue).entries()
                if names.contains(where: { !$0.hasPrefix(".") }) { return true }
            } catch {
                guard error.code == .notFound else { throw error }
            }
        }
        return false
    }
}
