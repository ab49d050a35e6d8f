import Glibc

/// A file's bytes in memory, read-only, for as long as the object lives.
///
/// If another program shortens a mapped file in place, the reader is killed with SIGBUS. So a process that runs for long
/// takes a copy; one that ends soon maps the file.
package final class MappedFile: @unchecked Sendable {
    // Why @unchecked is safe: both are set once in init, and the memory is never written.
    let bytes: UnsafeRawBufferPointer
    let path: String

    package convenience init(path: String, advice: CInt) throws(GazetteerError) {
        let descriptor = try Self.open(path)
        defer { close(descriptor) }
        try self.init(descriptor: descriptor, path: path, advice: advice)
    }

    /// Maps and closes a descriptor that the caller has opened; errors name the path.
    init(descriptor: CInt, path: String, advice: CInt) throws(GazetteerError) {
        let size = try Self.size(of: descriptor, path: path)
        self.path = path
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let memory = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), memory != MAP_FAILED
        else { throw Self.failure("map", path) }
        madvise(memory, size, advice)
        bytes = UnsafeRawBufferPointer(start: memory, count: size)
    }

    /// Reads a file into memory of this process, where nobody else can change or shorten it.
    ///
    /// What was written while it was read may be there in part: compare the checksums.
    init(copying path: String) throws(GazetteerError) {
        let descriptor = try Self.open(path)
        defer { close(descriptor) }
        let size = try Self.size(of: descriptor, path: path)
        self.path = path
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard
            let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        else { throw Self.failure("get memory for", path) }
        bytes = UnsafeRawBufferPointer(start: memory, count: size)
        var copied = 0
        while copied < size {
            let count = pread(descriptor, memory + copied, size - copied, off_t(copied))
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw Self.failure("read", path) }
            guard count > 0 else {
                throw GazetteerError(
                    .truncated, file: path, message: "got shorter while it was read; copy it again")
            }
            copied += count
        }
        mprotect(memory, size, PROT_READ)
    }

    /// The first bytes of a file, at most `count`.
    static func prefix(of path: String, count: Int) throws(GazetteerError) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        _ = try size(of: descriptor, path: path)
        var bytes = [UInt8](repeating: 0, count: count)
        let got = pread(descriptor, &bytes, count, 0)
        guard got >= 0 else { throw failure("read", path) }
        return Array(bytes[..<got])
    }

    private static func open(_ path: String) throws(GazetteerError) -> CInt {
        // A pipe without a writer must not keep the caller waiting.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("open", path) }
        return descriptor
    }

    private static func size(of descriptor: CInt, path: String) throws(GazetteerError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("inspect", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw GazetteerError(.io, file: path, message: "is not a regular file; give the path of a file")
        }
        return Int(status.st_size)
    }

    deinit {
        if let base = bytes.baseAddress {
            munmap(UnsafeMutableRawPointer(mutating: base), bytes.count)
        }
    }

    static func failure(_ action: String, _ path: String, errno code: CInt = errno) -> GazetteerError {
        GazetteerError(
            .io, file: path, message: "cannot \(action) the file: \(String(cString: strerror(code)))")
    }
}
