import FoundationEssentials
import JobQueue
import MediaStore
import Postgres
import TestKit
import Testing

@testable import Ingestion

@Suite("Whether the store still has what was right before", .timeLimit(.minutes(15)))
struct KnownOriginalsTests {
    /// Publishes posts, takes some of their originals out of the store, and looks.
    private static func found(
        _ wrong: Int, of posts: Int, in kind: StoreKind,
        _ takeOut: (PhotoLibrary, MediaKey) async throws -> Void = { library, key in
            _ = try await library.media.remove(key, storedBefore: .zero)
        }
    ) async throws -> Absence? {
        var found: Absence?
        try await PhotoLibrary.with(kind) { (library: PhotoLibrary) async throws -> Void in
            for number in 0..<posts { try await library.publish("photo \(number)", ["small"]) }
            // One that no worker has read yet says nothing.
            let (_, waiting) = try await library.enqueue("waits")
            let keys = try await library.texts(
                "select original_key from darkroom.uploads order by upload_id = \(waiting) desc, upload_id limit \(wrong + 1)"
            )
            for key in keys { try await takeOut(library, MediaKey(validating: key ?? "")) }
            do { try await Originals(pool: library.pool, media: library.media).prove() } catch let error
                as Absence
            {
                found = error
            }
        }
        return found
    }

    @Test("nobody knows before a post is published", arguments: await StoreKind.exemplary())
    func none(kind: StoreKind) async throws { #expect(try await Self.found(0, of: 0, in: kind) == nil) }

    @Test(
        "it is so if all are there, or if one of many is lost", arguments: await StoreKind.exemplary(),
        [0, 1])
    func right(kind: StoreKind, wrong: Int) async throws {
        #expect(try await Self.found(wrong, of: 8, in: kind) == nil)
    }

    @Test(
        "it is not so if two are missing",
        arguments: await StoreKind.exemplary(),
        [(2, 8), (8, 8), (2, 2)].every(2))
    func missing(kind: StoreKind, count: (wrong: Int, posts: Int)) async throws {
        let absence = try await Self.found(count.wrong, of: count.posts, in: kind)
        #expect(absence?.dependency == .originals && absence?.reason.code == "originals_differ")
        #expect(absence?.reason.message.contains("\(count.wrong) of \(count.posts) originals") == true)
    }

    @Test("it is not so if they have other bytes")
    func damaged() async throws {
        let absence = try await Self.found(3, of: 8, in: .directory) { library, key in
            try Data("other".utf8).write(to: URL(filePath: "\(library.root)/\(key.path)"))
        }
        #expect(absence?.reason.message.contains("3 of 8 originals") == true)
    }

    @Test("one that was erased meanwhile is not missed")
    func erased() async throws {
        let absence = try await Self.found(4, of: 4, in: .directory) { library, key in
            try await library.pool.query(
                "update darkroom.uploads set original_erased_at = now() where original_key = \(key.path)")
            _ = try await library.media.remove(key, storedBefore: .zero)
        }
        #expect(absence == nil)
    }

    @Test("they are of the newest posts and of any age")
    func sample() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(1000)
            var old = 0
            for _ in 0..<10 {
                old += try await database.pool.query(
                    """
                    select from darkroom.known_originals(8) k join darkroom.posts p on p.upload_id = k.upload_id
                    where p.post_id < (select max(post_id) from darkroom.posts) - 500
                    """
                ).count
            }
            // Of 80. Most candidates are among the newest 200, and some 50 of up to 300 are of the older half.
            #expect(old > 0 && old < 60)
        }
    }
}
