import Glibc
import Imaging
import JobQueue
import JobStore
import MediaStore
import Postgres
import Posts
import Telemetry
import TestKit
import Testing

@testable import Ingestion

@Suite("A media store that is not there", .timeLimit(.minutes(15)))
struct StoreFaultTests {
    /// What is in its place.
    enum Place: String, CaseIterable {
        case nothing
        /// As without the disk.
        case emptyDirectory
        case anotherStore
    }

    private static func takeAway(_ library: PhotoLibrary, leaving place: Place) async throws {
        let root = library.root
        try #require(rename(root, root + "-away") == 0)
        switch place {
        case .nothing: break
        case .emptyDirectory: try #require(mkdir(root, 0o755) == 0)
        case .anotherStore:
            let other = try LocalMediaStore(location: root) { found in
                found.map { .identity($0) } ?? .none(proposal: "0123456789abcdef")
            }
            _ = try await other.putOriginal(bytes: [1])
        }
    }

    private static func bringBack(_ library: PhotoLibrary) throws {
        let root = library.root
        rename(root, root + "-wrong")
        try #require(rename(root + "-away", root) == 0)
    }

    private static func expectStorageUnavailable(
        _ about: Comment? = nil, _ body: () async throws -> Void
    ) async {
        let error = await #expect(throws: AttemptError.self, about) { try await body() }
        guard case .systemFault(let reason)? = error?.failure else {
            Issue.record("it is blamed on others: \(String(describing: error))")
            return
        }
        #expect(reason.code == "storage_unavailable", about)
        #expect(reason.message.contains("mount the right disk"), about)
    }

    private static func maker(_ library: PhotoLibrary) -> RenditionMaker {
        RenditionMaker(
            media: library.media, renderers: RendererPool(executable: "/nowhere", size: 1),
            recipe: Recipe.standard)
    }

