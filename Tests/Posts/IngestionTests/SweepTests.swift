import ChildProcess
import FoundationEssentials
import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import Posts
import Telemetry
import TestKit
import Testing

@Suite("A sweep", .timeLimit(.minutes(15)))
struct SweepTests {
    static func sweep(
        _ library: PhotoLibrary, age: Duration = .zero, deletes: Bool = false, batch: Int = 2
    ) async throws -> (findings: [MediaSweep.Finding], tally: MediaSweep.Tally) {
        var findings: [MediaSweep.Finding] = []
        let sweep = MediaSweep(
            pool: library.pool, media: library.media, age: age, deletes: deletes, batch: batch)
        let tally = try await sweep.run { (found, _) async throws -> Bool in
            findings += found
            return true
        }
        return (findings, tally)
    }

    @Test("finds nothing where all is well, in batches of any size", arguments: [1, 2, 100])
    func clean(batch: Int) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            for number in 1...5 { try await library.publish("\(number)", ["\(number) a", "shared"]) }
            let (findings, tally) = try await Self.sweep(library, batch: batch)
            #expect(findings.isEmpty)
            #expect(tally.files == 11 && tally.rows == 15)
            #expect(tally.unreferred == 0 && tally.missing == 0)
        }
    }

    @Test(
        "finds unreferred and missing files, and deletes the former if told to",
        arguments: [false, true], await StoreKind.exemplary())
    func finds(deletes: Bool, kind: StoreKind) async throws {
        try await PhotoLibrary.with(kind) { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["there", "lost"])
            let renditions = try #require(try await library.reading.post(post)).renditions
            let lost = try MediaKey(validating: renditions[1].mediaKey)
            _ = try await library.media.remove(lost, storedBefore: .zero)
            let stray = try await library.rendition("stray")
            let original = try await library.media.putOriginal(bytes: Array("stray original".utf8))
            let retired = try await library.rendition("to be deleted anyway")
            try await library.pool.query("select darkroom.retire_media(array[\(retired.mediaKey)])")

            let fresh = try await Self.sweep(library, age: .seconds(3600), deletes: deletes)
            #expect(fresh.tally.unreferred == 0, "a job may be about to refer to them")

            let (findings, tally) = try await Self.sweep(library, deletes: deletes)
            let names = findings.map { finding in
                switch finding {
                case .unreferred(let file, let isDeleted): "\(file.key) \(isDeleted)"
                case .missing(let file), .damaged(let file, _): "\(file.mediaKey): \(file.referrer)"
                case .fault(let error): "\(error)"
                }
            }
            #expect(
                Set(names) == [
                    "\(stray.mediaKey) \(deletes)", "\(original.key) \(deletes)",
                    "\(lost): rendition \(renditions[1].name) of post \(post)",
                ])
            #expect(tally.unreferred == 2 && tally.missing == 1 && tally.deleted == (deletes ? 2 : 0))
            #expect(tally.unreferredBytes == 19)
            #expect(try await library.media.contains(original.key) == !deletes)
            #expect(try await library.files().count == (deletes ? 3 : 5))
        }
    }

    @Test(
        "spares originals to which an upload may be about to refer, whatever age is given",
        arguments: await StoreKind.exemplary())
    func grace(kind: StoreKind) async throws {
        try await PhotoLibrary.with(kind) { (library: PhotoLibrary) async throws -> Void in
            try await library.pool.query("update darkroom.settings set original_grace = '1 hour'")
            let original = try await library.media.putOriginal(bytes: [1])
            let rendition = try await library.rendition("stray")
            let (_, tally) = try await Self.sweep(library, age: .zero, deletes: true)
            #expect(tally.unreferred == 1 && tally.deleted == 1)
            #expect(try await library.media.contains(original.key))
            #expect(try await !library.media.contains(MediaKey(validating: rendition.mediaKey)))
        }
    }

    @Test(
        "once a day removes originals that nobody enqueued in time, and nothing else",
        arguments: await StoreKind.exemplary())
    func unclaimed(kind: StoreKind) async throws {
        try await PhotoLibrary.with(kind) { (library: PhotoLibrary) async throws -> Void in
            try await library.publish("mine", ["picture"])
            let claimed = try await library.files()
            let original = try await library.media.putOriginal(bytes: Array("never enqueued".utf8))
            let rendition = try MediaKey(validating: try await library.rendition("stray").mediaKey)
            let handler = SweepHandler(pool: library.pool, media: library.media, log: .silent)
            for (days, grace, isKept) in [
                ("null", "0", true), ("1", "0", true), ("0", "1 hour", true), ("0", "0", false),
            ] {
                try await library.pool.query(
                    """
                    update darkroom.settings
                    set unclaimed_days = \(unescaped: days), original_grace = \(unescaped: "'\(grace)'")
                    """)
                try await library.pool.query("select darkroom.enqueue_job('sweep', 0, 'sweep')")
                let worker = try await library.database.worker()
                let job = try #require(
                    try await library.database.store.claim(limit: 1, worker: worker, kinds: [.sweep]).first)
                try await library.finish(job, handler)
                #expect(try await library.media.contains(original.key) == isKept, "\(days) days, \(grace)")
            }
            _ = try await library.media.putOriginal(bytes: Array("never enqueued".utf8))
            // However old they are.
            let sweep = MediaSweep(
                pool: library.pool, media: library.media, age: .zero, deletes: false, unclaimed: .zero)
            let tally = try await sweep.run { (_, _) async throws -> Bool in true }
            #expect(tally.deleted == 1 && tally.unreferred == 2)
            #expect(try await Set(library.files()) == Set(claimed + [rendition.path]))
        }
    }

    @Test("skips files to which a row has come to refer meanwhile")
    func taken() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            _ = try await library.rendition("stray")
            try await library.pool.query(
                """
                create or replace function darkroom.claim_media(key text) returns boolean
                language sql as $$ select false $$
                """)
            let (findings, tally) = try await Self.sweep(library, deletes: true)
            #expect(findings.isEmpty && tally.unreferred == 0 && tally.files == 1)
        }
    }

    @Test("stops soon after it is told to, even if every file is young")
    func stops() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            for number in 0..<20 { _ = try await library.rendition("\(number)") }
            let sweep = MediaSweep(
                pool: library.pool, media: library.media, age: .seconds(3600), deletes: false)
            var visits = 0
            let tally = try await sweep.run { (_, _) async throws -> Bool in
                visits += 1
                return visits < 3
            }
            #expect(visits == 3 && tally.files < 20)
        }
    }

    /// Only root, on a file system that has immutable files, can make a file that root cannot delete.
    private static func canMakeImmutable() async throws -> Bool {
        guard let chattr = ChildProgram.find("chattr") else { return false }
        return try await withTemporaryDirectory { (folder: String) async throws -> Bool in
            let path = folder + "/file"
            try Data().write(to: URL(filePath: path))
            guard try await ChildProgram(chattr, ["+i", path]).run().succeeded else { return false }
            _ = try await ChildProgram(chattr, ["-i", path]).runSuccessfully()
            return true
        }
    }

    @Test(
        "goes on if a file cannot be deleted, and counts it",
        .enabled("needs root and a file system with immutable files", canMakeImmutable))
    func undeletable() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let kept = try await library.rendition("cannot be deleted").mediaKey
            for number in 0..<5 { _ = try await library.rendition("\(number)") }
            let path = library.root + "/" + kept
            let chattr = try #require(ChildProgram.find("chattr"))
            _ = try await ChildProgram(chattr, ["+i", path]).runSuccessfully()
            let result: Result<MediaSweep.Tally, any Error>
            do { result = .success(try await Self.sweep(library, deletes: true).tally) } catch {
                result = .failure(error)
            }
            _ = try await ChildProgram(chattr, ["-i", path]).runSuccessfully()
            let tally = try result.get()
            #expect(tally.deleted == 5 && tally.unreferred == 6)
            #expect(try await library.media.contains(MediaKey(validating: kept)))
        }
    }
}
