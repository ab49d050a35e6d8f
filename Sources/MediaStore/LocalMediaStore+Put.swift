import Glibc

extension LocalMediaStore {
    /// Copies a file into the store.
    ///
    /// - Throws: ``MediaError``; then nothing is left behind.
    package func putOriginal(fromFile path: String) async throws -> StoredOriginal {
        try await IOThreads.shared.run {
            let source = open(path, O_RDONLY | O_CLOEXEC)
            guard source >= 0 else { throw MediaError(errno: errno, doing: "reading", path) }
            let input = MediaFile(descriptor: source)
            var status = stat()
            guard fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw MediaError(.notARegularFile, "reading \(path): it is not a regular file")
            }
            return try withExtendedLifetime(input) {
                try put { hasher, output in
                    let size = 1 << 18
                    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
                    defer { buffer.deallocate() }
                    while true {
                        let count = read(source, buffer.baseAddress, size)
                        if count < 0, errno == EINTR { continue }
                        guard count >= 0 else { throw MediaError(errno: errno, doing: "reading", path) }
                        if count == 0 { return }
                        let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                        hasher.update(piece)
                        try Self.write(piece, to: output)
                    }
                }
            }
        }
    }

    /// Writes bytes into the store. Throws as ``putOriginal(fromFile:)`` does.
    package func putOriginal(bytes: [UInt8]) async throws -> StoredOriginal {
        try await IOThreads.shared.run {
            try put { hasher, output in
                try bytes.withUnsafeBytes { piece in
                    hasher.update(piece)
                    try Self.write(piece, to: output)
                }
            }
        }
    }

    /// Gives a finished rendition its name.
    ///
    /// - Parameter fileExtension: without the dot.
    /// - Throws: ``MediaError``.
    package func publishRendition(_ file: MediaFile, fileExtension: String) async throws -> StoredRendition {
        try await IOThreads.shared.run {
            let digest = try file.sha256Now()
            let key = MediaKey(tree: "renditions", digest: digest, extension: ".\(fileExtension)")
            let byteCount = try file.byteCount()
            try link(file, as: key)
            return StoredRendition(key: key, sha256: digest, byteCount: byteCount)
        }
    }

    /// Removes a file of the store; one that is not there is no error.
    package func remove(_ key: MediaKey) async throws {
        try await IOThreads.shared.run {
            if unlink(path(of: key)) != 0, errno != ENOENT {
                throw MediaError(errno: errno, doing: "removing", key.path)
            }
        }
    }

    private func put(
        _ fill: (inout SHA256Hasher, Int32) throws -> Void
    ) throws -> StoredOriginal {
        let file = try makeUnnamedFile(in: "originals")
        fchmod(file.descriptor, 0o640)
        var hasher = SHA256Hasher()
        try fill(&hasher, file.descriptor)
        let digest = hasher.finish()
        let key = MediaKey(tree: "originals", digest: digest, extension: "")
        let byteCount = try file.byteCount()
        try link(file, as: key)
        return StoredOriginal(key: key, sha256: digest, byteCount: byteCount)
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw MediaError(errno: errno, doing: "writing", "the media store") }
            rest = rest.dropFirst(count)
        }
    }
}
