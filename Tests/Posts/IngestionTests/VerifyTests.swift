import FoundationEssentials
import Glibc
import Ingestion
import MediaStore
import Postgres
import Posts
import Synchronization
import TestKit
import Testing

@Suite("A sweep that reads the files", .timeLimit(.minutes(15)))
struct VerifyTests {
    private static func verify(
        _ library: PhotoLibrary, batch: Int = 100
    ) async throws -> (findings: [MediaSweep.Finding], tally: MediaSweep.Tally) {
        var findings: [MediaSweep.Finding] = []
        let sweep = MediaSweep(
            pool: library.pool, media: library.media, age: .seconds(3600), deletes: false,
            verifies: true, batch: batch)
        let tally = try await sweep.run { (found, _) async throws -> Bool in
            findings += found
            return true
        }
        return (findings, tally)
    }

    /// `damaged rendition r0 of post 1`
    private static func words(_ findings: [MediaSweep.Finding]) -> [String] {
        findings.map { finding in
            switch finding {
            case .missing(let file): "missing \(file.referrer)"
            case .damaged(let file, _): "damaged \(file.referrer)"
            case .unreferred(let file, _): "unreferred \(file.key)"
            case .fault(let error): "fault \(error)"
            }
        }
    }

    @Test("finds every kind of damage, and nothing in what is sound", arguments: FileDamage.allCases)
    func finds(damage: FileDamage) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            var posts: [Int64] = []
            for number in 1...3 {
                posts.append(try await library.publish("photo \(number)", ["a \(number)", "b \(number)"]))
            }
            let (none, sound) = try await Self.verify(library, batch: 2)
            #expect(none.isEmpty && sound.rows == 9 && sound.bytesRead == 3 * (7 + 3 + 3))

            let upload = try await library.number(
                "select upload_id from darkroom.posts where post_id = \(posts[2])")
            let keys = try await library.texts(
                """
                select media_key from darkroom.renditions where post_id = \(posts[1]) and name = 'r1'
                union all select original_key from darkroom.uploads where upload_id = \(upload)
                """)
            for key in keys { try damage.happen(to: "\(library.root)/\(try #require(key))") }
            let (findings, tally) = try await Self.verify(library)
            let word = damage == .missing ? "missing" : "damaged"
            #expect(
                Self.words(findings)
                    == ["\(word) rendition r1 of post \(posts[1])", "\(word) original of upload \(upload)"])
            #expect(tally.missing + tally.damaged == 2 && tally.faults == 0 && tally.unreferred == 0)
            #expect(
                try await Self.words(SweepTests.sweep(library).findings).count == (damage == .missing ? 2 : 0)
            )
        }
    }

    @Test("does not report a file whose post is erased while it is looked at")
    func erased() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("photo", ["here", "gone"])
            let gone = try #require(try await library.reading.post(post)).renditions[1].mediaKey
            try FileDamage.missing.happen(to: "\(library.root)/\(gone)")
            let pool = library.pool
            // Asked when a file is missing: by then the sweep has read the row.
            let isReading = Mutex(false)
            let media = try LocalMediaStore(location: library.root) { _ in
                if isReading.withLock(\.self) {
                    try await pool.query("delete from darkroom.renditions where media_key = \(gone)")
                }
                return try await pool.withConnection { try await RecordedIdentity.read(from: $0) }
            }
            let sweep = MediaSweep(
                pool: pool, media: media, age: .seconds(3600), deletes: false, verifies: true)
            var findings: [MediaSweep.Finding] = []
            let tally = try await sweep.run { (found, _) async throws -> Bool in
                findings += found
                isReading.withLock { $0 = true }
                return true
            }
            #expect(findings.isEmpty && tally.missing == 0 && tally.rows == 3)
            #expect(try await library.reading.post(post)?.renditions.count == 1)
        }
    }

    @Test("stops if the disk is unmounted, and calls nothing missing or damaged")
    func unmounted() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            for number in 1...5 {
                try await library.publish("photo \(number)", ["a \(number)", "b \(number)"])
            }
            let sweep = MediaSweep(
                pool: library.pool, media: library.media, age: .seconds(3600), deletes: false, verifies: true,
                batch: 2)
            let root = library.root
            var findings: [MediaSweep.Finding] = []
            var last = MediaSweep.Tally()
            let error = await #expect(throws: MediaError.self) {
                try await sweep.run { (found, tally) async throws -> Bool in
                    findings += found
                    last = tally
                    if tally.rows == 4 {
                        try #require(rename(root, "\(root)-disk") == 0 && mkdir(root, 0o755) == 0)
                    }
                    return true
                }
            }
            #expect(error?.code == .unavailable)
            #expect(findings.isEmpty && last.rows == 4 && last.missing == 0 && last.damaged == 0)
            try #require(rmdir(root) == 0 && rename("\(root)-disk", root) == 0)
            #expect(try await Self.verify(library).findings.isEmpty)
        }
    }

    @Test("stops where it is told to")
    func interrupted() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            for number in 1...5 { try await library.publish("photo \(number)", ["a \(number)"]) }
            let sweep = MediaSweep(
                pool: library.pool, media: library.media, age: .seconds(3600), deletes: false, verifies: true)
            let tally = try await sweep.run { (_, tally) async throws -> Bool in tally.bytesRead == 0 }
            #expect(tally.rows == 4 && tally.bytesRead == 12, "the first few files")
        }
    }
}
