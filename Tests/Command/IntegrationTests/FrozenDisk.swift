import ChildProcess
import FoundationEssentials
import Glibc
import TestKit
import Testing

/// A disk of its own at the media directory, which can be frozen as a snapshot or a dying controller does it.
///
/// Whatever writes to a frozen disk waits until the disk is thawed, and nothing ends it. So the test itself never touches
/// the disk, and a process that outlives the test thaws it in any case.
struct FrozenDisk {
    private let path: String
    private let watchdog: RunningProgram

    /// Calls `body` with a disk at the media directory; thaws and unmounts it afterwards.
    static func with(_ darkroom: Installation, _ body: (FrozenDisk) async throws -> Void) async throws {
        let disk = try await FrozenDisk(at: darkroom.media, image: darkroom.root + "/disk")
        let result: Result<Void, any Error>
        do { result = .success(try await body(disk)) } catch { result = .failure(error) }
        try? await disk.thaw()
        disk.watchdog.send(SIGTERM)
        try await run("umount", "--lazy", disk.path)
        try result.get()
    }

    private init(at path: String, image: String) async throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let file = open(image, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        defer { close(file) }
        try #require(ftruncate(file, 32 << 20) == 0)
        try await Self.run("mkfs.ext4", "-q", "-F", image)
        try await Self.run("mount", "-o", "loop", image, path)
        watchdog = try ChildProgram(
            "/bin/sh",
            [
                "-c",
                // No test runs for longer.
                """
                seconds=0
                while kill -0 \(getpid()) && [ $seconds -lt 1200 ]; do sleep 1; seconds=$((seconds + 1)); done
                exec fsfreeze --unfreeze '\(path)'
                """,
            ]
        ).start(ownSession: true)
    }

    func freeze() async throws { try await Self.run("fsfreeze", "--freeze", path) }

    func thaw() async throws { try await Self.run("fsfreeze", "--unfreeze", path) }

    /// Whether this machine lets us make such a disk.
    static func isPossible() async throws -> Bool {
        guard geteuid() == 0,
            ["mkfs.ext4", "mount", "umount", "fsfreeze"].allSatisfy({ ChildProgram.find($0) != nil })
        else { return false }
        return try await withTemporaryDirectory { (root: String) async throws -> Bool in
            do {
                let disk = try await FrozenDisk(at: root + "/mount", image: root + "/disk")
                disk.watchdog.send(SIGTERM)
                try await run("umount", disk.path)
                return true
            } catch is ChildProgramError {
                return false
            }
        }
    }

    private static func run(_ name: String, _ arguments: String...) async throws {
        guard let program = ChildProgram.find(name) else { throw ChildProgramError("there is no \(name)") }
        try await ChildProgram(program, arguments).runSuccessfully()
    }
}
