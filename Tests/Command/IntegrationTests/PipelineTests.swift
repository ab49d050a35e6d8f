import ChildProcess
import FoundationEssentials
import Glibc
import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import TestKit
import Testing

@Suite("A photo becomes a post", .timeLimit(.minutes(15)))
struct PipelineTests {
    @Test("with place, time and size from its EXIF, upright, and stripped")
    func fromEXIF() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photo = PhotoFixture.jpeg(
                width: 1600, height: 1200, latitude: -33.9175, longitude: 18.4026,
                takenAt: "2024:02:10 17:32:11", offset: "+02:00", orientation: 6,
                caption: "CANARY caption", comment: "CANARY comment")
            let path = try darkroom.write(photo, to: "photo.jpg")
            _ = try await darkroom.json("enqueue", "--uploader", "ada", "--headline", "The bay", path)
            try await darkroom.drain()

            let posts = try await darkroom.json("posts", "list")
            try #require(posts.count == 1)
            let post = posts[0]
            #expect(post.string("headline") == "The bay")
            #expect(post.string("uploader") == "ada")
            #expect(post.number("width") == 1200 && post.number("height") == 1600)
            // In the centre of its cell of 10 m.
            #expect(abs(try #require(post.number("latitude")) + 33.9175) < 5e-5)
            #expect(post.string("location_source") == "exif")
            #expect(post.string("taken_at") == "2024-02-10T15:32:11Z")
            #expect(post.string("taken_at_local") == "2024-02-10T17:32:11")
            #expect(post.string("place", "name") == "Cape Town")
            #expect(post.string("division", "name") == "Western Cape")
            #expect(post.string("country", "code") == "ZA")
            let sizes = post.array("renditions").map {
                "\($0.string("name") ?? "") \(Int($0.number("width") ?? 0))x\(Int($0.number("height") ?? 0))"
            }
            #expect(Set(sizes) == ["large 1200x1600", "medium 810x1080", "square 320x320"])
            try await expectNoMetadata(in: darkroom.media, count: 3)
        }
    }

    /// exiftool shares no code with the encoder or our own check.
    private func expectNoMetadata(in media: String, count: Int) async throws {
        let exiftool = try #require(ChildProgram.find("exiftool"), "exiftool is in docker/packages.txt")
        let files = try filesBelow(media + "/renditions")
        #expect(files.count == count)
        for file in files {
            let path = "\(media)/renditions/\(file)"
            let output = try await ChildProgram(
                exiftool, ["-j", "-G1", "-a", "-u", "-ee3", "-api", "RequestAll=3", path]
            ).runSuccessfully().standardOutput
            // The rest is what exiftool says about the file and the JPEG frame itself.
            let groups = output.split(separator: "\n").compactMap { line -> Substring? in
                guard let colon = line.firstIndex(of: ":"), line.contains("\"") else { return nil }
                return line[..<colon].split(separator: "\"").last
            }
            let foreign = groups.filter {
                !["SourceFile", "ExifTool", "System", "File", "JFIF", "Composite"].contains($0)
            }
            #expect(foreign.isEmpty, "\(file): \(foreign)")
            let bytes = [UInt8](try #require(FileManager.default.contents(atPath: path)))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("CANARY"))
            #expect(bytes.suffix(2) == [0xFF, 0xD9])
        }
    }

    @Test("with the coordinates given at enqueue rather than those of the photo")
    func coordinatesWin() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = try darkroom.write(
                PhotoFixture.jpeg(latitude: -33.9175, longitude: 18.4026), to: "p.jpg")
            _ = try await darkroom.json("enqueue", "--lat", "47.6", "--lon", "-122.33", path)
            try await darkroom.drain()
            let post = try #require(try await darkroom.json("posts", "list").first)
            #expect(abs(try #require(post.number("latitude")) - 47.6) < 5e-5)
            #expect(abs(try #require(post.number("longitude")) + 122.33) < 7e-5)
            #expect(post.string("location_source") == "device")
            #expect(post.string("place", "name") == "Seattle")
        }
    }

    @Test("with the camera only if the configuration says so", arguments: [false, true])
    func camera(isKept: Bool) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photo = PhotoFixture.jpeg(latitude: -33.9175, longitude: 18.4026) {
                $0.set(.main, 0x010F, .ascii("Apple"))
                $0.set(.main, 0x0110, .ascii("iPhone 15"))
            }
            _ = try await darkroom.json("enqueue", try darkroom.write(photo, to: "p.jpg"))
            let rendering = try darkroom.write(
                Array(#"{"keep_camera": \#(isKept)}"#.utf8), to: "rendering.json")
            try await darkroom.command(["work", "--drain", "--rendering", rendering]).runSuccessfully()
            let post = try #require(try await darkroom.json("posts", "list").first)
            #expect(post.string("camera_make") == (isKept ? "Apple" : nil))
            #expect(post.string("camera_model") == (isKept ? "iPhone 15" : nil))
            #expect(post.string("perceptual_hash")?.count == 16)
        }
    }

    @Test("with its direction and altitude only where the configuration says so and its position is exact")
    func direction() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photo = PhotoFixture.jpeg(latitude: -33.9175, longitude: 18.4026) {
                $0.set(.gps, 0x0006, .rationals([(1275, 10)]))
                $0.set(.gps, 0x0011, .rationals([(2705, 10)]))
            }
            let rendering = try darkroom.write(Array(#"{"keep_direction": true}"#.utf8), to: "rendering.json")
            func work(_ options: String...) async throws {
                try await darkroom.command(["work", "--drain"] + options).runSuccessfully()
            }
            func enqueue(_ privacy: String, _ uploader: String) async throws {
                let path = try darkroom.write(photo, to: "p.jpg")
                _ = try await darkroom.json(
                    "enqueue", "--uploader", uploader, "--location-privacy", privacy, path)
            }
            try await darkroom.database.pool.query(
                "insert into darkroom.location_policies (privacy, minimum_population, note) values ('exact', 0, 'views')"
            )
            try await enqueue("exact", "a")
            try await work()
            try await enqueue("exact", "b")
            try await enqueue("grid_10m", "c")
            try await work("--rendering", rendering)
            func shown() async throws -> [String] {
                try await darkroom.database.pool.query(
                    "select concat_ws(' ', uploader, direction, altitude_m) as shown from darkroom.latest_posts() order by 1"
                ).map { try $0.decode("shown", as: String.self) }
            }
            #expect(try await shown() == ["a", "b 270.5 127.5", "c"])
            // As a stricter policy does later.
            try await darkroom.database.pool.query("update darkroom.posts set location_privacy = 'grid_1km'")
            #expect(try await shown() == ["a", "b", "c"])
        }
    }

    @Test("without its credit, however it is configured, if its uploader is anonymous")
    func anonymousCredit() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photo = PhotoFixture.jpeg(latitude: -33.9175, longitude: 18.4026) {
                $0.set(.main, 0x013B, .ascii("CANARY Artist"))
            }
            let recipe = """
                {"recipe": {"name": "c", "version": 1, "keep_credit": true, "renditions": [{"name": "large", "fit": 64}]}}
                """
            let rendering = try darkroom.write(Array(recipe.utf8), to: "rendering.json")
            func pictures() async throws -> [Bool] {
                try await darkroom.database.pool.query(
                    "select r.media_key from darkroom.renditions r join darkroom.posts p using (post_id) order by p.anonymous"
                ).map { row in
                    let path = "\(darkroom.media)/\(try row.decode("media_key", as: String.self))"
                    let bytes = try #require(FileManager.default.contents(atPath: path))
                    return String(decoding: bytes, as: UTF8.self).contains("CANARY")
                }
            }
            for option in [[], ["--anonymous"]] {
                let path = try darkroom.write(photo, to: "p.jpg")
                try await darkroom.command(["enqueue", path] + option).runSuccessfully()
            }
            try await darkroom.command(["work", "--drain", "--rendering", rendering]).runSuccessfully()
            #expect(try await pictures() == [true, false])
            let again = try darkroom.write(
                Array(recipe.replacing("\"version\": 1", with: "\"version\": 2").utf8), to: "again.json")
            let worker = try WorkerProcess(darkroom, "--rendering", again)
            try await darkroom.command(["posts", "rerender", "--rendering", again]).runSuccessfully()
            worker.send(SIGTERM)
            #expect(try await worker.end() == .exited(0))
            #expect(try await pictures() == [true, false], "rendered again")
        }
    }

    @Test("with a typed place and a given time")
    func typedPlace() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = try darkroom.write(PhotoFixture.png(width: 300, height: 200), to: "p.png")
            _ = try await darkroom.json(
                "enqueue", "--place", "seattle, wa", "--taken-at", "2026-05-01T12:00:00+02:00", path)
            try await darkroom.drain()
            let post = try #require(try await darkroom.json("posts", "list").first)
            #expect(post.string("location_source") == "text")
            #expect(post.string("place", "name") == "Seattle")
            #expect(post.string("taken_at") == "2026-05-01T10:00:00Z")
            #expect(post.string("taken_at_source") == "uploader")
            #expect(post.string("format") == "png")
        }
    }

    static let bad: [(String, [UInt8], String)] = [
        ("none.jpg", PhotoFixture.jpeg(), "no_location"),
        ("null.jpg", PhotoFixture.jpeg(latitude: 0, longitude: 0), "no_location"),
        ("text.jpg", PhotoFixture.text, "not_an_image"), ("empty.jpg", PhotoFixture.empty, "empty_file"),
        (
            "cut.jpg", PhotoFixture.truncated(PhotoFixture.jpeg(latitude: 1, longitude: 1), to: 0.6),
            "truncated"
        ),
        ("bomb.jpg", PhotoFixture.jpeg(claimingWidth: 60_000, height: 60_000), "too_many_pixels"),
    ]

    @Test("or is rejected with a reason and a sentence, and nothing is published", arguments: bad)
    func rejected(name: String, bytes: [UInt8], reason: String) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = try darkroom.write(bytes, to: name)
            _ = try await darkroom.json("enqueue", path)
            try await darkroom.drain()
            // Its uploader is told of it, which a tally does.
            let jobs = try await darkroom.json("jobs", "list", "--kind", "ingest")
            try #require(jobs.count == 1)
            #expect(jobs[0].string("state") == "rejected")
            #expect(jobs[0].string("reason") == reason)
            #expect(try #require(jobs[0].string("message")).hasSuffix("."))
            #expect(try await darkroom.json("posts", "list", "--all").isEmpty)
            #expect(try filesBelow(darkroom.media + "/renditions").isEmpty)
        }
    }

    @Test(
        "or is rejected when the original is not the announced one",
        arguments: [
            ("key", "'../../etc/passwd'", "key_escapes_store"), ("key", "'/etc/passwd'", "key_escapes_store"),
            ("key", "'originals/none'", "original_missing"), ("sha256", "repeat('ab', 32)", "hash_mismatch"),
            ("bytes", "17", "size_mismatch"),
        ])
    func notAsAnnounced(what: String, value: String, reason: String) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let store = try MediaLocation.store(at: darkroom.media, recordedIn: darkroom.database.pool)
            let stored = try await store.putOriginal(bytes: PhotoFixture.jpeg(latitude: 1, longitude: 1))
            let values = [
                "key": "'\(stored.key.path)'", "sha256": "'\(stored.sha256)'", "bytes": "\(stored.byteCount)",
            ].merging([what: value]) { _, new in new }
            try await darkroom.database.pool.query(
                """
                select darkroom.enqueue_upload(
                    uploader => 'a', original_key => \(unescaped: values["key"]!),
                    original_sha256 => \(unescaped: values["sha256"]!),
                    original_bytes => \(unescaped: values["bytes"]!))
                """)
            try await darkroom.drain()
            let job = try #require(try await darkroom.database.jobs(in: []).first)
            #expect(job.state == .rejected && job.reason?.code == reason)
            #expect(job.reason?.message.contains("passwd") == false)
        }
    }

    @Test(
        "is not rejected for a symbolic link in the store, which is our fault",
        arguments: ["originals", "renditions"])
    func linkInStore(tree: String) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = try darkroom.write(PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3), to: "p.jpg")
            _ = try await darkroom.json("enqueue", path)
            // All of a tree's folders, since the names of renditions are not known before.
            let folder = "\(darkroom.media)/\(tree)"
            for number in 0..<256 {
                let name = (number < 16 ? "0" : "") + String(number, radix: 16)
                try? FileManager.default.createDirectory(
                    atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
                try FileManager.default.moveItem(
                    atPath: "\(folder)/\(name)", toPath: "\(folder)/\(name)-moved")
                try FileManager.default.createSymbolicLink(
                    atPath: "\(folder)/\(name)", withDestinationPath: "\(name)-moved")
            }
            let worker = try WorkerProcess(darkroom)
            var attempt: AttemptRecord?
            while attempt == nil {
                let job = try #require(try await darkroom.database.jobs().first)
                attempt = try await darkroom.database.store.attempts(of: job.id).first
                try await Task.sleep(for: .milliseconds(20))
            }
            worker.send(SIGTERM)
            #expect(try await worker.end() == .exited(0))
            #expect(attempt?.outcome == "retry" && attempt?.reason?.code == "storage_unavailable")
        }
    }

    @Test("or is rejected with candidates when the typed place is ambiguous, unless the photo has a location")
    func ambiguousPlace() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let bare = try darkroom.write(PhotoFixture.jpeg(seed: 1), to: "bare.jpg")
            let placed = try darkroom.write(
                PhotoFixture.jpeg(latitude: 37.2, longitude: -93.3), to: "placed.jpg")
            for photo in [bare, placed] {
                _ = try await darkroom.json("enqueue", "--place", "Springfield", photo)
            }
            try await darkroom.drain()
            let rejected = try await darkroom.json("jobs", "list", "--state", "rejected")
            #expect(rejected.map { $0.string("reason") } == ["place_ambiguous"])
            #expect(rejected.first?.string("message")?.contains("Illinois") == true)
            let post = try #require(try await darkroom.json("posts", "list").first)
            #expect(post.string("division", "name") == "Missouri")
            #expect(post.string("location_source") == "exif")
        }
    }

    @Test("and is hidden once enough people have reported it")
    func reported() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = try darkroom.write(PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3), to: "p.jpg")
            _ = try await darkroom.json("enqueue", path)
            try await darkroom.drain()
            for reporter in 0..<5 {
                #expect(try await darkroom.json("posts", "list").count == 1)
                try await darkroom.database.pool.query(
                    """
                    select darkroom.report_post(
                        post_id => (select post_id from darkroom.posts), reporter => \("r\(reporter)"), reason => 'spam',
                        reporter_since => now() - interval '1 year')
                    """)
                try await darkroom.drain()
            }
            #expect(try await darkroom.json("posts", "list").isEmpty)
            #expect(try await darkroom.json("posts", "list", "--state", "hidden").count == 1)
        }
    }
}
