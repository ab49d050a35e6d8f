import Glibc
import Synchronization
import Testing

@testable import MediaStore

/// What the database has recorded.
final class Register: Sendable {
    private let identity: Mutex<String?>

    init(_ identity: String? = nil) { self.identity = Mutex(identity) }

    var recorded: String? { identity.withLock { $0 } }

    func adopt(_ new: String) { identity.withLock { $0 = new } }

    var record: RecordIdentity {
        { found in
            self.identity.withLock { identity in
                if found?.hasPrefix(Self.installation) == true { identity = identity ?? found }
                return identity.map { .identity($0) } ?? .none(proposal: Self.proposal())
            }
        }
    }

    private static let installation = "00c0ffee"

    static func proposal() -> String {
        installation + String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
    }
}

/// What the path of a store leads to.
enum StoreState: String, CaseIterable {
    /// Nothing is there.
    case absent
    /// An empty directory, as without the disk.
    case empty
    /// Another store, which has the same files.
    case foreign
    /// The same files without the marker.
    case unmarked
    case right
    /// The same store, after each of the other states.
    case rightAgain
    /// A copy of the store with its marker.
    case copied

    var isRight: Bool { [.right, .rightAgain, .copied].contains(self) }
}

/// Every call of a store.
enum StoreCall: String, CaseIterable {
    case check, putOriginal, putOriginalFromFile, openOriginal, openMissing, makeUnnamedRendition
    case publishRendition, remove, removeMissing, contains, containsMissing, walk
}

/// A store whose path a test lets lead elsewhere.
struct MovingStore {
    static let photo: [UInt8] = [1, 2, 3]
    let directory: TemporaryDirectory
    let register: Register
    /// An instance that has used the store before.
    let store: LocalMediaStore
    let key: MediaKey
    let path: String

    init(_ way: LocalMediaStore.UnfinishedFiles = .unnamedIfPossible) async throws {
        directory = try TemporaryDirectory()
        register = Register()
        path = "\(directory.path)/store"
        store = try LocalMediaStore(location: path, unfinishedFiles: way, record: register.record)
        key = try await store.putOriginal(bytes: Self.photo).key
    }

    /// An instance of another process.
    func another() throws -> LocalMediaStore {
        try LocalMediaStore(
            location: path, unfinishedFiles: store.unfinishedFiles, record: register.record)
    }

    /// Where the right store is while the path leads elsewhere.
    var away: String { "\(directory.path)/away" }

    func copy(_ from: String, to: String) throws {
        try #require(mkdir(to, 0o755) == 0)
        for name in try DirectoryHandle(opening: from).entries() {
            let (old, new) = ("\(from)/\(name)", "\(to)/\(name)")
            var status = stat()
            try #require(lstat(old, &status) == 0)
            if status.st_mode & S_IFMT == S_IFDIR {
                try copy(old, to: new)
            } else {
                try #require(link(old, new) == 0)
            }
        }
    }

    func enter(_ state: StoreState) async throws {
        func moveAway() throws { try #require(rename(path, away) == 0) }
        switch state {
        case .right: break
        case .absent: try moveAway()
        case .empty:
            try moveAway()
            try #require(mkdir(path, 0o755) == 0)
        case .foreign:
            try moveAway()
            _ = try await LocalMediaStore(location: path).putOriginal(bytes: Self.photo)
        case .unmarked:
            try moveAway()
            try copy(away, to: path)
            try #require(unlink("\(path)/originals/\(StoreMarker.name)") == 0)
        case .copied:
            try moveAway()
            try copy(away, to: path)
        case .rightAgain:
            for (number, other) in StoreState.allCases.filter({ !$0.isRight }).enumerated() {
                try await enter(other)
                await #expect(throws: MediaError.self) { try await store.openOriginal(key) }
                rename(path, "\(directory.path)/was-\(number)")
                try #require(rename(away, path) == 0)
            }
        }
    }
}

/// In a type of its own, with typed closures out of the way of the table.
struct StoreCalls {
    let scene: MovingStore
    let store: LocalMediaStore
    let photoPath: String
    let sealed: SealedRendition
    let missing: MediaKey

    /// Whether the call did what it does in the right store.
    func make(_ call: StoreCall) async throws -> Bool {
        switch call {
        case .check: return try await store.check() == scene.register.recorded
        case .putOriginal: return try await store.putOriginal(bytes: MovingStore.photo).key == scene.key
        case .putOriginalFromFile: return try await store.putOriginal(fromFile: photoPath).byteCount == 2
        case .openOriginal: return try await store.openOriginal(scene.key).byteCount() == 3
        case .openMissing:
            do throws(MediaError) {
                _ = try await store.openOriginal(missing)
                return false
            } catch {
                if error.code == .notFound { return true }
                throw error
            }
        case .makeUnnamedRendition: return try await store.makeUnnamedRendition().byteCount() == 0
        case .publishRendition:
            return try await store.publishRendition(sealed, fileExtension: "jpg").byteCount == 1
        case .remove: return try await store.remove(scene.key, storedBefore: .zero) == .removed
        case .removeMissing: return try await store.remove(missing, storedBefore: .zero) == .absent
        case .contains: return try await store.contains(scene.key)
        case .containsMissing: return try await !store.contains(missing)
        case .walk:
            var walk = store.walk()
            var found: [MediaKey] = []
            while let files = try await walk.next() { found += files.map(\.key) }
            return found == [scene.key]
        }
    }
}

@Suite("Each call of a store", .timeLimit(.minutes(15)))
struct StoreStateTests {
    @Test(
        "works in the recorded store only, whatever its path leads to now, and harms nothing else",
        arguments: StoreState.allCases, bothWays)
    func table(state: StoreState, way: LocalMediaStore.UnfinishedFiles) async throws {
        for call in StoreCall.allCases {
            for isNew in [false, true] {
                let scene = try await MovingStore(way)
                let file = try await scene.store.makeUnnamedRendition()
                #expect(write(file.descriptor, [9], 1) == 1)
                let sealed = try scene.store.sealRendition(file, atMost: 1) { _ in }
                try await scene.enter(state)
                let calls = StoreCalls(
                    scene: scene, store: isNew ? try scene.another() : scene.store,
                    photoPath: try scene.directory.write([4, 5], to: "photo.jpg"), sealed: sealed,
                    missing: try MediaKey(validating: "originals/00/00/0000"))
                let before = try Self.everything(in: scene)
                let about = "\(call) in a store that is \(state), \(way), new: \(isNew)"
                if state.isRight {
                    #expect(try await calls.make(call), "\(about)")
                    continue
                }
                let error = await #expect(throws: MediaError.self, "\(about)") {
                    try await calls.make(call)
                }
                #expect(error?.code == .unavailable, "\(about)")
                #expect(error?.message.contains(try #require(scene.register.recorded)) == true, "\(about)")
                #expect(error?.message.contains("mount the right disk") == true, "\(about)")
                #expect(try Self.everything(in: scene) == before, "\(about)")
            }
        }
    }

    /// The names of all files, with markers and unfinished files.
    private static func everything(in scene: MovingStore) throws -> [String] {
        func walk(_ path: String) throws -> [String] {
            var status = stat()
            guard lstat(path, &status) == 0 else { return [] }
            guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
            return try [path]
                + DirectoryHandle(opening: path).entries().sorted().flatMap { try walk("\(path)/\($0)") }
        }
        return try walk(scene.directory.path)
    }
}
