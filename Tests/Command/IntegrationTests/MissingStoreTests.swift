import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Without its disk, the media store", .timeLimit(.minutes(15)))
struct MissingStoreTests {
    private static func photo(_ seed: Int, in darkroom: Installation) throws -> String {
        try darkroom.write(
            PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3, seed: seed), to: "\(seed).jpg")
    }

    /// Leaves a bare mount point.
    private static func unmount(_ darkroom: Installation) throws {
        try #require(rename(darkroom.media, darkroom.media + "-disk") == 0)
        try #require(mkdir(darkroom.media, 0o755) == 0)
    }

    private static func mount(_ darkroom: Installation) throws {
        try #require(rmdir(darkroom.media) == 0, "it is still empty")
        try #require(rename(darkroom.media + "-disk", darkroom.media) == 0)
    }

    @Test("takes no photos, and no second store is begun")
    func enqueue() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            _ = try await darkroom.json("enqueue", try Self.photo(1, in: darkroom))
            try Self.unmount(darkroom)
            let refused = try await darkroom.darkroom(
                "enqueue", try Self.photo(2, in: darkroom), try Self.photo(3, in: darkroom))
            #expect(refused.ending == .exited(1))
            #expect(refused.standardError.split(separator: "\n").count == 1, "\(refused.standardError)")
            #expect(refused.standardError.contains("mount the right disk"), "\(refused.standardError)")
            #expect(try await darkroom.database.jobs().count == 1)
            try Self.mount(darkroom)
            _ = try await darkroom.json("enqueue", try Self.photo(2, in: darkroom))
        }
    }

    @Test("lets no worker reject a photo: it waits, says so, and goes on when the disk is back")
    func work() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let enqueued = try #require(
                try await darkroom.json("enqueue", try Self.photo(1, in: darkroom)).first)
            let job = JobID(rawValue: Int64(try #require(enqueued.number("job_id"))))
            try Self.unmount(darkroom)
            try await WatchedWorker.with(darkroom) { (worker: WatchedWorker) async throws -> Void in
                let store = darkroom.database.store
                let answer = try await worker.wait(for: "/readyz") {
                    $0.body.contains("store: storage_unavailable")
                }
                #expect(answer.status == 503)
                #expect(answer.body.contains("mount the right disk"))
                try Self.mount(darkroom)
                try await worker.wait(for: "/readyz") { $0.status == 200 }
                while try await store.job(job)?.state.isFinished != true {
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(try await store.job(job)?.state == .succeeded)
                #expect(try await store.job(job)?.failures == 0)
                #expect(worker.log.contains("\"dependency.away\""))
                #expect(worker.log.contains("\"dependency.back\""))
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
            }
        }
    }

    @Test("is shown by doctor, and another one can be adopted by naming the old one")
    func adopt() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            func doctor() async throws -> JSONObject {
                let output = try await darkroom.command(["doctor", "--json"]).run().standardOutput
                return try #require(
                    try JSONObject.lines(output).first { $0.string("check") == "media store" })
            }
            #expect(try await doctor().string("detail")?.contains("not in use yet") == true)
            #expect(!FileManager.default.fileExists(atPath: darkroom.media), "doctor changes nothing")
            #expect(try await darkroom.darkroom("store", "adopt").ending == .exited(0))
            _ = try await darkroom.json("enqueue", try Self.photo(1, in: darkroom))
            let rows = try await darkroom.database.pool.query(
                "select media_identity as identity from darkroom.settings")
            let old = try rows[0].decode("identity", as: String.self)
            #expect(try await doctor().string("detail")?.contains(old) == true)
            #expect(try await doctor().string("level") == "ok")

            try Self.unmount(darkroom)
            #expect(try await doctor().string("level") == "wrong")
            #expect(try await doctor().string("detail")?.contains(old) == true)
            for arguments in [["store", "adopt"], ["store", "adopt", "--instead-of", "0123456789abcdef"]] {
                let refused = try await darkroom.command(arguments).run()
                #expect(refused.ending == .exited(1))
                #expect(
                    refused.standardError.contains(old)
                        && refused.standardError.contains("nothing was changed"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: darkroom.media) == [])
            // The photo that waits is not there, and would be rejected.
            let empty = try await darkroom.darkroom("store", "adopt", "--instead-of", old)
            #expect(empty.ending == .exited(1) && empty.standardError.contains("--without-files"))
            let adopted = try await darkroom.darkroom(
                "store", "adopt", "--instead-of", old, "--without-files")
            #expect(adopted.ending == .exited(0), "\(adopted.standardError)")
            _ = try await darkroom.json("enqueue", try Self.photo(1, in: darkroom))
            #expect(try await doctor().string("level") == "ok")
            #expect(try await doctor().string("detail")?.contains(old) == false)
        }
    }

    @Test(
        "that another database has made is not used, and a sweep deletes nothing there, before it is adopted")
    func foreign() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            _ = try await darkroom.json("enqueue", try Self.photo(1, in: darkroom))
            try await QueueDatabase.with { (other: QueueDatabase) async throws -> Void in
                // All databases of tests are copies of one.
                try await other.pool.query("update darkroom.settings set installation = '0badcafe'")
                func run(_ arguments: String...) async throws -> ChildProgram.Output {
                    try await darkroom.command(arguments + ["--database", other.url]).run()
                }
                for arguments in [["enqueue", try Self.photo(2, in: darkroom)], ["sweep", "--delete"]] {
                    let refused = try await darkroom.command(arguments + ["--database", other.url]).run()
                    #expect(refused.ending == .exited(1))
                    #expect(refused.standardError.contains("of another database"), "\(refused.standardError)")
                }
                #expect(try await run("doctor").standardOutput.contains("which the database does not know"))
                let shown = try await run("store", "adopt")
                #expect(shown.ending == .exited(1) && shown.standardError.contains("--instead-of none"))
                #expect(try await run("store", "adopt", "--instead-of", "none").ending == .exited(0))
                #expect(try await run("enqueue", try Self.photo(2, in: darkroom)).ending == .exited(0))
            }
        }
    }
}
