import ChildProcess
import FoundationEssentials
import Glibc
import JobStore
import Postgres
import Posts
import Synchronization
import TestKit
import Testing

/// `make move` moves more photos, with more kills.
@Suite("A media store that is moved into a bucket", .realStore, .timeLimit(.minutes(120)))
struct StoreMoveTests {
    private static let photos =
        getenv("DARKROOM_MOVE").flatMap { Int(String(cString: $0)) } ?? 8

    @Test("keeps every photo, while workers run, people upload, and the move is killed again and again")
    func underLoad() async throws {
        let bucket = try await TestBucket.make()
        try await Installation.with { (old: Installation) async throws -> Void in
            let pool = old.database.pool
            let next = bucket.location(prefix: "media")
            var both = old
            both.variables = TestBucket.environment.merging(["DARKROOM_MEDIA_NEXT": next]) { $1 }
            var new = old
            new.variables = TestBucket.environment.merging(["DARKROOM_MEDIA": next]) { $1 }

            try await Self.enqueue(0..<Self.photos, with: old)
            try await old.command(["work", "--drain", "--concurrency", "8"]).runSuccessfully()
            let moved = MediaMigrationStore(pool: pool)
            let objects = try filesBelow(old.media).count

            // A worker that does not know of the next place.
            let alone = try WorkerProcess(old)
            try await until { try await old.database.count("darkroom.workers") == 1 }
            let refused = try await both.darkroom("store", "migrate", "--to", next)
            #expect(refused.ending == .exited(1))
            #expect(
                refused.standardError.contains("restart it with DARKROOM_MEDIA_NEXT")
                    && refused.standardError.contains("process \(alone.program.process)"),
                "\(refused.standardError)")
            #expect(try await moved.last() == nil)
            alone.send(SIGTERM)
            #expect(try await alone.end() == .exited(0))

            let workers = [try WorkerProcess(both), try WorkerProcess(both)]
            // Until it is over, uploads go on.
            let isOver = Mutex(false)
            let installation = both
            let uploads = Task {
                var number = Self.photos
                while !isOver.withLock({ $0 }) {
                    try await Self.enqueue(number..<number + 4, with: installation)
                    number += 4
                }
                return number
            }
            let clock = ContinuousClock()
            let began = clock.now
            var kills = 0
            // Each is killed as soon as it has noted something.
            while kills < 5 {
                let run = try OperatorProcess(both, "store", "migrate", "--to", next)
                let before = try await moved.last()
                let ended = Task { try await run.end() }
                try await until {
                    let now = try await moved.last()
                    return now != nil && now != before || !isAlive(run.program.process)
                }
                run.send(SIGKILL)
                guard try await ended.value == .killed(signal: SIGKILL) else { break }
                kills += 1
            }
            #expect(kills > 0)
            // A worker dies too.
            workers[0].send(SIGKILL)
            _ = try await workers[0].end()
            let another = try WorkerProcess(both)
            let copied = try await both.darkroom("store", "migrate")
            #expect(copied.ending == .exited(0), "\(copied.standardError)")
            let copying = clock.now - began
            let shown = try await both.darkroom("store", "show").standardOutput
            #expect(shown.contains("It is being moved from"), "\(shown)")
            let finished = try await both.darkroom("store", "migrate", "--finish")
            #expect(finished.ending == .exited(0), "\(finished.standardOutput)\(finished.standardError)")
            let finishing = clock.now - began - copying
            let record = try #require(try await moved.last())
            #expect(!record.isUnderWay)

            // Uploads and workers with both places go on, and so do new ones.
            try await Self.enqueue(1_000_000..<1_000_004, with: new)
            isOver.withLock { $0 = true }
            let uploaded = try await uploads.value
            for worker in [workers[1], another] {
                worker.send(SIGTERM)
                #expect(try await worker.end() == .exited(0))
            }
            // Nothing that is still in the old place alone is needed.
            try FileManager.default.moveItem(atPath: old.media, toPath: old.media + "-away")
            try await new.command(["work", "--drain", "--concurrency", "8"]).runSuccessfully()
            let posts = try await old.database.count("darkroom.posts", "state = 'published'")
            #expect(posts == uploaded + 4)
            let failed = try await old.database.count("darkroom.finished_jobs", "state <> 'succeeded'")
            #expect(failed == 0)
            let swept = try await new.darkroom(
                "sweep", "--verify", "--older-than", "0s", "--rate", "1000", "--dry-run")
            let strays = swept.standardOutput.split(separator: "\n")
            #expect(
                strays.allSatisfy { $0.hasPrefix("unreferred") },
                "\(swept.standardOutput)\(swept.standardError)")
            let doctor = try await new.command(["doctor"]).run().standardOutput
            #expect(
                doctor.contains("ok     media store: s3:") && doctor.contains("It was moved"), "\(doctor)")

            // The old place by itself.
            try FileManager.default.moveItem(atPath: old.media + "-away", toPath: old.media)
            let late = try await old.command(["enqueue", try Self.photo(9, in: old)]).run()
            #expect(
                late.ending == .exited(1) && late.standardError.contains("set DARKROOM_MEDIA to s3://"),
                "\(late.standardError)")
            if Self.photos > 100 {
                print(
                    "\(objects) objects at the start, \(record.files) copied (\(record.bytes) bytes) in \(copying) with \(kills) kills, "
                        + "finished in \(finishing); \(uploaded - Self.photos + 4) uploads meanwhile; "
                        + "\(posts) posts, lost 0, failed \(failed); \(strays.count) strays of killed workers"
                )
            }
        }
    }

    /// The fixture has 256 patterns; with the width, each photo is different.
    private static func photo(_ seed: Int, in darkroom: Installation) throws -> String {
        try darkroom.write(
            PhotoFixture.jpeg(
                width: 300 + seed / 256 % 1000, height: 200, latitude: 47.6, longitude: -122.3, seed: seed),
            to: "\(seed).jpg")
    }

    /// In portions, because a command takes only so many names.
    private static func enqueue(_ numbers: Range<Int>, with darkroom: Installation) async throws {
        var rest = numbers
        while !rest.isEmpty {
            let portion = rest.prefix(200)
            rest = rest.dropFirst(200)
            let photos = try portion.map { try photo($0, in: darkroom) }
            try await darkroom.command(["enqueue", "--uploader", "ada"] + photos).runSuccessfully()
            for photo in photos { try FileManager.default.removeItem(atPath: photo) }
        }
    }
}