    @Test("rejects no photo, and its photos are found when it is back", arguments: Place.allCases)
    func open(place: Place) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let upload = try await Upload.load(
                try await library.enqueue("a photo").upload, from: library.pool)
            let original = try #require(upload.original)
            let maker = Self.maker(library)
            try await Self.takeAway(library, leaving: place)
            await Self.expectStorageUnavailable { _ = try await maker.open(original, of: "ada") }
            try Self.bringBack(library)
            #expect(try await maker.open(original, of: "ada").byteCount() == 7)
            // Only in the right store a photo can be missing.
            _ = try await library.media.remove(MediaKey(validating: original.key), storedBefore: .zero)
            let error = await #expect(throws: AttemptError.self) {
                _ = try await maker.open(original, of: "ada")
            }
            guard case .mismatched(let mismatch)? = error?.failure else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(mismatch.rejection.code == "original_missing" && mismatch.owner == "ada")
            #expect(
                mismatch.suspect.dependency == .originals
                    && mismatch.suspect.reason.message.contains(original.key))
        }
    }

    /// Publishes like a worker, whose pictures are stored already.
    static func publish(
        _ job: ClaimedJob, _ upload: Int64, _ rendition: PostRendition, in library: PhotoLibrary
    ) async throws {
        try await library.pool.withTransaction { (transaction) async throws -> Void in
            let post = PhotoLibrary.post(upload: upload, renditions: [rendition])
            _ = try await PublishingStore.publish(post, in: transaction)
            try await PictureStore.requireStored([rendition], in: library.media, transaction)
            try await JobStore.end(job.lease, as: .succeeded, in: transaction)
        }
    }

    @Test(
        "gets no post if it went after the pictures were stored, and gets it when it is back",
        arguments: Place.allCases)
    func swapped(place: Place) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let (job, upload) = try await library.enqueue("a photo")
            let claimed = try await library.claim(job)
            let rendition = try await library.rendition("a picture")
            try await Self.takeAway(library, leaving: place)
            await Self.expectStorageUnavailable {
                try await Self.publish(claimed, upload, rendition, in: library)
            }
            #expect(try await library.number("select count(*) from darkroom.posts") == 0)
            try Self.bringBack(library)
            try await Self.publish(claimed, upload, rendition, in: library)
            #expect(try await library.number("select count(*) from darkroom.posts") == 1)
        }
    }

    @Test("any more, because an operator has adopted another one, gets no post either")
    func adopted() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let (job, upload) = try await library.enqueue("a photo")
            let claimed = try await library.claim(job)
            let rendition = try await library.rendition("a picture")
            let old = try #require(try await library.media.identity())
            let other = try MediaLocation.store(at: library.root + "-new", recordedIn: library.pool)
            #expect(try await other.adopt(insteadOf: "0123456789abcdef", in: library.pool) == nil)
            let new = try await other.adopt(insteadOf: old, in: library.pool)
            #expect(new != old && new != nil)
            await Self.expectStorageUnavailable {
                try await Self.publish(claimed, upload, rendition, in: library)
            }
            #expect(try await library.number("select count(*) from darkroom.posts") == 0)
            let loaded = try #require(try await Upload.load(upload, from: library.pool).original)
            try await other.check()
            _ = try await library.media.recorded(as: .identity(old)).remove(
                MediaKey(validating: loaded.key), storedBefore: .zero)
            // The process still knows the old store, where the photo is missing.
            await Self.expectStorageUnavailable {
                _ = try await Self.maker(library).open(loaded, of: "ada")
            }
        }
    }

    @Test("loses no file that must be deleted, and deletes it when it is back", arguments: Place.allCases)
    func erased(place: Place) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("a photo", ["a picture"])
            _ = try await library.erasure.delete(post, of: "ada")
            let worker = try await library.database.worker()
            let job = try #require(
                try await library.database.store.claim(limit: 1, worker: worker, kinds: [.erasePost]).first)
            try await Self.takeAway(library, leaving: place)
            await Self.expectStorageUnavailable { try await library.finish(job, library.erasePost) }
            #expect(try await library.number("select count(*) from darkroom.retired_media") > 0)
            try Self.bringBack(library)
            try await library.finish(job, library.erasePost)
            #expect(try await library.number("select count(*) from darkroom.retired_media") == 0)
            #expect(try await library.files() == [])
        }
    }

    @Test("stops a sweep, which reports nothing as missing", arguments: Place.allCases)
    func swept(place: Place) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            try await library.publish("a photo", ["a picture"])
            try await library.pool.query("select darkroom.enqueue_job('sweep', 0, 'sweep')")
            let worker = try await library.database.worker()
            let job = try #require(
                try await library.database.store.claim(limit: 1, worker: worker, kinds: [.sweep]).first)
            let handler = SweepHandler(pool: library.pool, media: library.media, log: .silent)
            try await Self.takeAway(library, leaving: place)
            await Self.expectStorageUnavailable { try await library.finish(job, handler) }
            for deletes in [false, true] {
                let error = await #expect(throws: MediaError.self) {
                    _ = try await SweepTests.sweep(library, deletes: deletes)
                }
                #expect(error?.code == .unavailable)
            }
            try Self.bringBack(library)
            let (findings, tally) = try await SweepTests.sweep(library)
            #expect(findings.isEmpty && tally.files == 2)
        }
    }

    @Test("is not missed by a sweep before the first photo, but by one of posts")
    func notYetThere() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            try await library.pool.query("update darkroom.settings set media_identity = null")
            try await Self.takeAway(library, leaving: .emptyDirectory)
            let (findings, tally) = try await SweepTests.sweep(library)
            #expect(findings.isEmpty && tally == MediaSweep.Tally())
            try Self.bringBack(library)
            try await library.publish("a photo", ["a picture"])
            try await library.pool.query("update darkroom.settings set media_identity = null")
            try await Self.takeAway(library, leaving: .emptyDirectory)
            let error = await #expect(throws: MediaError.self) { _ = try await SweepTests.sweep(library) }
            #expect(error?.code == .unavailable)
        }
    }

    @Test("needs no second connection inside a transaction", arguments: [nil] + Place.allCases)
    func connections(place: Place?) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let rendition = try await library.rendition("a picture")
            try await library.pool.query("select darkroom.retire_media(array[\(rendition.mediaKey)])")
            let pool = PostgresPool(PostgresConfiguration(url: library.database.url), size: 1)
            let media = try MediaLocation.store(at: library.root, recordedIn: pool)
            if let place { try await Self.takeAway(library, leaving: place) }
            let calls: [() async throws -> Void] = [
                {
                    try await pool.withTransaction { (transaction) async throws -> Void in
                        try await PictureStore.requireStored([rendition], in: media, transaction)
                    }
                },
                { _ = try await MediaEraser(pool: pool, media: media).erase(.due) },
            ]
            for call in calls {
                if place == nil { try await call() } else { await Self.expectStorageUnavailable(nil, call) }
            }
            await pool.close()
        }
    }
}
