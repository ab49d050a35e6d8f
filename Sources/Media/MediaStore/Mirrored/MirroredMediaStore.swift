import Synchronization

/// Two places for one media store, while it is being moved from one to the other.
///
/// Before and after a move, one of the two is the recorded store, and the other one is left alone. While the database says
/// that a move is under way:
///
/// - originals and renditions are stored in both, durably, before a call returns;
/// - what is missing in the recorded store is looked for in the other one. A store that is away is not asked to be replaced by the
///   other: then the call fails as with one store;
/// - files are removed from both.
///
/// For a while after a move, an original that came to the old place late is still found there.
///
/// Which place is which is found out from their markers: after a move the configuration may stay as it is.
package struct MirroredMediaStore: SealingStore {
    let first: any IdentifiedStore
    let second: any IdentifiedStore
    let record: RecordIdentity
    let known: KnownStores
    /// Renditions are written to it, and copied from it to each place.
    let scratch: ScratchDirectory
    /// Inside a transaction, what it has read.
    let fixed: Stores?

    /// - Parameters:
    ///   - first: the store of `DARKROOM_MEDIA`, which asks the database itself: so it becomes the store if there is none yet.
    ///   - second: the store of `DARKROOM_MEDIA_NEXT`.
    init(_ first: any IdentifiedStore, _ second: any IdentifiedStore, record: @escaping RecordIdentity) {
        self.first = first
        self.second = second
        self.record = record
        known = KnownStores()
        scratch = ScratchDirectory()
        fixed = nil
    }

    private init(_ store: MirroredMediaStore, _ stores: Stores) {
        first = store.first
        second = store.second
        record = store.record
        known = store.known
        scratch = store.scratch
        fixed = stores
    }

    package var location: String { "\(first.location), next to \(second.location)" }

    package var nextIdentity: String? { known.nextIdentity ?? "" }

    package func recorded(as record: RecordedIdentity) async throws(MediaError) -> MirroredMediaStore {
        guard record.identity != nil else { throw .unknownStore(location) }
        if let stores = known.stores, stores.answer.isSame(as: record) {
            return MirroredMediaStore(self, stores)
        }
        return MirroredMediaStore(self, try await resolve(record))
    }
}

/// What each of the two places is.
struct Stores: Sendable {
    let answer: RecordedIdentity
    let recorded: any MediaStore
    /// During a move, the next store; after it, the one before.
    let other: (any MediaStore)?

    /// The other one, if files must be in both.
    var mirror: (any MediaStore)? { answer.move?.next == nil ? nil : other }

    var both: [any MediaStore] { [recorded] + (mirror.map { [$0] } ?? []) }
}

/// What a process knows of the two places.
final class KnownStores: Sendable {
    private let state = Mutex<(stores: Stores?, nextIdentity: String?)>((nil, nil))

    /// When the database was last asked.
    var stores: Stores? {
        get { state.withLock { $0.stores } }
        set { state.withLock { $0.stores = newValue } }
    }

    var nextIdentity: String? {
        get { state.withLock { $0.nextIdentity } }
        set { state.withLock { $0.nextIdentity = newValue } }
    }
}
