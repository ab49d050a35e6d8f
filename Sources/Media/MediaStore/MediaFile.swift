package import Digests
import Glibc

/// An open file of the media store.
///
/// Owns its descriptor and closes it when the last reference goes. Pass `descriptor` to other code only
/// while you hold a reference (`withExtendedLifetime`). Reading and hashing use `pread`, which leaves the
/// descriptor's offset alone.
package final class MediaFile: Sendable {
    /// Open for reading, and for writing if it is a rendition that is not published yet. Close-on-exec.
    package let descriptor: CInt
    /// The name of the file in messages.
    let name: String
    /// The tree of the store in which the file is being written.
    let tree: DirectoryHandle?
    /// The file's name while it is being written, on file systems without unnamed files.
    let temporary: TemporaryName?

    init(
        adopting descriptor: CInt, name: String, tree: DirectoryHandle? = nil,
        temporary: TemporaryName? = nil
    ) {
        self.descriptor = descriptor
        self.name = name
        self.tree = tree
        self.temporary = temporary
    }

    /// Opens a regular file of another program for reading. Blocks.
    convenience init(opening path: String) throws(MediaError) {
        // O_NONBLOCK: a pipe at the path must be refused, not waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .system("open", path: path) }
        self.init(adopting: descriptor, name: path)
        try requireRegular()
    }

    deinit {
        temporary?.remove()
        close(descriptor)
    }

    /// The size in bytes now.
    package func byteCount() throws(MediaError) -> Int64 {
        Int64(try status().st_size)
    }

    /// The digest of the whole file as it is now, computed off the cooperative pool.
    package func sha256() async throws(MediaError) -> SHA256Digest {
        try await FileThreads.shared.run { () throws(MediaError) in try self.digest() }
    }
}

/// A temporary file name, next to the destination, of a file that is still being written.
struct TemporaryName: Sendable {
    let directory: DirectoryHandle
    let name: String

    /// Removing twice is harmless: names are never reused.
    func remove() { unlinkat(directory.descriptor, name, 0) }
}

// These calls block: use them only on our own threads.
extension MediaFile {
    static let chunkSize = 256 * 1024

    func status() throws(MediaError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("examine the file", path: name) }
        return status
    }

    func requireRegular() throws(MediaError) {
        guard try status().st_mode & S_IFMT == S_IFREG else {
            throw MediaError(
                .notARegularFile, path: name,
                message: "is not a regular file; only regular files can be stored")
        }
    }

    func digest() throws(MediaError) -> SHA256Digest {
        let hasher = SHA256Hasher()
        try forEachChunk { (chunk) throws(MediaError) in hasher.update(chunk) }
        return hasher.finish()
    }

    /// The whole file; throws `io` if it has more than `limit` bytes.
    func bytes(atMost limit: Int) throws(MediaError) -> [UInt8] {
        let byteCount = try byteCount()
        guard byteCount <= limit else {
            throw MediaError(.io, path: name, message: "is larger than \(limit) bytes")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(byteCount))
        try forEachChunk { (chunk) throws(MediaError) in bytes.append(contentsOf: chunk) }
        return bytes
    }

    /// Calls `body` with consecutive pieces of the file, from start to end.
    func forEachChunk(
        _ body: (UnsafeRawBufferPointer) throws(MediaError) -> Void
    ) throws(MediaError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkSize, alignment: 4096)
        defer { buffer.deallocate() }
        var offset = 0
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("read", path: name) }
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
    }

    /// Writes all of `bytes` at the descriptor's offset.
    func append(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("write", path: name) }
            rest = rest.dropFirst(count)
        }
    }

    func append(_ bytes: [UInt8]) throws(MediaError) {
        let result: Result<Void, MediaError> = bytes.withUnsafeBytes { all in
            Result { () throws(MediaError) in try append(all) }
        }
        try result.get()
    }

    /// Sets the final mode and flushes contents and size to the disk.
    func persist(mode: UInt32) throws(MediaError) {
        guard fchmod(descriptor, mode) == 0 else { throw .system("set the file's mode", path: name) }
        guard fsync(descriptor) == 0 else { throw .system("write to the disk", path: name) }
    }
}
