import FoundationEssentials

/// A temporary directory for one test, removed afterwards.
package func withTemporaryDirectory<T>(_ body: (String) async throws -> T) async throws -> T {
    let path = "/tmp/darkroom-files-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
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
