import Glibc
import Testing

@testable import MediaStore

/// A symbolic link in the place of a directory or file of the store. What it points to is the same that was there, so
/// that following it would succeed.
@Suite("A symbolic link inside the store", .timeLimit(.minutes(15)))
struct LinkTests {
    /// How many components of a file's path lead to the link.
    static let depths = [1, 2, 3, 4]

    enum Target: CaseIterable {
        /// A place inside the store, next to the link.
        case beside
        /// The same place, by its absolute path.
        case absolute
        /// A place outside the store.
        case outside
    }

    struct Scene {
        let directory: TemporaryDirectory
        let store: LocalMediaStore
        let key: MediaKey
        let bytes: [UInt8] = [1, 2, 3]
        let link: String
        /// What the link points to.
        let moved: String

        init(_ tree: MediaTree, depth: Int, _ target: Target, _ way: LocalMediaStore.UnfinishedFiles)
            async throws
        {
            directory = try TemporaryDirectory()
            store = try LocalMediaStore(location: directory.path + "/store", unfinishedFiles: way)
            key = try await Self.store(bytes, in: tree, of: store)
            link = "\(store.root)/" + key.path.split(separator: "/").prefix(depth).joined(separator: "/")
            moved = target == .outside ? "\(directory.path)/moved" : "\(link)-moved"
            try #require(rename(link, moved) == 0)
            let name = String(moved.split(separator: "/").last ?? "")
            try #require(symlink(target == .beside ? name : moved, link) == 0)
        }

        static func store(_ bytes: [UInt8], in tree: MediaTree, of store: LocalMediaStore) async throws
            -> MediaKey
        {
            if tree == .originals { return try await store.putOriginal(bytes: bytes).key }
            let file = try await store.makeUnnamedRendition()
            #expect(write(file.descriptor, bytes, bytes.count) == bytes.count)
            return try await store.sealAndPublish(file, fileExtension: "jpg").key
        }

        /// The link, and all that it leads to with the times of the last changes.
        func state() throws -> [String] {
            func look(_ path: String) throws -> [String] {
                var status = stat()
                try #require(lstat(path, &status) == 0)
                let line =
                    "\(path) \(status.st_mode) \(status.st_size) \(status.st_ctim.tv_sec) \(status.st_ctim.tv_nsec)"
                guard status.st_mode & S_IFMT == S_IFDIR else { return [line] }
                let names = try DirectoryHandle(opening: path).entries()
                return try [line]
                    + names.sorted().filter { !$0.hasPrefix(".") }.flatMap { try look("\(path)/\($0)") }
            }
            return try look(link) + look(moved)
        }
    }

    @Test("is never followed, whatever is done", arguments: MediaTree.allCases, depths)
    func refused(tree: MediaTree, depth: Int) async throws {
        for target in Target.allCases {
            for way in bothWays {
                let scene = try await Scene(tree, depth: depth, target, way)
                let (store, key) = (scene.store, scene.key)
                let before = try scene.state()
                let calls: [(String, () async throws -> Void)] = [
                    ("open", { _ = try await store.open(key, in: tree) }),
                    ("contains", { _ = try await store.contains(key) }),
                    ("remove", { _ = try await store.remove(key, storedBefore: .zero) }),
                    ("store", { _ = try await Scene.store(scene.bytes, in: tree, of: store) }),
                ]
                for (name, call) in calls {
                    let error = await #expect(throws: MediaError.self, "\(name), \(target), \(way)") {
                        try await call()
                    }
                    // A link in the place of the originals hides the marker, so nothing says that this is the store.
                    let code =
                        tree == .originals && depth == 1 ? MediaError.Code.unavailable : .leadsElsewhere
                    #expect(error?.code == code, "\(name), \(target), \(way)")
                }
                var walk = store.walk()
                var found: [MediaKey] = []
                do {
                    while let files = try await walk.next() { found += files.map(\.key) }
                } catch {
                    #expect(depth == 1 && [.leadsElsewhere, .unavailable].contains(error.code))
                }
                #expect(!found.contains(key), "\(target), \(way)")
                #expect(try scene.state() == before, "\(target), \(way)")
            }
        }
    }

    @Test("is no directory of unfinished files either", arguments: MediaTree.allCases)
    func unfinished(tree: MediaTree) async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/store"
        let store = try LocalMediaStore(location: path, unfinishedFiles: .named)
        try #require(mkdir("\(directory.path)/elsewhere", 0o700) == 0)
        mkdir("\(path)/\(tree.rawValue)", 0o700)
        rmdir("\(path)/\(tree.rawValue)/.unfinished")
        try #require(symlink("../../elsewhere", "\(path)/\(tree.rawValue)/.unfinished") == 0)
        let error = await #expect(throws: MediaError.self) {
            _ = try await Scene.store([1], in: tree, of: store)
        }
        #expect(error?.code == .leadsElsewhere)
        #expect(try DirectoryHandle(opening: "\(directory.path)/elsewhere").entries() == [])
        let reopening = await #expect(throws: MediaError.self) {
            try await LocalMediaStore(location: path).check()
        }
        #expect(reopening?.code == .leadsElsewhere)
    }

    @Test("to a tree keeps the store from being used", arguments: MediaTree.allCases)
    func reopened(tree: MediaTree) async throws {
        let scene = try await Scene(tree, depth: 1, .beside, .unnamedIfPossible)
        let error = await #expect(throws: MediaError.self) {
            try await LocalMediaStore(location: scene.store.root).check()
        }
        #expect(error?.code == (tree == .originals ? .unavailable : .leadsElsewhere))
        #expect(error?.message.contains("replace the link") == true)
    }
}
