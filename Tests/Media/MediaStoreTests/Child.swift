import ChildProcess
import Glibc
import Testing

@testable import MediaStore

/// The task that a child process of this suite gets from its environment.
enum ChildTask {
    static let rootVariable = "DARKROOM_MEDIA_TEST_ROOT"
    static let taskVariable = "DARKROOM_MEDIA_TEST_TASK"
    /// The child reports on this descriptor.
    static let reportDescriptor: CInt = 9

    static var name: String? { getenv(taskVariable).map { String(cString: $0) } }
    static var root: String { getenv(rootVariable).map { String(cString: $0) } ?? "" }
}

/// This test program, started again to run only `childTask`; under `tracer` if one is given.
final class Child: Sendable {
    private let program: RunningProgram
    let reports: CInt

    init(task: String, root: String, tracer: [String] = []) throws {
        var ends: [CInt] = [0, 0]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        defer { close(ends[1]) }
        let tests = try #require(realpath("/proc/self/exe", nil))
        defer { free(tests) }
        let arguments =
            tracer + [
                String(cString: tests), "--testing-library", "swift-testing", "--filter",
                "MediaStoreTests.ChildTests",
            ]
        let environment = [
            ChildTask.taskVariable: task, ChildTask.rootVariable: root,
            "LD_LIBRARY_PATH": getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? "",
        ]
        program = try ChildProgram(
            arguments[0], Array(arguments.dropFirst()), environment: environment
        ).start(descriptors: [ChildTask.reportDescriptor: ends[1]])
        reports = ends[0]
        // A child that hangs is killed instead of waited for.
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(reports, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(reports) }

    /// Waits for the next reported byte; `nil` when the child has ended.
    func nextReport() async throws -> UInt8? {
        try await FileThreads.shared.run { () throws(MediaError) in
            var byte: UInt8 = 0
            while true {
                let count = read(self.reports, &byte, 1)
                if count < 0, errno == EINTR { continue }
                if count < 0 { self.program.send(SIGKILL) }
                return count == 1 ? byte : nil
            }
        }
    }

    func killAndWait() -> ChildProgram.Ending {
        program.send(SIGKILL)
        return wait()
    }

    func wait() -> ChildProgram.Ending { program.awaitEnd() }
}

/// Not a separate test: what the children of `DurabilityTests` and `SyncTests` run.
@Suite(
    .enabled(if: ChildTask.name != nil, "runs only in child processes of other tests"),
    .timeLimit(.minutes(15)))
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
        case "each call once": try await callEachOnce(.unnamedIfPossible)
        case "each call once, named": try await callEachOnce(.named)
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
            let file = try await store.makeUnnamedRendition()
            #expect(write(file.descriptor, image, image.count) == image.count)
            let published = try await store.sealAndPublish(file, fileExtension: "jpg")
            let stored = try await store.putOriginal(bytes: image)
            #expect(published.sha256 == stored.sha256)
        }
        report(1)
    }

    /// Makes one call after the other, and reports when each has returned.
    private func callEachOnce(_ way: LocalMediaStore.UnfinishedFiles) async throws {
        let store = try LocalMediaStore(location: ChildTask.root, unfinishedFiles: way)
        report(1)
        let original = try await store.putOriginal(bytes: SyncTests.original)
        report(1)
        _ = try await store.putOriginal(bytes: SyncTests.original)
        report(1)
        for _ in 0..<2 {
            let file = try await store.makeUnnamedRendition()
            #expect(write(file.descriptor, SyncTests.rendition, SyncTests.rendition.count) > 0)
            _ = try await store.sealAndPublish(file, fileExtension: "jpg")
            report(1)
        }
        try #require(unlink("\(store.root)/originals/\(StoreMarker.name)") == 0)
        _ = try LocalMediaStore(location: ChildTask.root, unfinishedFiles: way)
        report(1)
        #expect(try await store.remove(original.key, storedBefore: .zero) == .removed)
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
