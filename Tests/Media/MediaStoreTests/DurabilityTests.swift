import Glibc
import Testing

@testable import MediaStore

/// The task that a child process of this suite gets from its environment.
private enum ChildTask {
    static let rootVariable = "DARKROOM_MEDIA_TEST_ROOT"
    static let taskVariable = "DARKROOM_MEDIA_TEST_TASK"
    /// The child reports on this descriptor.
    static let reportDescriptor: CInt = 9

    static var name: String? { getenv(taskVariable).map { String(cString: $0) } }
    static var root: String { getenv(rootVariable).map { String(cString: $0) } ?? "" }
}

/// This test program, started again to run only `childTask`.
private final class Child: Sendable {
    let process: pid_t
    let reports: CInt

    init(task: String, root: String) throws {
        var ends: [CInt] = [0, 0]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], ChildTask.reportDescriptor)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        let arguments = [
            "tests", "--testing-library", "swift-testing", "--filter", "MediaStoreTests.ChildTests",
        ]
        let environment = [
            "\(ChildTask.taskVariable)=\(task)", "\(ChildTask.rootVariable)=\(root)",
            "LD_LIBRARY_PATH=" + (getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? ""),
        ]
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var process = pid_t()
        try #require(posix_spawn(&process, "/proc/self/exe", &actions, nil, &argv, &envp) == 0)
        self.process = process
        reports = ends[0]
    }

    deinit { close(reports) }

    /// Waits for the next reported byte; `nil` when the child has ended.
    func nextReport() async throws -> UInt8? {
        try await FileThreads.shared.run { () throws(MediaError) in
            var byte: UInt8 = 0
            while true {
                let count = read(self.reports, &byte, 1)
                if count < 0, errno == EINTR { continue }
                return count == 1 ? byte : nil
            }
        }
    }

    func killAndWait() -> CInt {
        kill(process, SIGKILL)
        return wait()
    }

    func wait() -> CInt {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status
    }
}

/// Not a separate test: what the children of `DurabilityTests` run.
@Suite(.enabled(if: ChildTask.name != nil, "runs only in child processes of DurabilityTests"))
struct ChildTests {
    private func report(_ byte: UInt8) {
        withUnsafePointer(to: byte) { _ = write(ChildTask.reportDescriptor, $0, 1) }
    }

    @Test func childTask() async throws {
        switch ChildTask.name {
        case "write for ever": try await writeForEver(.unnamedIfPossible)
        case "write for ever, named": try await writeForEver(.named)
        case "exceed the file size limit": try await exceedFileSizeLimit()
        case "publish": try await publish(.unnamedIfPossible)
        case "publish, named": try await publish(.named)
        default: Issue.record("no such task")
        }
    }

    private func writeForEver(_ way: LocalMediaStore.UnfinishedFiles) async throws {
        let store = try LocalMediaStore(location: ChildTask.root, unfinishedFiles: way)
        for seed: UInt64 in 1... {
            // Large and in many pieces, so that the kill mostly hits a write.
            var photo = [UInt8](repeating: UInt8(truncatingIfNeeded: seed), count: 4 << 20)
            withUnsafeBytes(of: seed) { photo.replaceSubrange(0..<8, with: $0) }
            _ = try await store.putOriginal(bytes: photo)
            report(1)
        }
    }

    /// Publishes and stores the same files in the same order as every other process with this task.
    private func publish(_ way: LocalMediaStore.UnfinishedFiles) async throws {
        let store = try LocalMediaStore(location: ChildTask.root, unfinishedFiles: way)
        for seed: UInt64 in 1...DurabilityTests.publishedCount {
            let image = bytes(100, seed: seed)
            let file = try store.makeUnnamedRendition()
            #expect(write(file.descriptor, image, image.count) == image.count)
            let published = try await store.sealAndPublish(file, fileExtension: "jpg")
            let stored = try await store.putOriginal(bytes: image)
            #expect(published.sha256 == stored.sha256)
        }
        report(1)
    }

