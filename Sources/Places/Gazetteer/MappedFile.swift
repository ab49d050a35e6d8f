import Glibc

/// A file mapped read-only into memory for as long as the object lives.
///
/// If another program shortens a mapped file in place, the reader is killed with SIGBUS. So index files are only
/// ever replaced by rename, which leaves the mapped file as it was.
package final class MappedFile: @unchecked Sendable {
    // Why @unchecked is safe: both are set once in init, and the memory is never written.
    let bytes: UnsafeRawBufferPointer
    let path: String

    package convenience init(path: String, advice: CInt) throws(GazetteerError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open", path) }
        defer { close(descriptor) }
        try self.init(descriptor: descriptor, path: path, advice: advice)
    }

    /// Maps and closes a descriptor that the caller has opened; errors name the path.
    init(descriptor: CInt, path: String, advice: CInt) throws(GazetteerError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("inspect", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw GazetteerError(.io, file: path, message: "is not a regular file; give the path of a file")
        }
        let size = Int(status.st_size)
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
