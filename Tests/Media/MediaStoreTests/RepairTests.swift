import Digests
import Glibc
import TestKit
import Testing

@testable import MediaStore

@Suite("A damaged file that is stored again", .timeLimit(.minutes(15)))
struct RepairTests {
    private static func storeAgain(
        _ content: [UInt8], _ tree: MediaTree, _ store: LocalMediaStore
    ) async throws -> MediaKey {
        if tree == .originals { return try await store.putOriginal(bytes: content).key }
        let file = try await store.makeUnnamedRendition()
        #expect(write(file.descriptor, content, content.count) == content.count)
        return try await store.sealAndPublish(file, fileExtension: "jpg").key
    }

    @Test(
        "has the right bytes again, and readers see the old or the new file at any time",
        arguments: MediaTree.allCases, FileDamage.allCases)
    func repaired(tree: MediaTree, damage: FileDamage) async throws {
        for way in bothWays {
            let directory = try TemporaryDirectory()
            let store = try LocalMediaStore(location: directory.path, unfinishedFiles: way)
            let content = bytes(5000, seed: 9)
            let key = try await Self.storeAgain(content, tree, store)
            try damage.happen(to: store.path(of: key))
            let reader = open(store.path(of: key), O_RDONLY | O_CLOEXEC)
            defer { close(reader) }
            #expect(try await Self.storeAgain(content, tree, store) == key, "\(way)")
            #expect(try await store.open(key, in: tree).bytes(atMost: 5000) == content, "\(way)")
            #expect(try mode(of: store.path(of: key)) == tree.fileMode)
            #expect(try files(below: directory.path, unfinished: true) == [key.path], "\(way)")
            let read = try await store.readBack(key)
            #expect(read.byteCount == 5000 && read.sha256 == SHA256Digest(hashing: content))
            if damage != .missing {
                var status = stat()
                #expect(fstat(reader, &status) == 0 && status.st_nlink == 0, "it was replaced, not changed")
            }
        }
    }

    @Test("is left alone if it is sound", arguments: MediaTree.allCases)
    func sound(tree: MediaTree) async throws {
        let directory = try TemporaryDirectory()
        let store = try LocalMediaStore(location: directory.path)
        let key = try await Self.storeAgain([1, 2, 3], tree, store)
        func inode() throws -> UInt64 {
            var status = stat()
            try #require(stat(store.path(of: key), &status) == 0)
            return UInt64(status.st_ino)
        }
        let before = try inode()
        #expect(try await Self.storeAgain([1, 2, 3], tree, store) == key)
        #expect(try inode() == before)
    }
}
