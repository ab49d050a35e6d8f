import PlainText
import Synchronization

// An unmounted disk leaves an empty directory, in which every file is absent; and another disk may be mounted at the
// same path. So a store has an identity, in a marker and in the database, and nothing is read, written or called
// missing unless both are the same.

/// What each kind of store does in its own way, for what all do in the same way.
protocol IdentifiedStore: MediaStore {
    var record: RecordIdentity { get }
    var known: KnownIdentity { get }

    /// Whether any original or rendition is there, whatever store it is.
    func holdsFiles() async throws(MediaError) -> Bool

    /// Throws `unavailable` if the store that is there now is not the one with this identity.
    func require(_ identity: String) async throws(MediaError)

    /// The same store; its calls ask nobody for its identity.
    func recorded(as identity: String) -> Self

    /// Makes an unnamed file next to `file`. Blocks.
    func makeFile(like file: MediaFile) throws(MediaError) -> MediaFile
}

/// The file `originals/.darkroom-store`: 16 hexadecimal digits and a line feed.
enum StoreMarker {
    static let name = ".darkroom-store"
    static let path = "\(MediaTree.originals.rawValue)/\(name)"
    /// More than any marker has; in bytes.
    static let limit = 64

    static func contents(_ identity: String) -> [UInt8] { Array("\(identity)\n".utf8) }

    /// The identity in a marker with these bytes.
    ///
    /// - Throws: `unavailable` if there is none: nothing says that this is the store.
    static func identity(in contents: [UInt8], path: String) throws(MediaError) -> String {
        let text = String(decoding: contents, as: UTF8.self)
        let identity = text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard identity.utf8.count == 16, UInt64(identity, radix: 16)?.hexadecimal == identity else {
            throw MediaError(
                .unavailable, path: path,
                message:
                    "is not a file with the identity of a media store: restore it, or remove it and run "
                    + "'darkroom store adopt'")
        }
        return identity
    }
}

extension IdentifiedStore {
    @discardableResult
    package func check() async throws(MediaError) -> String? { try await settle(storing: false) }

    /// Calls `body` with the identity of the store, to which `body` compares what is there.
    ///
    /// The database is asked if an original is to be stored, if the identity is not the one that it recorded before, or
    /// if `body` misses a file: another store may have been adopted since.
    ///
    /// - Parameter storing: whether an original is to be stored, and the store made if the database has recorded none.
    func withIdentity<Value: Sendable>(
        storing: Bool, _ body: (String) async throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        // What is stored is stored for long: another store may have been adopted since the last look.
        if !storing, let identity = known.identity {
            do throws(MediaError) {
                return try await body(identity)
            } catch {
                guard error.code == .unavailable || error.code == .notFound else { throw error }
            }
        }
        guard let identity = try await settle(storing: storing) else {
            throw MediaError(
                .unavailable, path: location,
                message: "nothing was ever stored here: mount the right disk, or set DARKROOM_MEDIA")
        }
        return try await body(identity)
    }

    /// Asks the database which store is the right one, and compares.
    private func settle(storing: Bool) async throws(MediaError) -> String? {
        let found = try await identity()
        var answer = try await ask(found)
        // Other programs store originals too, and know nothing of markers.
        if case .none(let proposal) = answer, storing ? true : try await holdsFiles() {
            // The marker comes first: if this process dies before the identity is recorded, the next one finds it.
            let marked = try await mark(as: proposal)
            answer = try await ask(marked)
            // Another database's sweep would delete what this one stores, and this one's sweep the other's.
            guard answer.identity != nil else {
                throw MediaError(
                    .unavailable, path: location,
                    message:
                        "is the media store \(marked) of another database: set DARKROOM_MEDIA to a place of its "
                        + "own, or run 'darkroom store adopt' if this database replaces the other one")
            }
        }
        known.identity = answer.identity
        guard let recorded = answer.identity else { return nil }
        try await require(recorded)
        return recorded
    }

    package func recorded(as record: RecordedIdentity) async throws(MediaError) -> Self {
        guard let identity = record.identity else { throw .unknownStore(location) }
        return recorded(as: identity)
    }

    private func ask(_ found: String?) async throws(MediaError) -> RecordedIdentity {
        do {
            return try await record(found)
        } catch {
            throw .unconfirmed(location, error)
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

extension MediaError {
    static func unconfirmed(_ location: String, _ error: any Error) -> MediaError {
        MediaError(
            .unconfirmed, path: location,
            message: "could not ask the database whether this is its media store: \(error)",
            cause: MediaError.Cause(error: error))
    }

    static func unknownStore(_ location: String) -> MediaError {
        MediaError(
            .unavailable, path: location,
            message: "the database knows no media store: mount its disk, or set DARKROOM_MEDIA to the store")
    }
}