    private func exceedFileSizeLimit() async throws {
        let store = try LocalMediaStore(location: ChildTask.root)
        var limit = rlimit(rlim_cur: 1 << 20, rlim_max: 1 << 20)
        #expect(setrlimit(__rlimit_resource_t(1), &limit) == 0)  // RLIMIT_FSIZE is 1 on Linux
        do {
            _ = try await store.putOriginal(bytes: [UInt8](repeating: 1, count: 2 << 20))
            report(0)
        } catch {
            report(error.code == .noSpace ? 1 : 2)
        }
        let small = try await store.putOriginal(bytes: [1])
        report(small.byteCount == 1 ? 1 : 2)
    }
}

@Suite struct DurabilityTests {
    static let publishedCount: UInt64 = 50

    @Test(arguments: ["publish", "publish, named"])
    func `Processes that publish the same bytes at once all succeed`(task: String) async throws {
        let directory = try TemporaryDirectory()
        let children = try (0..<3).map { _ in try Child(task: task, root: directory.path) }
        for child in children {
            #expect(try await child.nextReport() == 1)
            #expect(child.wait() == 0)
        }
        let visible = try files(below: directory.path, unfinished: true)
        #expect(visible.count == Int(2 * Self.publishedCount))
    }

    @Test(arguments: [("write for ever", 2), ("write for ever, named", 2)])
    func `A writer killed half-way leaves no partial file to be seen`(task: String, stored: Int) async throws
    {
        let directory = try TemporaryDirectory()
        let child = try Child(task: task, root: directory.path)
        var reported = 0
        while reported < stored, try await child.nextReport() != nil { reported += 1 }
        #expect(child.killAndWait() & 0x7F == SIGKILL)

        #expect(reported == stored)
        let store = try LocalMediaStore(location: directory.path)
        let visible = try files(below: directory.path)
        #expect(visible.count >= stored)
        for path in visible {
            let key = try MediaKey(validating: path)
            let digest = try #require(path.split(separator: "/").last.flatMap { SHA256Digest(hex: $0) })
            #expect(try await store.openOriginal(key).sha256() == digest)
        }
        if task == "write for ever" {
            #expect(try files(below: directory.path, unfinished: true) == visible)
        }
    }

    @Test func `The file size limit is no space, not the end of the process`() async throws {
        let directory = try TemporaryDirectory()
        let child = try Child(task: "exceed the file size limit", root: directory.path)
        #expect(try await child.nextReport() == 1)
        #expect(try await child.nextReport() == 1)
        #expect(child.wait() == 0)
        #expect(try files(below: directory.path, unfinished: true).count == 1)
    }

    /// A file system of one mebibyte at `path`; false without the right to mount.
    private static func mountSmallFileSystem(at path: String) -> Bool {
        mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0
    }

    private static func freeBytes(at path: String) -> Int {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? Int(status.f_bfree) * Int(status.f_frsize) : 0
    }

    private static func unmount(_ path: String) { umount2(path, CInt(MNT_DETACH)) }

    private static let canMount: Bool = {
        guard let directory = try? TemporaryDirectory(), mountSmallFileSystem(at: directory.path) else {
            return false
        }
        unmount(directory.path)
        return true
    }()

    @Test(.enabled(if: canMount, "this process may not mount a small file system"), arguments: bothWays)
    func `A full disk is no space and leaves nothing behind`(
        way: LocalMediaStore.UnfinishedFiles
    ) async throws {
        let directory = try TemporaryDirectory()
        try #require(Self.mountSmallFileSystem(at: directory.path))
        defer { Self.unmount(directory.path) }
        let store = try LocalMediaStore(location: directory.path, unfinishedFiles: way)
        let error = await #expect(throws: MediaError.self) {
            try await store.putOriginal(bytes: [UInt8](repeating: 1, count: 2 << 20))
        }
        #expect(error?.code == .noSpace)
        #expect(try files(below: directory.path, unfinished: true) == [])
        // A process that another test is just starting holds all our files open until it runs its program. The space of
        // a removed file becomes free only when nobody has it open.
        while Self.freeBytes(at: directory.path) < 3 << 18 { await Task.yield() }
        let stored = try await store.putOriginal(bytes: [UInt8](repeating: 2, count: 1 << 19))
        #expect(try files(below: directory.path, unfinished: true) == [stored.key.path])
    }
}
