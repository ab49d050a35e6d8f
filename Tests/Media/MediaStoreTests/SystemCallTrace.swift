import ChildProcess
import Glibc
import Testing

@testable import MediaStore

/// What strace has recorded of a process that changes a directory tree and reports now and then on a descriptor.
struct SystemCallTrace {
    /// What happened until a report. Directories are relative to the root.
    struct Span {
        /// How many entries were made, renamed or removed.
        var changes = 0
        var synced: Set<String> = []
        /// Directories that nobody has synced since their last change.
        var unsynced: Set<String> = []
    }

    private(set) var spans: [Span] = []
    /// Files that got a name while some of their bytes were not synced.
    private(set) var namedBeforeSync: [String] = []

    static let isPossible: Bool = {
        let strace = ChildProgram("/usr/bin/strace", ["--output=/dev/null", "--", "/bin/true"])
        return (try? strace.start())?.awaitEnd() == .exited(0)
    }()

    /// The start of a command line whose rest is the program to watch.
    static func command(writingTo record: String) -> [String] {
        let calls = [
            "write", "pwrite64", "ftruncate", "fsync", "fdatasync", "link", "linkat", "rename", "renameat",
            "renameat2", "mkdir", "mkdirat", "unlinkat", "rmdir",
        ]
        return [
            "/usr/bin/strace", "--follow-forks", "--seccomp-bpf", "--decode-fds=path", "--string-limit=200",
            "--signal=none", "--trace=\(calls.joined(separator: ","))", "--output=\(record)", "--",
        ]
    }

    init(record: String, root: String) throws {
        let root = try #require(
            realpath(root, nil).map { path in
                defer { free(path) }
                return String(cString: path)
            })
        let descriptor = open(record, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        let file = MediaFile(adopting: descriptor, name: record)
        let text = String(decoding: try file.bytes(atMost: 100 << 20), as: UTF8.self)
        var span = Span()
        var unsynced: Set<String> = []
        var unsyncedFiles: Set<String> = []
        for call in Self.wholeCalls(text) where call.succeeded {
            let inside = call.paths.filter { $0.hasPrefix(root) }.map { String($0.dropFirst(root.count)) }
            switch call.name {
            case "write" where call.firstDescriptor == ChildTask.reportDescriptor:
                span.unsynced = unsynced
                spans.append(span)
                span = Span()
            case "write", "pwrite64", "ftruncate":
                unsyncedFiles.formUnion(inside)
            case "fsync", "fdatasync":
                unsynced.subtract(inside)
                unsyncedFiles.subtract(inside)
                span.synced.formUnion(inside)
            default:
                // The last descriptor is that of the directory whose entry changes. Unfinished files may be lost.
                guard let directory = inside.last, !directory.hasSuffix(LocalMediaStore.unfinishedDirectory)
                else { continue }
                if call.name.hasPrefix("link") || call.name.hasPrefix("rename") {
                    namedBeforeSync += unsyncedFiles.sorted()
                }
                span.changes += 1
                unsynced.insert(directory)
            }
        }
    }

    private struct Call {
        var name: Substring
        /// The paths of its descriptors, in order.
        var paths: [Substring]
        var firstDescriptor: CInt?
        var succeeded: Bool
    }

    /// Joins the halves of calls during which another thread's call was recorded.
    private static func wholeCalls(_ text: String) -> [Call] {
        var begun: [Substring: Substring] = [:]
        return text.split(separator: "\n").compactMap { line in
            let thread = line.prefix { $0 != " " }
            var rest = line.dropFirst(thread.count).drop { $0 == " " }
            if rest.hasSuffix("<unfinished ...>") {
                begun[thread] = rest.dropLast("<unfinished ...>".count)
                return nil
            }
            if rest.hasPrefix("<... "), let end = rest.firstRange(of: "resumed>") {
                guard let start = begun.removeValue(forKey: thread) else { return nil }
                rest = start + rest[end.upperBound...]
            }
            let name = rest.prefix { $0 != "(" }
            let arguments = rest.dropFirst(name.count + 1)
            return Call(
                name: name, paths: arguments.matches(of: #/\b(?:\d+|AT_FDCWD)<(/[^>]*)>/#).map(\.1),
                firstDescriptor: CInt(arguments.prefix { $0.isNumber }),
                succeeded: rest.contains(#/\) += [0-9]+$/#))
        }
    }
}
