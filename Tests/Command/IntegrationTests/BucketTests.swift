import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import ObjectStorage
import Postgres
import Posts
import Proxying
import Synchronization
import TestKit
import Testing

@Suite("With its media store in a bucket, Darkroom", .realStore, .timeLimit(.minutes(15)))
struct BucketTests {
    private static func photo(_ seed: Int, in darkroom: Installation) throws -> String {
        try darkroom.write(
            PhotoFixture.jpeg(width: 300, height: 200, latitude: 47.6, longitude: -122.3, seed: seed),
            to: "\(seed).jpg")
    }

    /// The keys of files, sorted.
    private static func files(_ darkroom: Installation) async throws -> [String] {
        try await #require(darkroom.bucket).keys(prefix: "media").filter { !$0.contains(".darkroom-store") }
    }

    @Test("publishes photos, renders them again, sweeps, and erases a person's files and old originals")
    func life() async throws {
        let bucket = try await TestBucket.make()
        let proxy = try FaultProxy(before: bucket.endpoint) { _ in .pass }
        try await Installation.with(bucket: bucket, endpoint: proxy.endpoint) {
            (darkroom: Installation) async throws -> Void in
            let pool = darkroom.database.pool
            for (number, person) in ["ada", "ada", "bob"].enumerated() {
                _ = try await darkroom.json(
                    "enqueue", "--uploader", person, try Self.photo(number, in: darkroom))
            }
            let before = proxy.requests.count
            try await darkroom.drain()
            // On a busy machine, the client may ask for the same thing again.
            let heads = proxy.requests.dropFirst(before)
            let asked = Set(heads.compactMap { $0.split(whereSeparator: \.isNewline).first })
            func count(_ method: String, _ tree: String) -> Int {
                asked.count {
                    $0.hasPrefix("\(method) /\(bucket.name)/media/\(tree)/")
                        && !$0.contains(".darkroom-store")
                }
            }
            // Of three photos: each is read, and its pictures are put and looked for. In two of their three sizes they are one file.
            #expect(count("GET", "originals") == 3 && count("HEAD", "originals") == 0)
            #expect(count("PUT", "renditions") == 6 && count("HEAD", "renditions") == 6)
            #expect(count("GET", "renditions") == 0)
            let reading = ReadingStore(pool: pool)
            let posts = try await reading.posts(in: [.published], limit: 10)
            #expect(posts.count == 3)
            for post in posts {
                for rendition in try #require(try await reading.post(post.id)).renditions {
                    #expect(try await Self.files(darkroom).contains(rendition.mediaKey))
                }
            }
            let swept = try await darkroom.darkroom("sweep", "--verify", "--older-than", "0s")
            #expect(swept.ending == .exited(0), "\(swept.standardOutput)\(swept.standardError)")

            // A picture is lost, and another one damaged: both are rendered again.
            let keys = try #require(try await reading.post(posts[0].id)).renditions.map(\.mediaKey)
            let client = try bucket.client(prefix: "media")
            try await client.delete(.init(keys[0]))
            try await client.put(.init(keys[1]), bytes: [1, 2, 3])
            let worker = try WorkerProcess(darkroom)
            let mended = try await darkroom.darkroom("sweep", "--verify", "--older-than", "0s")
            #expect(mended.ending == .exited(1), "\(mended.standardError)")
            worker.send(SIGTERM)
            #expect(try await worker.end() == .exited(0))
            let again = try await darkroom.darkroom("sweep", "--verify", "--older-than", "0s")
            #expect(again.ending == .exited(0), "\(again.standardOutput)\(again.standardError)")

            try await pool.query("update darkroom.settings set original_grace = '0'")
            try await pool.query("select darkroom.erase_person('ada')")
            try await darkroom.drain()
            #expect(try await reading.posts(in: [.published], limit: 10).count == 1)
            let left = try await Self.files(darkroom)
            let bobs = try #require(try await reading.posts(in: [.published], limit: 1).first)
            // Small photos have the same picture under several names.
            let kept = Set(try #require(try await reading.post(bobs.id)).renditions.map(\.mediaKey))
            #expect(Set(left.filter { $0.hasPrefix("renditions/") }) == kept)
            #expect(left.count == kept.count + 1, "the original")

            try await pool.query("update darkroom.uploads set created_at = now() - interval '30 days'")
            try await pool.query("select darkroom.enqueue_job('erase_originals', 0, 'upkeep')")
            try await darkroom.drain()
            #expect(try await Self.files(darkroom) == kept.sorted())

            // A file that nothing refers to.
            try await client.put(.init("renditions/aa/bb/stray.jpg"), bytes: [1])
            let deleted = try await darkroom.darkroom("sweep", "--delete", "--older-than", "0s")
            #expect(deleted.ending == .exited(0), "\(deleted.standardError)")
            #expect(try await Self.files(darkroom) == kept.sorted())

            let doctor = try await darkroom.command(["doctor"]).run().standardOutput
            for line in [
                "can be read and written", "SHA-256: the store refuses", "large files: are stored in parts",
            ] {
                #expect(doctor.contains(line), "\(doctor)")
            }
            #expect(!doctor.contains("WRONG  media store"), "\(doctor)")
        }
    }

