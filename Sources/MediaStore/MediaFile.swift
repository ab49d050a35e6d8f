import Glibc

/// An open file of the media store, closed with its last reference.
package final class MediaFile: Sendable {
    /// Borrowed: valid as long as this object is.
    package let descriptor: Int32
    /// The name of a file that could not be made without one; removed with the file.
    private let temporaryPath: String?

    init(descriptor: Int32, temporaryPath: String? = nil) {
        self.descriptor = descriptor
        self.temporaryPath = temporaryPath
    }

    deinit {
        if let temporaryPath { unlink(temporaryPath) }
        close(descriptor)
    }

    /// - Throws: ``MediaError``.
    package func byteCount() throws -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw MediaError(errno: errno, doing: "examining", "an open file")
        }
        return Int64(status.st_size)
    }

    /// The hash of all bytes, wherever the file's position is; the position stays.
    package func sha256() async throws -> SHA256Digest {
        try await IOThreads.shared.run { try self.sha256Now() }
    }

    /// All bytes, at most `limit` of them.
    package func bytes(limit: Int = 256 << 20) async throws -> [UInt8] {
        try await IOThreads.shared.run {
            var result: [UInt8] = []
            try self.forEachPiece { piece in
                result.append(contentsOf: piece.prefix(limit - result.count))
            }
            return result
        }
    }

    func sha256Now() throws -> SHA256Digest {
        var hasher = SHA256Hasher()
        try forEachPiece { hasher.update($0) }
        return hasher.finish()
    }

    private func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Void) throws {
        let size = 1 << 18
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = pread(descriptor, buffer.baseAddress, size, Int(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw MediaError(errno: errno, doing: "reading", "an open file") }
            if count == 0 { return }
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
    }
}
