import Synchronization
import TestKit
import Testing

@testable import MediaStore

/// What the database has recorded of a store that is moved.
final class MoveRegister: Sendable {
    private let state: Mutex<(identity: String, move: StoreMove?)>
    /// Called each time that it is asked.
    let asked = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ identity: String) { state = Mutex((identity, nil)) }

    func set(_ identity: String, _ stage: StoreMove.Stage?) {
        state.withLock { $0 = (identity, stage.map { StoreMove(stage: $0, location: "/new") }) }
    }

    var answer: RecordedIdentity { state.withLock { .identity($0.identity, move: $0.move) } }

    var record: RecordIdentity {
        { _ in
            defer { self.asked.withLock { $0 }?() }
            return self.answer
        }
    }
}

/// Two places, and a process that has been given both.
struct TwoPlaces: Sendable {
    let old: StorePlace
    let new: StorePlace
    let oldIdentity: String
    let newIdentity: String
    let register: MoveRegister
    let store: MirroredMediaStore

    /// Each of the places alone, whatever the database says.
    let oldStore: any IdentifiedStore
    let newStore: any IdentifiedStore

    init(_ from: StoreKind, _ to: StoreKind) async throws {
        (old, new) = (try await StorePlace(from), try await StorePlace(to))
        oldIdentity = try await old.store().mark(as: Register.proposal())
        newIdentity = try await new.store().mark(as: Register.proposal())
        register = MoveRegister(oldIdentity)
        oldStore = try #require(old.store() as? any IdentifiedStore).recorded(as: oldIdentity)
        newStore = try #require(new.store() as? any IdentifiedStore).recorded(as: newIdentity)
        let record = register.record
        store = MirroredMediaStore(
            try #require(try old.store(with: record) as? any IdentifiedStore),
            try #require(try new.store(with: { _ in .none(proposal: "") }) as? any IdentifiedStore),
            record: record)
    }

    func begin() { register.set(oldIdentity, .underWay(next: newIdentity)) }

    func finish() { register.set(newIdentity, .finished(from: oldIdentity)) }
}

extension StorePlace {
    func store(with record: @escaping RecordIdentity) throws -> any MediaStore {
        guard let bucket else {
            return try LocalMediaStore(location: "\(directory.path)/store", record: record)
        }
        return S3MediaStore(try bucket.client(prefix: "store"), record: record)
    }
}
