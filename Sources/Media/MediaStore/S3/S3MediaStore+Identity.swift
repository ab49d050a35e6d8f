import ObjectStorage
import Synchronization

/// What a process saw in the marker of a store when it last looked.
final class SeenMarker: Sendable {
    private let last = Mutex<(identity: String?, at: ContinuousClock.Instant)?>(nil)

    /// A bucket is not unmounted, but somebody may empty it or point its name elsewhere. Within this time a process stores
    /// and removes without looking again. It is longer than the pause between two probes of a worker, which look too, and
    /// shorter than anyone takes to adopt another store and use it.
    static let patience = Duration.seconds(10)

    func note(_ identity: String?) { last.withLock { $0 = (identity, .now) } }

    /// Nil without a marker, and before the first look.
    var identity: String? { last.withLock { $0?.identity } }

    /// Whether it was this identity, a moment ago.
    func isNow(_ identity: String) -> Bool {
        last.withLock { last in
            guard let last, last.identity == identity else { return false }
            return last.at.duration(to: .now) < Self.patience
        }
    }
}

extension S3MediaStore {
    package func identity() async throws(MediaError) -> String? {
        let found = try await readMarker()
        seen.note(found)
        return found
    }

    private func readMarker() async throws(MediaError) -> String? {
        let key = try name(StoreMarker.path)
        let contents: [UInt8]
        do {
            contents = try await objects.bytes(of: key, atMost: StoreMarker.limit)
        } catch let error as ObjectStoreError where error.code == .notFound {
            return nil
        } catch let error as ObjectStoreError where error.code == .tooLarge {
            contents = []
        } catch {
            throw MediaError(error, path: location)
        }
        return try StoreMarker.identity(in: contents, path: StoreMarker.path)
    }

    // Several processes may mark a new store at once, each with a proposal of its own, and the last one's marker stays.
    // The database records one of them. Each has also left a trace under a key of its own, so that a process that then finds
    // another marker can tell whether the recorded one was made here too, and put it back. All who do so write the same.

    package func mark(as proposal: String) async throws(MediaError) -> String {
        if let identity = try await identity() { return identity }
        let contents = StoreMarker.contents(proposal)
        for path in [Self.trace(of: proposal), StoreMarker.path] {
            let key = try name(path)
            try await request { try await objects.put(key, bytes: contents) }
        }
        guard let identity = try await identity() else {
            throw MediaError(
                .unavailable, path: location,
                message: "does not have the marker that was just put there: look at the store")
        }
        return identity
    }

    /// That a process has marked this store with an identity.
    private static func trace(of identity: String) -> String { "\(StoreMarker.path)-\(identity)" }

    /// Whether `found` was proposed by the database that proposed `identity`, at the same time.
    private func isRival(_ found: String, of identity: String) async throws(MediaError) -> Bool {
        // The first half is the database's own.
        guard found.prefix(8) == identity.prefix(8) else { return false }
        let key = try name(Self.trace(of: identity))
        return try await request { try await objects.head(key) != nil }
    }

    func require(_ identity: String) async throws(MediaError) {
        guard !seen.isNow(identity) else { return }
        try await compare(with: identity)
    }

    /// Looks at the marker.
    private func compare(with identity: String) async throws(MediaError) {
        let found = try await self.identity()
        guard found != identity else { return }
        if let found, try await isRival(found, of: identity) {
            let key = try name(StoreMarker.path)
            try await request { try await objects.put(key, bytes: StoreMarker.contents(identity)) }
            return seen.note(identity)
        }
        let what = found.map { "is the media store \($0)" } ?? "has no marker of a media store"
        throw MediaError(
            .unavailable, path: location,
            message: "\(what), and the database's media store is \(identity): correct bucket and prefix in "
                + "DARKROOM_MEDIA, or restore the bucket. If the store was moved here on purpose, run 'darkroom store adopt'"
        )
    }

    /// Throws `unavailable` if the marker is not the one that this process saw last: what gives other bytes than expected may
    /// be no store at all, but something on the way to it.
    func requireSameMarker() async throws(MediaError) {
        let before = seen.identity
        guard try await identity() == before, before != nil else {
            throw MediaError(
                .unavailable, path: location, message: "its marker has changed just now: look at the store")
        }
    }

    /// Calls `body`, which reads, when this process has seen the right marker once; or which stores or removes, when it has
    /// just seen it. What is missing is missing only in the right store, so `notFound` is a reason to look again.
    func inStore<Value: Sendable>(
        storing: Bool = false, changing: Bool = false, _ body: () async throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        try await withIdentity(storing: storing) { (identity) async throws(MediaError) -> Value in
            if changing ? !seen.isNow(identity) : seen.identity != identity {
                try await compare(with: identity)
            }
            do throws(MediaError) {
                return try await body()
            } catch {
                if error.code == .notFound { try await compare(with: identity) }
                throw error
            }
        }
    }

    func holdsFiles() async throws(MediaError) -> Bool {
        for tree in MediaTree.allCases {
            let page = try await request { try await objects.list(prefix: "\(tree.rawValue)/", atMost: 100) }
            if page.items.contains(where: { (try? MediaKey(validating: $0.key.text)) != nil }) { return true }
        }
        return false
    }
}
