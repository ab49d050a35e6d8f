import ChildProcess
import FoundationEssentials
import Glibc
import Ingestion
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("While the disk of the media store is frozen", .timeLimit(.minutes(15)))
struct FrozenStoreTests {
    private static func heartbeats(_ darkroom: Installation) async throws -> Int64 {
        let rows = try await darkroom.database.pool.query(
            "select coalesce(max(heartbeats), 0) as heartbeats from darkroom.workers")
        return try rows[0].decode("heartbeats", as: Int64.self)
    }

    @Test(
        "jobs wait without losing a try, other jobs go on, every command ends, and nothing is lost",
        .enabled("needs root, loop devices, mkfs.ext4 and fsfreeze", FrozenDisk.isPossible))
    func frozen() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await FrozenDisk.with(darkroom) { (disk: FrozenDisk) async throws -> Void in
                let store = darkroom.database.store
                let photos = try (1...4).map {
                    try darkroom.write(
                        PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3, seed: $0), to: "\($0).jpg")
                }
                for photo in photos.dropLast() { _ = try await darkroom.json("enqueue", photo) }
                try await darkroom.command(["queue", "pause", "--kind", "ingest"]).runSuccessfully()
                try await disk.freeze()

                async let doctor = darkroom.darkroom("doctor", "--json")
                async let enqueue = darkroom.darkroom("enqueue", photos[3])
                async let adopt = darkroom.darkroom("store", "adopt")
                async let delete = darkroom.darkroom("sweep", "--delete", "--older-than", "0s")
                async let sweep = darkroom.darkroom("sweep", "--verify", "--dry-run")
                try await WatchedWorker.with(darkroom) { (worker: WatchedWorker) async throws -> Void in
                    let ready = try await worker.wait(for: "/readyz") {
                        $0.body.contains("storage_unavailable")
                    }
                    #expect(ready.body.contains("\nstore: storage_unavailable: "), "\(ready.body)")
                    try await darkroom.command(["queue", "resume", "--kind", "ingest"]).runSuccessfully()
                    let before = try await Self.heartbeats(darkroom)
                    try await darkroom.database.pool.query(
                        "select darkroom.enqueue_job('expire', 0, 'upkeep')")
                    try await until { try await darkroom.database.jobs(in: [.succeeded]).count == 1 }
                    try await until { try await Self.heartbeats(darkroom) > before + 1 }
                    #expect(try await darkroom.database.jobs(in: [.waiting]).count == 3)
                    // No thread of this worker has written, so it can end.
                    worker.process.send(SIGTERM)
                    #expect(try await worker.process.end() == .exited(0))
                }

                let refused = try await enqueue
                #expect(refused.ending == .exited(1))
                #expect(refused.standardError.contains("did not return"), "\(refused.standardError)")
                let finding = try JSONObject.lines(try await doctor.standardOutput).first {
                    $0.string("check") == "media store"
                }
                #expect(finding?.string("level") == "wrong")
                #expect(finding?.string("detail")?.contains("did not return") == true)
                #expect(try await adopt.ending == .exited(1))
                #expect(try await delete.ending == .exited(1))
                #expect(try await delete.standardError.contains("did not return"))
                // Reading goes on.
                #expect(try await sweep.ending == .exited(0))

                // This one begins a photo before it knows.
                try await WatchedWorker.with(darkroom, "--shutdown-budget", "1s") {
                    (worker: WatchedWorker) async throws -> Void in
                    try await until { try await !darkroom.database.jobs(in: [.running]).isEmpty }
                    try await until { Self.hasStuckThread(worker.process.program.process) }
                    worker.process.send(SIGTERM)
                    // Its jobs are free for others while its process cannot end.
                    try await until { try await darkroom.database.jobs(in: [.waiting]).count == 3 }
                    try await until { try await store.workers().isEmpty }
                    #expect(kill(worker.process.program.process, 0) == 0)
                    try await disk.thaw()
                    #expect(try await worker.process.end() == .exited(0))
                }
                try await darkroom.drain()
                let jobs = try await darkroom.database.jobs().filter { $0.kind == .ingest }
                #expect(jobs.count == 3 && jobs.allSatisfy { $0.state == .succeeded })
                #expect(jobs.allSatisfy { $0.failures == 0 && $0.crashes == 0 })
                #expect(try await darkroom.darkroom("sweep", "--verify").ending == .exited(0))
            }
        }
    }

    /// Whether a thread of the process is in a call that nothing can end.
    private static func hasStuckThread(_ process: Int32) -> Bool {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return threads.contains { thread in
            let status = FileManager.default.contents(atPath: "/proc/\(process)/task/\(thread)/stat")
            let text = String(decoding: status ?? Data(), as: UTF8.self)
            return text.split(separator: ")").last?.split(separator: " ").first == "D"
        }
    }
}
