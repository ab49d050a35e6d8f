import Glibc

/// What can become of a file on a disk.
package enum FileDamage: String, CaseIterable, Sendable {
    case firstByte, middleByte, lastByte, truncated, extended, empty, foreign, missing

    /// Does it to the file at `path`, whose times stay as they are as far as possible.
    package func happen(to path: String) throws {
        if self == .missing { return try require(unlink(path) == 0, path) }
        let file = open(path, O_RDWR | O_CLOEXEC)
        try require(file >= 0, path)
        defer { close(file) }
        var status = stat()
        try require(fstat(file, &status) == 0, path)
        let size = status.st_size
        func flip(at offset: off_t) throws {
            var byte: UInt8 = 0
            try require(pread(file, &byte, 1, offset) == 1, path)
            byte ^= 0x10
            try require(pwrite(file, &byte, 1, offset) == 1, path)
        }
        switch self {
        case .firstByte: try flip(at: 0)
        case .middleByte: try flip(at: size / 2)
        case .lastByte: try flip(at: size - 1)
        case .truncated: try require(ftruncate(file, size - 1) == 0, path)
        case .extended: try require(ftruncate(file, size + 1) == 0, path)
        case .empty: try require(ftruncate(file, 0) == 0, path)
        case .foreign:
            let other = [UInt8](repeating: 0x61, count: Int(size))
            try require(pwrite(file, other, other.count, 0) == other.count, path)
        case .missing: break
        }
        try require(fsync(file) == 0, path)
    }

    private func require(_ isDone: Bool, _ path: String) throws {
        guard isDone else {
            throw Failure(description: "\(self) of \(path): \(String(cString: strerror(errno)))")
        }
    }

    private struct Failure: Error, CustomStringConvertible { let description: String }
}