extension QueueDatabase {
    func count(_ table: String, _ condition: String = "true") async throws -> Int {
        try await pool.query("select count(*) as n from \(unescaped: table) where \(unescaped: condition)")[0]
            .decode("n", as: Int.self)
    }
}

@Suite("The move of a media store", .timeLimit(.minutes(15)))
struct StoreMoveRefusalTests {
    private static func expect(
        _ output: ChildProgram.Output, _ code: Int32, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let all = output.standardOutput + output.standardError
        #expect(
            output.ending == .exited(code) && all.contains(text), "\(all)", sourceLocation: sourceLocation)
    }

    @Test("begins, ends and is cancelled only as it should be, between directories")
    func refusals() async throws {
        try await Installation.with { (old: Installation) async throws -> Void in
            let pool = old.database.pool
            let next = old.root + "/next"
            Self.expect(
                try await old.darkroom("store", "migrate", "--to", next), 1, "there is nothing to move")
            let photos = try (0..<3).map { number in
                try old.write(
                    PhotoFixture.jpeg(
                        width: 300, height: 200, latitude: 47.6, longitude: -122.3, seed: number),
                    to: "\(number).jpg")
            }
            try await old.command(["enqueue", "--uploader", "ada"] + photos).runSuccessfully()
            try await old.drain()
            let count = try filesBelow(old.media).count
            var both = old
            both.variables = ["DARKROOM_MEDIA_NEXT": next]
            for arguments in [["--finish", "--cancel"], ["--without-damaged"], ["--rate", "20MB"]] {
                Self.expect(
                    try await both.command(["store", "migrate"] + arguments).run(), 64,
                    "usage: darkroom store migrate")
            }
            Self.expect(try await both.darkroom("store", "migrate"), 1, "begins one")
            Self.expect(try await both.darkroom("store", "migrate", "--finish"), 1, "begins one")
            Self.expect(
                try await both.darkroom("store", "migrate", "--cancel"), 1, "no move of the media store")
            Self.expect(try await old.darkroom("store", "migrate"), 1, "set DARKROOM_MEDIA_NEXT")
            Self.expect(try await old.darkroom("store", "migrate", "--to", old.media), 1, "the same identity")
            let dry = try await both.darkroom("store", "migrate", "--to", next, "--dry-run")
            Self.expect(dry, 0, "\(count) files")
            #expect(!FileManager.default.fileExists(atPath: next))
            try FileManager.default.createDirectory(
                atPath: "\(old.root)/foreign/originals", withIntermediateDirectories: true)
            _ = try old.write(Array("0123456789abcdef\n".utf8), to: "foreign/originals/.darkroom-store")
            Self.expect(
                try await old.darkroom("store", "migrate", "--to", old.root + "/foreign"), 1,
                "another database")

            // A picture that the disk has damaged is not copied, and holds up the end.
            let damaged = try #require(try filesBelow(old.media).first { $0.hasPrefix("renditions/") })
            let path = "\(old.media)/\(damaged)"
            let bytes = try Data(contentsOf: URL(filePath: path))
            try FileManager.default.removeItem(atPath: path)
            try Data("x".utf8).write(to: URL(filePath: path))
            Self.expect(try await both.darkroom("store", "migrate", "--to", next), 1, "damaged  \(damaged)")
            #expect(try filesBelow(next).count == count - 1)
            // One without the next place stores nothing now, and tells why.
            Self.expect(try await old.command(["enqueue", photos[0]]).run(), 1, "set DARKROOM_MEDIA_NEXT")
            Self.expect(try await old.darkroom("doctor"), 1, "set DARKROOM_MEDIA_NEXT")
            Self.expect(try await both.darkroom("store", "show"), 0, "It is being moved from")
            Self.expect(try await both.darkroom("store", "migrate", "--finish"), 1, "are damaged")
            try bytes.write(to: URL(filePath: path))
            Self.expect(try await both.darkroom("store", "migrate"), 0, "Copied 1 files")
            Self.expect(try await both.darkroom("store", "adopt"), 1, "end that first")
            // Cancelled, the old place alone will do; what is there shortens the next move.
            Self.expect(try await both.darkroom("store", "migrate", "--cancel"), 0, "stays the media store")
            try await old.command(["enqueue", photos[0]]).runSuccessfully()
            Self.expect(try await both.darkroom("store", "migrate", "--to", next), 0, "Copied 0 files")

            try FileManager.default.removeItem(atPath: "\(next)/\(damaged)")
            try FileManager.default.removeItem(atPath: path)
            try Data("x".utf8).write(to: URL(filePath: path))
            Self.expect(try await both.darkroom("store", "migrate", "--finish"), 1, "are damaged")
            Self.expect(
                try await both.darkroom("store", "migrate", "--finish", "--without-damaged"), 1,
                "is the media store now")
            let identities = try await pool.query(
                "select s.media_identity = m.identity as same from darkroom.settings s, darkroom.media_migration m"
            )
            #expect(try identities[0].decode("same", as: Bool.self))
            Self.expect(
                try await old.command(["enqueue", photos[0]]).run(), 1, "set DARKROOM_MEDIA to \(next)")
            Self.expect(try await both.darkroom("store", "show"), 0, "It was moved from")
            // A photo that a phone sent to the previous place alone, after the end, or while --finish was killed.
            let late = try old.write(
                PhotoFixture.jpeg(width: 301, height: 200, latitude: 47.6, longitude: -122.3), to: "late.jpg")
            let before = Set(try filesBelow(next))
            try await both.command(["enqueue", late]).runSuccessfully()
            let original = try #require(try filesBelow(next).first { !before.contains($0) })
            let previous = URL(filePath: "\(old.media)/\(original)")
            try FileManager.default.createDirectory(
                at: previous.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.moveItem(at: URL(filePath: "\(next)/\(original)"), to: previous)
            Self.expect(
                try await old.command(["store", "migrate", "--finish", "--media", next]).run(), 1,
                "give the previous place as --media")
            let again = [
                "store", "migrate", "--finish", "--media", old.media, "--media-next", next,
            ]
            Self.expect(try await old.command(again).run(), 0, "that came late")
            #expect(FileManager.default.fileExists(atPath: "\(next)/\(original)"))
            Self.expect(try await old.command(again).run(), 0, "that came late")
            for variables in [both.variables, ["DARKROOM_MEDIA": next]] {
                var installation = old
                installation.variables = variables
                try await installation.command(["enqueue", photos[1]]).runSuccessfully()
                try await installation.drain()
            }
            #expect(try await old.database.count("darkroom.finished_jobs", "state <> 'succeeded'") == 0)
        }
    }
}
