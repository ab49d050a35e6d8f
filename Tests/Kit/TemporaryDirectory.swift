import ChildProcess
import FoundationEssentials
import Glibc

/// A temporary directory for one test, removed afterwards.
package func withTemporaryDirectory<T>(_ body: (String) async throws -> T) async throws -> T {
    let path = try makeTemporaryFolder("darkroom-files")
    let result: Result<T, any Error>
    do {
        result = .success(try await body(path))
    } catch {
        result = .failure(error)
    }
    try? FileManager.default.removeItem(atPath: path)
    return try result.get()
}

/// Every regular file below `directory`, as paths relative to it, sorted.
package func filesBelow(_ directory: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: directory).filter { path in
        var isDirectory = false
        _ = FileManager.default.fileExists(atPath: "\(directory)/\(path)", isDirectory: &isDirectory)
        // Every media store that has been written to has one.
        return !isDirectory && !path.hasSuffix(".darkroom-store")
    }.sorted()
}

/// Writes a program that can be started at once.
///
/// Another process writes it: a process that another test starts just then would inherit our descriptor for a moment, and
/// the system starts no program that somebody may still write to.
package func writeProgram(_ contents: [UInt8], to path: String, mode: UInt32 = 0o700) async throws {
    try Data(contents).write(to: URL(filePath: path + ".new"))
    try await ChildProgram("/bin/cp", [path + ".new", path]).runSuccessfully()
    try FileManager.default.removeItem(atPath: path + ".new")
    guard chmod(path, mode) == 0 else { throw CocoaError(.fileWriteNoPermission) }
}
