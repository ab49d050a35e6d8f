import Digests
import Glibc

/// What tells one state of a file from another.
struct FileStamp: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let modified: Int
    private let changed: Int

    private static let nanoseconds = 1_000_000_000

    fileprivate init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = status.st_mtim.tv_sec &* Self.nanoseconds &+ status.st_mtim.tv_nsec
        changed = status.st_ctim.tv_sec &* Self.nanoseconds &+ status.st_ctim.tv_nsec
    }

    /// Nil if the file cannot be inspected.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether a later change would show. The times of two changes within the same tick of the system's clock are equal,
    /// and a file server's clock may be a little off.
    fileprivate var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec &* Self.nanoseconds &+ now.tv_nsec &- changed >= 2 * Self.nanoseconds
    }
}

/// A small file in memory.
struct FileContents {
    /// The most bytes of a file of keys.
    static let largest = 1 << 20

    let bytes: [UInt8]
    let digest: SHA256Digest
    /// Nil if the file was changed too lately, or while it was read: then it must be read again.
    let settledStamp: FileStamp?

    /// Reads a regular file. Blocks.
    init(_ path: String) throws(KeyFileError) {
        // A pipe without a writer would block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw KeyFileError(errorNumber: errno, path: path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw KeyFileError(errorNumber: errno, path: path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw KeyFileError(.unreadable, path: path, message: "it is not a regular file")
        }
        let stamp = FileStamp(status)
        bytes = try Self.read(descriptor, path)
        digest = SHA256Digest(hashing: bytes)
        settledStamp = stamp.isSettled && FileStamp(path: path) == stamp ? stamp : nil
    }

    private static func read(_ descriptor: CInt, _ path: String) throws(KeyFileError) -> [UInt8] {
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return contents }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw KeyFileError(errorNumber: errno, path: path)
            }
            contents += buffer.prefix(count)
            guard contents.count <= largest else {
                throw KeyFileError(.tooLarge, path: path, message: "it has more than \(largest) bytes")
            }
        }
    }
}
