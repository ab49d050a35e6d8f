import FoundationEssentials
import Ingestion
import JobQueue
import MediaStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("A move of the media store", .timeLimit(.minutes(15)))
struct MediaMigrationTests {
    @Test("copies every file, wherever and however often the copying stops", arguments: [1, 2, 3, 7])
    func stops(every parts: Int) async throws {
        try await MovedLibrary.with { (moved: MovedLibrary) async throws -> Void in
            for number in 1...8 {
                try await moved.library.publish("\(number)", ["\(number) a", "\(number) b"])
            }
            _ = try await moved.plain.putOriginal(bytes: Array("not enqueued yet".utf8))
            try await moved.begin()
            var runs = 0
            var copied = 0
            var isComplete = false
            while !isComplete {
                runs += 1
                var left = parts
                let position = try #require(try await moved.migration.last()).position
                isComplete = try await moved.copy().run(after: position, batch: 2) {
                    findings, tally, position in
                    #expect(findings.isEmpty)
                    left -= 1
                    // Killed before it could note the last part.
                    guard left > 0 || parts == 1 else { return false }
                    copied += tally.copied
                    try #require(
                        try await moved.migration.note(
                            moved.new, position: position, isComplete: false, files: tally.copied,
                            bytes: tally.bytes))
                    return left > 0 || tally.copied == 0
                }
                try #require(runs < 100)
            }
            #expect(runs > 1)
            #expect(try moved.newFiles() == moved.oldFiles() && moved.oldFiles().count == 25)
            let record = try #require(try await moved.migration.last())
            #expect(
                record.files == copied && record.bytes > 0 && record.movedBy == "ada" && record.isUnderWay)
            // A further pass finds nothing to do.
            var again = MediaCopy.Tally()
            _ = try await moved.copy().run(after: nil) { _, tally, _ in
                again.add(tally)
                return true
            }
            #expect(again.files == 25 && again.copied == 0 && again.damaged == 0)
        }
    }

    @Test("lists damaged and missing files and copies the rest")
    func damaged() async throws {
        try await MovedLibrary.with { (moved: MovedLibrary) async throws -> Void in
            let post = try await moved.library.publish("mine", ["good", "bad", "gone"])
            let keys = try #require(try await moved.library.reading.post(post)).renditions.map(\.mediaKey)
            let bad = "\(moved.oldRoot)/\(keys[1])"
            try FileManager.default.removeItem(atPath: bad)
            try Data("not the same".utf8).write(to: URL(filePath: bad))
            try FileManager.default.removeItem(atPath: "\(moved.oldRoot)/\(keys[2])")
            try await moved.begin()
            var findings: [MediaCopy.Finding] = []
            var total = MediaCopy.Tally()
            let copy = try await moved.copy()
            #expect(
                try await copy.run(after: nil) { found, tally, _ in
                    findings += found
                    total.add(tally)
                    return true
                })
            #expect(total.copied == 2 && total.damaged == 1 && total.faults == 0)
            guard case .damaged(let key, let what)? = findings.first, findings.count == 1 else {
                return #expect(Bool(false), "\(findings)")
            }
            #expect(key.path == keys[1] && what.contains("12 bytes do not match"))
            #expect(try moved.newFiles().count == 2)
            var position = ReferencePosition.start
            let losses = try await copy.compare(MediaReferenceStore(pool: moved.pool), after: &position) {
                _ in true
            }
            #expect(losses?.map(\.file.mediaKey) == [keys[1], keys[2]])
        }
    }

    @Test("copies nothing that an erasure is removing, and removes what a copy is storing")
    func race() async throws {
        try await MovedLibrary.with { (moved: MovedLibrary) async throws -> Void in
            let (pool, media) = (moved.pool, moved.library.media)
            let keys = try await [moved.library.rendition("one"), moved.library.rendition("two")]
                .map { try MediaKey(validating: $0.mediaKey) }
            try await moved.begin()
            let copy = try await moved.copy()
            // The erasure is first.
            let copying = try await pool.withTransaction { (transaction) async throws in
                try #require(try await MediaReferenceStore.take(keys[0].path, in: transaction))
                let copying = Task { try await copy.copy(keys[0]) }
                try await moved.waitForLock()
                let store = try await media.recorded(in: transaction)
                #expect(try await store.remove(keys[0], storedBefore: .zero) == .removed)
                return copying
            }
            guard case .absent = try await copying.value else { return #expect(Bool(false), "it was copied") }
            #expect(try moved.newFiles() == [])
            // The copy is first.
            let removing = try await pool.withTransaction { (transaction) async throws in
                try #require(try await MediaMigrationStore.hold(moved.new, in: transaction))
                try await MediaReferenceStore.protect([keys[1].path], in: transaction)
                let removing = Task {
                    try await pool.withTransaction { (other) async throws -> MediaRemoval in
                        try #require(try await MediaReferenceStore.take(keys[1].path, in: other))
                        return try await media.recorded(in: other).remove(keys[1], storedBefore: .zero)
                    }
                }
                try await moved.waitForLock()
                let file = try await moved.store(moved.oldRoot, moved.old).openFile(keys[1])
                try await moved.store(moved.newRoot, moved.new).storeCopy(
                    of: file.file, as: keys[1], sha256: try #require(file.sha256), byteCount: file.byteCount,
                    ended: {})
                return removing
            }
            #expect(try await removing.value == .removed)
            #expect(try moved.newFiles() == [] && moved.oldFiles() == [])
        }
    }

    @Test("erases posts in both places, and sweeps both")
    func erasure() async throws {
        try await MovedLibrary.with { (moved: MovedLibrary) async throws -> Void in
            let library = moved.library
            let first = try await library.publish("first", ["a"])
            try await moved.begin()
            let second = try await library.publish("second", ["b"])
            _ = try await moved.copy().run(after: nil) { _, _, _ in true }
            #expect(try moved.newFiles().count == 4 && moved.oldFiles().count == 4)
            for post in [first, second] {
                try await moved.pool.query("select darkroom.delete_post(\(post), 'ada')")
                try await library.run(.erasePost, library.erasePost)
            }
            #expect(try moved.newFiles() == [] && moved.oldFiles() == [])
            for root in [(moved.oldRoot, moved.old), (moved.newRoot, moved.new)] {
                _ = try await moved.store(root.0, root.1).putOriginal(bytes: Array(root.1.utf8))
            }
            _ = try await library.media.putOriginal(bytes: [1])
            let (_, tally) = try await SweepTests.sweep(library)
            #expect(tally.files == 3 && tally.unreferred == 3)
            let (_, swept) = try await SweepTests.sweep(library, deletes: true)
            #expect(swept.deleted == 3)
            #expect(try moved.newFiles() == [] && moved.oldFiles() == [])
        }
    }

    @Test("lets a post be published only with its pictures in both places, by a process with both")
    func publishing() async throws {
        try await MovedLibrary.with { (moved: MovedLibrary) async throws -> Void in
            let (job, upload) = try await moved.library.enqueue("a photo")
            let claimed = try await moved.library.claim(job)
            let rendition = try await moved.library.rendition("stored before")
            try #require(
                try await moved.migration.begin(
                    from: moved.old, to: moved.new, location: moved.newRoot, by: "ada"))
            // This process does not know of the move yet; the transaction finds out.
            let early = await #expect(throws: AttemptError.self) {
                try await StoreFaultTests.publish(claimed, upload, rendition, in: moved.library)
            }
            #expect("\(String(describing: early))".contains("rendition_erased"))
            let alone = await #expect(throws: AttemptError.self) {
                try await moved.pool.withTransaction { transaction in
                    try await IngestHandler.requireStored([rendition], in: moved.plain, transaction)
                }
            }
            #expect("\(String(describing: alone))".contains("DARKROOM_MEDIA_NEXT"))
            // Its next attempt stores it in both, also what is in one of them already.
            let again = try await moved.library.rendition("stored before")
            #expect(again.mediaKey == rendition.mediaKey)
            try await StoreFaultTests.publish(claimed, upload, again, in: moved.library)
            #expect(try moved.newFiles() == [rendition.mediaKey])
        }
    }

    @Test("ends between transactions that refer to files, and is over for those who copy")
    func ends() async throws {
        try await MovedLibrary.with { (moved: MovedLibrary) async throws -> Void in
            let key = try MediaKey(validating: try await moved.library.rendition("one").mediaKey)
            try await moved.begin()
            #expect(
                try await !moved.migration.begin(from: moved.old, to: moved.new, location: "/else", by: "bob")
            )
            let finishing = try await moved.pool.withTransaction { (transaction) async throws in
                _ = try await moved.library.media.recorded(in: transaction)
                let finishing = Task { try await moved.migration.finish(moved.new) }
                try await moved.waitForLock()
                #expect(
                    try await moved.library.texts("select identity from darkroom.media_identity()") == [
                        moved.old
                    ])
                return finishing
            }
            #expect(try await finishing.value)
            #expect(
                try await moved.library.texts("select identity from darkroom.media_identity()") == [moved.new]
            )
            #expect(
                try await moved.library.texts("select moved_from from darkroom.media_identity()") == [
                    moved.old
                ])
            #expect(try await !moved.migration.finish(moved.new))
            #expect(try await !moved.migration.cancel())
            #expect(
                try await !moved.migration.note(
                    moved.new, position: nil, isComplete: true, files: 1, bytes: 1))
            guard case .over = try await moved.copy().copy(key) else { return #expect(Bool(false)) }
            // And back.
            #expect(
                try await moved.migration.begin(
                    from: moved.new, to: moved.old, location: moved.oldRoot, by: "bob"))
            #expect(try await moved.migration.last()?.files == 0)
            #expect(try await moved.migration.cancel())
            #expect(try await moved.migration.last() == nil)
            #expect(try await moved.library.media.check() == moved.new)
        }
    }

    @Test("copies after its end only originals to which uploads refer")
    func late() async throws {
        try await MovedLibrary.with { (moved: MovedLibrary) async throws -> Void in
            let (_, upload) = try await moved.library.enqueue("late")
            let stray = try await moved.plain.putOriginal(bytes: [1]).key
            let key = try MediaKey(
                validating: try #require(
                    try await moved.library.texts(
                        "select original_key from darkroom.uploads where upload_id = \(upload)")[0]))
            try await moved.begin()
            #expect(try await moved.migration.finish(moved.new))
            let copy = try await moved.copy()
            guard case .absent = try await copy.copy(stray, isFinished: true),
                case .copied = try await copy.copy(key, isFinished: true),
                case .present = try await copy.copy(key, isFinished: true)
            else { return #expect(Bool(false)) }
            #expect(try moved.newFiles() == [key.path])
        }
    }
}
