import ChildProcess
import Digests
import Glibc
import Testing

@testable import MediaStore

/// What survives a power cut: a file whose bytes were synced before it got its name, in directories that were synced
/// after their entries changed.
///
/// No test can cut the power. This one watches the system calls of another process, and keeps account of what a cut
/// would lose at the end of each call.
@Suite("A call of the store", .timeLimit(.minutes(15)))
struct SyncTests {
    static let original: [UInt8] = bytes(1000, seed: 11)
    static let rendition: [UInt8] = bytes(1000, seed: 12)

    /// What the child's calls must sync themselves, in order. A file that is stored again may have been stored by a
    /// process that has not synced the directory yet.
    private static let calls: [(name: String, synced: [String])] = {
        func folder(_ tree: String, _ bytes: [UInt8]) -> String {
            let hex = SHA256Digest(hashing: bytes).hex
            return "/\(tree)/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))"
        }
        let originals = folder("originals", original)
        let renditions = folder("renditions", rendition)
        return [
            ("making a store", ["", "/originals"]),
            ("storing an original", [originals]),
            ("storing an original again", [originals]),
            ("publishing a rendition", [renditions]),
            ("publishing a rendition again", [renditions]),
            ("marking a store that others have filled", ["/originals"]),
            ("removing an original", [originals]),
        ]
    }()

    @Test(
        "leaves nothing that a power cut would lose",
        .enabled(if: SystemCallTrace.isPossible, "strace is missing, or this process may not trace others"),
        arguments: ["each call once", "each call once, named"])
    func durable(task: String) async throws {
        let directory = try TemporaryDirectory()
        let records = try TemporaryDirectory()
        let record = "\(records.path)/record"
        let child = try Child(
            task: task, root: directory.path, tracer: SystemCallTrace.command(writingTo: record))
        for call in Self.calls { #expect(try await child.nextReport() == 1, "\(call.name)") }
        #expect(child.wait() == .exited(0))

        let trace = try SystemCallTrace(record: record, root: directory.path)
        #expect(trace.namedBeforeSync == [])
        #expect(trace.spans.count == Self.calls.count)
        for (call, span) in zip(Self.calls, trace.spans) {
            #expect(span.unsynced == [], "\(call.name)")
            #expect(span.synced.isSuperset(of: call.synced), "\(call.name)")
        }
        // Two trees, two folders in each, two files, the marker, its successor, and no original any more.
        #expect(trace.spans.map(\.changes).reduce(0, +) >= 10)
    }
}