    @Test("is examined by the doctor before the first photo, and left as it was")
    func unused() async throws {
        let bucket = try await TestBucket.make()
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            var darkroom = darkroom
            darkroom.variables = TestBucket.environment.merging(["DARKROOM_MEDIA": bucket.location()]) { $1 }
            let doctor = try await darkroom.command(["doctor"]).run().standardOutput
            for line in [
                "is not in use yet", "put in", "stored again, get a new time",
                "large files: are stored in parts",
                "SHA-256: the store refuses",
            ] {
                #expect(doctor.contains(line), "\(doctor)")
            }
            #expect(try await bucket.keys() == [])
            darkroom.variables["AWS_SECRET_ACCESS_KEY"] = "wrong"
            let refused = try await darkroom.command(["doctor"]).run().standardOutput
            #expect(refused.contains("WRONG  media store"), "\(refused)")
        }
    }

    @Test("lets photos wait while the store is away, and rejects none")
    func away() async throws {
        let bucket = try await TestBucket.make()
        let isAway = Mutex(false)
        let proxy = try FaultProxy(before: bucket.endpoint) { _ in
            isAway.withLock { $0 }
                ? .reply("HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") : .pass
        }
        try await Installation.with(bucket: bucket, endpoint: proxy.endpoint) {
            (darkroom: Installation) async throws -> Void in
            let enqueued = try #require(
                try await darkroom.json("enqueue", try Self.photo(1, in: darkroom)).first)
            let job = JobID(rawValue: Int64(try #require(enqueued.number("job_id"))))
            isAway.withLock { $0 = true }
            let refused = try await darkroom.darkroom("enqueue", try Self.photo(2, in: darkroom))
            #expect(
                refused.ending == .exited(1) && refused.standardError.contains("503"),
                "\(refused.standardError)")
            try await WatchedWorker.with(darkroom) { (worker: WatchedWorker) async throws -> Void in
                let store = darkroom.database.store
                try await worker.wait(for: "/readyz") { $0.body.contains("store: storage_unavailable") }
                #expect(try await store.job(job)?.state.isFinished == false)
                isAway.withLock { $0 = false }
                while try await store.job(job)?.state.isFinished != true {
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(try await store.job(job)?.state == .succeeded)
                #expect(try await store.job(job)?.failures == 0, "\(worker.log)")
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
            }
        }
    }

    @Test("lets photos wait if the bucket was emptied, and takes no other database's store")
    func wrong() async throws {
        let bucket = try await TestBucket.make()
        try await Installation.with(bucket: bucket) { (darkroom: Installation) async throws -> Void in
            let enqueued = try #require(
                try await darkroom.json("enqueue", try Self.photo(1, in: darkroom)).first)
            let job = JobID(rawValue: Int64(try #require(enqueued.number("job_id"))))
            let client = try bucket.client()
            var kept: [(String, [UInt8])] = []
            for key in try await bucket.keys() {
                kept.append((key, try await client.bytes(of: .init(key), atMost: 1 << 24)))
            }
            try await bucket.empty()
            let away = try await darkroom.darkroom("doctor").standardOutput
            #expect(away.contains("WRONG  media store") && away.contains("has no marker"), "\(away)")
            try await WatchedWorker.with(darkroom) { (worker: WatchedWorker) async throws -> Void in
                let store = darkroom.database.store
                try await worker.wait(for: "/readyz") { $0.body.contains("store: storage_unavailable") }
                // The marker, which sorts first, comes last: until then nobody takes a photo for missing.
                for (key, bytes) in kept.reversed() { try await client.put(.init(key), bytes: bytes) }
                while try await store.job(job)?.state.isFinished != true {
                    try await Task.sleep(for: .milliseconds(50))
                }
                let ended = try await store.job(job)
                #expect(ended?.state == .succeeded, "\(String(describing: ended)) \(worker.log)")
                #expect(try await store.job(job)?.failures == 0)
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
            }
            try await Installation.with(bucket: bucket) { (other: Installation) async throws -> Void in
                try await other.database.pool.query("update darkroom.settings set installation = 'ffffffff'")
                let before = try await bucket.keys()
                let refused = try await other.darkroom("enqueue", try Self.photo(2, in: other))
                #expect(refused.ending == .exited(1), "\(refused.standardError)")
                #expect(refused.standardError.contains("another database"), "\(refused.standardError)")
                #expect(try await bucket.keys() == before)
                let adopted = try await other.darkroom("store", "adopt", "--instead-of", "none")
                #expect(adopted.ending == .exited(0), "\(adopted.standardError)")
                _ = try await other.json("enqueue", try Self.photo(2, in: other))
            }
        }
    }
}
