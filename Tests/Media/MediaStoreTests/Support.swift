import ChildProcess
import Glibc
import Testing

@testable import MediaStore

/// A directory that is removed with all its contents when the last reference goes.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = try makeTemporaryFolder("darkroom-media")
    }

    deinit { Self.removeTree(path) }

    private static func removeTree(_ path: String) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            let names = try? DirectoryHandle(opening: path).entries()
        {
            for name in names { removeTree("\(path)/\(name)") }
        }
        remove(path)
    }

    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        return file
    }
}

/// The paths of all files below `path`, relative to it, sorted; on request with named unfinished ones.
func files(below path: String, unfinished: Bool = false) throws -> [String] {
    func walk(_ directory: DirectoryHandle, _ prefix: String) throws -> [String] {
        try directory.entries().flatMap { name -> [String] in
            if name == LocalMediaStore.unfinishedDirectory && !unfinished { return [] }
            if name == StoreMarker.name { return [] }
            let descriptor = openat(directory.descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return [prefix + name] }
            close(descriptor)
            return try walk(directory.directory(beneath: name), "\(prefix)\(name)/")
        }
    }
    return try walk(DirectoryHandle(opening: path), "").sorted()
}

func mode(of path: String) throws -> UInt32 {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status.st_mode & 0o7777
}

func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
    }
}

/// Both ways of writing a file before it has its name.
let bothWays: [LocalMediaStore.UnfinishedFiles] = [.unnamedIfPossible, .named]

extension LocalMediaStore {
    /// A store that exists. The database takes what it is shown.
    init(location: String, unfinishedFiles: UnfinishedFiles = .unnamedIfPossible) throws(MediaError) {
        try self.init(location: location, unfinishedFiles: unfinishedFiles) { found in
            found.map { .identity($0) } ?? .none(proposal: Register.proposal())
        }
        _ = try makeMarker(Register.proposal())
    }

    /// Publishes the contents of `file` without checking them.
    func sealAndPublish(_ file: MediaFile, fileExtension: String) async throws -> StoredRendition {
        let sealed = try sealRendition(file, atMost: 1 << 20) { _ in }
        return try await publishRendition(sealed, fileExtension: fileExtension)
    }
}
