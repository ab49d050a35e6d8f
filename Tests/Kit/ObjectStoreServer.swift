import ChildProcess
import Glibc
import Threads

/// The object store of this test process: OpenStack Swift, started when first needed, and gone when the process ends.
///
/// It checks signatures and digests like Amazon's, which the mocks of other projects do not.
package actor ObjectStoreServer {
    package static let shared = ObjectStoreServer()

    package static let accessKey = "test:tester"
    package static let secretKey = "testing"

    private var starting: Task<String, any Error>?

    /// Why there is none: only a machine without Python or its package index is excused.
    package static let missing =
        "needs OpenStack Swift: install python3-venv, and let this machine reach the Python package index"

    /// Its address, such as `http://127.0.0.1:41845`; the first call starts it.
    package func endpoint() async throws -> String {
        if let starting { return try await starting.value }
        let task = Task { try await Self.start() }
        starting = task
        return try await task.value
    }

    /// Whether Swift is installed, or could be.
    package static func isAvailable() async -> Bool {
        // Tried once, by the server's own script: its status says whether the programs are what is missing.
        do {
            _ = try await shared.endpoint()
            return true
        } catch let error as NotInstalled {
            print("\(missing). \(error)")
            return false
        } catch {
            // The tests fail with this error.
            return true
        }
    }

    private struct NotInstalled: Error, CustomStringConvertible {
        let description: String
    }

    private static func start() async throws -> String {
        let (directory, supervisor) = try await onThread { try makeDirectory() }
        let script = ChildProgram("\(Checkout.root)/scripts/object-store", ["start", directory])
        let output = try await script.run()
        switch output.ending {
        case .exited(0): break
        case .exited(69): throw NotInstalled(description: output.standardError)
        default: throw ChildProgramError("the object store did not start: \(output.standardError)")
        }
        keep(supervisor)
        return output.standardOutput.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
    }

    /// Reaping the supervisor would end it.
    private static func keep(_ supervisor: RunningProgram) { _ = Unmanaged.passRetained(supervisor) }

    /// Makes a new directory. A supervisor stops the server in it and removes it, once this process has ended in any way:
    /// the supervisor reads a pipe whose only writer is this process.
    private static func makeDirectory() throws -> (String, RunningProgram) {
        var template = Array("/tmp/darkroom-objects-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ChildProgramError("no temporary directory in /tmp") }
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ChildProgramError("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let supervisor = try ChildProgram(
            "/bin/sh",
            [
                "-c", #"cat <&3 >/dev/null; "$2" stop "$1"; rm -rf -- "$1""#, "object-store-supervisor",
                directory, "\(Checkout.root)/scripts/object-store",
            ]
        ).start(descriptors: [3: ends[0]], ownSession: true)
        close(ends[0])
        return (directory, supervisor)
    }
}
