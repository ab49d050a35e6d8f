import ChildProcess
import Digests
import Glibc
import Testing

@testable import MediaStore

@Suite(.timeLimit(.minutes(15))) struct DurabilityTests {
    static let publishedCount: UInt64 = 50

    @Test(arguments: ["publish", "publish, named"])
    func `Processes that publish the same bytes at once all succeed`(task: String) async throws {
        let directory = try TemporaryDirectory()
        let children = try (0..<3).map { _ in try Child(task: task, root: directory.path) }
        for child in children {
            #expect(try await child.nextReport() == 1)
            #expect(child.wait() == .exited(0))
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
        #expect(child.killAndWait() == .killed(signal: SIGKILL))

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
        #expect(child.wait() == .exited(0))
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
        while Self.freeBytes(at: directory.path) < 3 << 18 { try await Task.sleep(for: .milliseconds(1)) }
        let stored = try await store.putOriginal(bytes: [UInt8](repeating: 2, count: 1 << 19))
        #expect(try files(below: directory.path, unfinished: true) == [stored.key.path])
    }
}
