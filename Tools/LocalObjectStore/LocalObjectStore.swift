import ChildProcess
import Glibc
import Threads

/// A real object store on this machine alone, for tests, trials and benchmarks: OpenStack Swift with its S3 API, which the
/// checkout's `scripts/object-store` starts.
///
/// It checks signatures and digests like Amazon's, which the mocks of other projects do not. It ends with this process,
/// whatever ends that.
package struct LocalObjectStore: Sendable {
    package static let accessKey = "test:tester"
    package static let secretKey = "testing"

    /// What a program needs in its environment.
    package static let environment = [
        "AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey,
    ]

    /// Why there is none: only a machine without Python or its package index is excused.
    package static let missing =
        "needs OpenStack Swift: install python3-venv, and let this machine reach the Python package index"

    /// The store's programs are not installed, and cannot be.
    package struct NotInstalled: Error, CustomStringConvertible {
        package let description: String
    }

    /// Its address, such as `http://127.0.0.1:41845`: the same whenever it runs.
    package let endpoint: String
    private let directory: String
    private let script: String

    /// Starts a new, empty store.
    ///
    /// - Parameter checkout: the folder with `scripts/object-store`.
    package static func start(checkout: String) async throws -> LocalObjectStore {
        let script = "\(checkout)/scripts/object-store"
        guard access(script, X_OK) == 0 else {
            throw ChildProgramError("there is no \(script): run this in a checkout")
        }
        let (directory, supervisor) = try await onThread { try makeDirectory(script) }
        // Reaping the supervisor would end it.
        _ = Unmanaged.passRetained(supervisor)
        let endpoint = try await run(script, ["start", directory])
        return LocalObjectStore(endpoint: endpoint, directory: directory, script: script)
    }

    /// The checkout that contains `path`; nil if none does.
    package static func checkout(above path: String) -> String? {
        var folder = path[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            if access("\(folder)/scripts/object-store", X_OK) == 0 { return String(folder) }
        }
        return nil
    }

    /// Its processes while it runs.
    package var processes: [Int32] {
        ["account", "container", "object", "proxy"].compactMap { name in
            guard let file = fopen("\(directory)/pids/\(name)", "re") else { return nil }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 32)
            let count = fread(&bytes, 1, bytes.count, file)
            return Int32(String(decoding: bytes[..<count].prefix { $0 > 0x20 }, as: UTF8.self))
        }
    }

    /// Ends its processes. What was stored stays.
    package func stop() async throws { _ = try await Self.run(script, ["stop", directory]) }

    /// Starts it again after ``stop()``.
    package func restart() async throws {
        let port = endpoint.split(separator: ":").last.map(String.init) ?? ""
        _ = try await Self.run(script, ["start", directory, port])
    }

    private static func run(_ script: String, _ arguments: [String]) async throws -> String {
        let output = try await ChildProgram(script, arguments).run()
        switch output.ending {
        case .exited(0): break
        case .exited(69): throw NotInstalled(description: output.standardError)
        default:
            throw ChildProgramError(
                "the object store did not \(arguments[0]): \(output.standardError)")
        }
        return output.standardOutput.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
    }

    /// Makes a new directory. A supervisor stops the server in it and removes it, once this process has ended in any way:
    /// the supervisor reads a pipe whose only writer is this process.
    private static func makeDirectory(_ script: String) throws -> (String, RunningProgram) {
        let directory = try makeTemporaryFolder("darkroom-objects")
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ChildProgramError("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let supervisor = try ChildProgram(
            "/bin/sh",
            [
                "-c", #"cat <&3 >/dev/null; "$2" stop "$1"; rm -rf -- "$1""#, "object-store-supervisor",
                directory, script,
            ]
        ).start(descriptors: [3: ends[0]], ownSession: true)
        close(ends[0])
        return (directory, supervisor)
    }
}
