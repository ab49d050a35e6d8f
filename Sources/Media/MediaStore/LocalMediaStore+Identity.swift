import Glibc
import PlainText
import Synchronization

// An unmounted disk leaves an empty directory, in which every file is absent; and another disk may be mounted at the
// same path. So a store has an identity, in a marker and in the database, and nothing is read, written or called
// missing unless both are the same.
extension LocalMediaStore {
    static let marker = ".darkroom-store"

    /// Checks what each job needs: that the path leads to the store that the database has recorded.
    ///
    /// - Returns: the identity of the store. Nil if none exists yet: the database has recorded none, and the directory
    ///   holds no files. The first original makes it.
    /// - Throws: `unavailable` for another, an empty or an absent directory; `unconfirmed` if the database cannot be
    ///   asked; and errors of the file system.
    @discardableResult
    package func check() async throws(MediaError) -> String? { try await settle(storing: false) }

    /// The identity in the marker of the directory to which the path leads now; nil without a marker or directory.
    package func identity() async throws(MediaError) -> String? {
        try await FileThreads.shared.run { () throws(MediaError) in try look().identity }
    }

    /// Gives the directory a marker if it has none, and makes the directory if it is missing.
    ///
    /// Nothing else makes markers. Only call it if the database has recorded no store, or if an operator says that this
    /// is the store.
    ///
    /// - Parameter proposal: 16 hexadecimal digits, from the database.
    /// - Returns: the identity in the marker.
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
        try file.append(Array("\(proposal)\n".utf8))
        try file.persist(mode: 0o644)
        // Another process may just have made it: then its identity counts.
        _ = try link(file, to: Self.marker, in: originals)
        file.temporary?.remove()
        try originals.sync()
        guard let identity = try directory.identity() else {
            throw MediaError(.unavailable, path: root, message: "lost its new marker: try again")
        }
        return identity
    }

    /// Calls `body` with the store's directory, on a thread for files.
    ///
    /// The path is followed again each time: a disk may have been mounted or unmounted, or a directory replaced. The
    /// database is asked if an original is to be stored, if the identity is not the one that it recorded before, or if
    /// `body` misses a file: another store may have been adopted since.
    ///
    /// - Parameter storing: whether an original is to be stored, and the store made if the database has recorded none.
    func inStore<Value: Sendable>(
        storing: Bool = false,
        _ body: @escaping @Sendable (DirectoryHandle) throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        // What is stored is stored for long: another store may have been adopted since the last look.
        if !storing, let identity = known.identity {
            do throws(MediaError) {
                return try await run(body, in: identity)
            } catch {
                guard error.code == .unavailable || error.code == .notFound else { throw error }
            }
        }
        guard let identity = try await settle(storing: storing) else {
            throw MediaError(
                .unavailable, path: root,
                message: "nothing was ever stored here: mount the right disk, or set DARKROOM_MEDIA")
        }
        return try await run(body, in: identity)
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

    /// Asks the database which store is the right one, and compares.
    private func settle(storing: Bool) async throws(MediaError) -> String? {
        let found = try await identity()
        var answer = try await ask(found)
        if case .none(let proposal) = answer, try await isStore(storing: storing) {
            // The marker comes first: if this process dies before the identity is recorded, the next one finds it.
            let marked = try await mark(as: proposal)
            answer = try await ask(marked)
            // Another database's sweep would delete what this one stores, and this one's sweep the other's.
            guard answer.identity != nil else {
                throw MediaError(
                    .unavailable, path: root,
                    message:
                        "is the media store \(marked) of another database: set DARKROOM_MEDIA to a directory of its "
                        + "own, or run 'darkroom store adopt' if this database replaces the other one")
            }
        }
        known.identity = answer.identity
        guard let recorded = answer.identity else { return nil }
        try await FileThreads.shared.run { () throws(MediaError) in
            let directory = try requireStore(recorded)
            guard known.isFirstUse() else { return }
            for tree in MediaTree.allCases { try removeAbandonedFiles(in: tree, of: directory) }
        }
        return recorded
    }

    /// Other programs store originals too, and know nothing of markers.
    private func isStore(storing: Bool) async throws(MediaError) -> Bool {
        if storing { return true }
        return try await FileThreads.shared.run { () throws(MediaError) in
            try look().directory?.holdsFiles() ?? false
        }
    }

    private func ask(_ found: String?) async throws(MediaError) -> Recorded {
        do {
            return try await record(found)
        } catch {
            throw MediaError(
                .unconfirmed, path: root,
                message: "could not ask the database whether this is its media store: \(error)",
                cause: MediaError.Cause(error: error))
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

/// What a process knows of a store.
final class KnownIdentity: Sendable {
    private let state: Mutex<(identity: String?, isUsed: Bool)>

    init() { state = Mutex((nil, false)) }

    init(_ identity: String) { state = Mutex((identity, true)) }

    /// The recorded identity when the database was last asked.
    var identity: String? {
        get { state.withLock { $0.identity } }
        set { state.withLock { $0.identity = newValue } }
    }

    /// True once.
    func isFirstUse() -> Bool {
        state.withLock { state in
            defer { state.isUsed = true }
            return !state.isUsed
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
        let path = "\(MediaTree.originals.rawValue)/\(LocalMediaStore.marker)"
        let name = "\(self.path)/\(path)"
        let found: [UInt8]
        do throws(MediaError) {
            let marker = MediaFile(adopting: try openBeneath(path), name: name)
            try marker.requireRegular()
            found = try marker.byteCount() <= 64 ? marker.bytes(atMost: 64) : []
        } catch {
            switch error.code {
            case .notFound: return nil
            case .leadsElsewhere:
                throw MediaError(.unavailable, path: error.path, message: error.message)
            case .notARegularFile: found = []
            default: throw error
            }
        }
        let text = String(decoding: found, as: UTF8.self)
        let identity = text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard identity.utf8.count == 16, UInt64(identity, radix: 16)?.hexadecimal == identity else {
            throw MediaError(
                .unavailable, path: name,
                message:
                    "is not a file with the identity of a media store: restore it, or remove it and run "
                    + "'darkroom store adopt'")
        }
        return identity
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
