import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// Takes a store away under a running worker, in each way that a disk can be taken, and gives it back.
@Suite("A store that is away costs no photo a try", .timeLimit(.minutes(15)))
struct StorageFaultTests {
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case full, readOnly, unmounted
        var testDescription: String { rawValue }

        /// What /readyz says.
        var report: String {
            switch self {
            case .full: "store_space: storage_full: "
            case .readOnly: "store_writing: storage_read_only: "
            case .unmounted: "store: storage_unavailable: "
            }
        }
    }

    /// A small disk of its own at the media directory.
    private struct Disk {
        let path: String
        /// Where the disk stays mounted while it is away from its place.
        var elsewhere: String { path + "-elsewhere" }
        private var filler: String { path + "/filler" }

        init(at path: String) throws {
            self.path = path
            try #require(mkdir(path, 0o755) == 0 && mkdir(elsewhere, 0o755) == 0)
            try #require(mount("tmpfs", path, "tmpfs", 0, "size=16m") == 0)
            try #require(mount(path, elsewhere, nil, UInt(MS_BIND), nil) == 0)
        }

        func remove() {
            while umount2(path, CInt(MNT_DETACH)) == 0 {}
            while umount2(elsewhere, CInt(MNT_DETACH)) == 0 {}
        }

        func take(_ fault: Fault) throws {
            switch fault {
            case .full:
                let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
                defer { close(descriptor) }
                let block = [UInt8](repeating: 1, count: 4096)
                while write(descriptor, block, block.count) > 0 {}
                #expect(errno == ENOSPC)
            case .readOnly:
                try #require(mount("tmpfs", path, nil, UInt(MS_REMOUNT | MS_RDONLY | MS_BIND), nil) == 0)
            case .unmounted: try #require(umount2(path, CInt(MNT_DETACH)) == 0)
            }
        }

        func giveBack(_ fault: Fault) throws {
            switch fault {
            case .full: try #require(unlink(filler) == 0)
            case .readOnly:
                try #require(mount("tmpfs", path, nil, UInt(MS_REMOUNT | MS_BIND), nil) == 0)
            case .unmounted: try #require(mount(elsewhere, path, nil, UInt(MS_BIND), nil) == 0)
            }
        }
    }

    private static let canMount: Bool = {
        let path = "/tmp/darkroom-mount-\(getpid())"
        guard mkdir(path, 0o700) == 0 else { return false }
        defer { rmdir(path) }
        guard mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0 else { return false }
        return umount2(path, CInt(MNT_DETACH)) == 0
    }()

    @Test(
        "the photos wait, the worker and doctor say why, and all go on when it is back",
        .enabled(if: canMount, "this process may not mount a file system"), arguments: Fault.allCases)
    func taken(_ fault: Fault) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let disk = try Disk(at: darkroom.media)
            defer { disk.remove() }
            let photos = try (1...6).map {
                try darkroom.write(
                    PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3, seed: $0), to: "\($0).jpg")
            }
            for photo in photos { _ = try await darkroom.json("enqueue", photo) }
            let store = darkroom.database.store
            try disk.take(fault)
            try await WatchedWorker.with(darkroom) { (worker: WatchedWorker) async throws -> Void in
                try await worker.wait(for: "/readyz") {
                    $0.status == 503 && $0.body.contains("\n\(fault.report)")
                }
                let doctor = try await darkroom.command(["doctor", "--json"]).run().standardOutput
                while try await store.workers().first?.away.isEmpty != false {
                    try await Task.sleep(for: .milliseconds(10))
                }
                let finding = try #require(
                    try JSONObject.lines(doctor).first { $0.string("check") == "media store" })
                #expect(finding.string("level") == "wrong", "\(doctor)")
                #expect(try await store.workers().flatMap(\.away).contains { $0.hasPrefix(fault.report) })
                let stats = try await darkroom.command(["queue", "stats"]).runSuccessfully().standardOutput
                #expect(stats.contains("waits for \(fault.report)"), "\(stats)")
                #expect(try await darkroom.database.jobs().allSatisfy { !$0.state.isFinished })
                try disk.giveBack(fault)
                try await worker.wait(for: "/readyz") { $0.status == 200 }
                while try await !darkroom.database.jobs().allSatisfy({ $0.state == .succeeded }) {
                    try await Task.sleep(for: .milliseconds(20))
                }
                let jobs = try await darkroom.database.jobs()
                #expect(jobs.count == 6 && jobs.allSatisfy { $0.failures == 0 && $0.crashes == 0 })
                #expect(worker.log.contains("\"dependency.away\""), "\(worker.log)")
                #expect(worker.log.contains("\"dependency.back\""))
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
            }
        }
    }
}
