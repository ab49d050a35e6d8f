import Glibc
import MediaStore

/// An open file or folder of the directory for unfinished uploads. Owns its descriptor, and with it its lock.
///
/// All calls block: use them only on `UploadDirectory.run`.
final class UploadFile: Sendable {
    private let descriptor: CInt
    let path: String

    private init(_ descriptor: CInt, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Opens the folder at `path`, and makes it and those above it if they are not there.
    static func folder(making path: String) throws(MediaError) -> UploadFile {
        for end in path.indices where path[end] == "/" && end != path.startIndex {
            mkdir(String(path[..<end]), 0o700)
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system("make the folder", path: path) }
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open the folder", path: path) }
        return UploadFile(descriptor, path)
    }

    // MARK: A folder

    /// Nil if there is no such file.
    func open(_ name: String, _ flags: CInt = O_RDONLY) throws(MediaError) -> UploadFile? {
        let path = "\(path)/\(name)"
        let opened = openat(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            guard errno == ENOENT else { throw .system("open the file", path: path) }
            return nil
        }
        return UploadFile(opened, path)
    }

    /// - Returns: whether this folder is still there.
    func makeFolder(_ name: String) throws(MediaError) -> Bool {
        guard mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else {
            guard errno == ENOENT else { throw .system("make the folder", path: "\(path)/\(name)") }
            return false
        }
        return true
    }

    func has(_ name: String) -> Bool { faccessat(descriptor, name, F_OK, 0) == 0 }

    func rename(_ name: String, to other: String) throws(MediaError) {
        guard renameat(descriptor, name, descriptor, other) == 0 else {
            throw .system("rename the file", path: "\(path)/\(name)")
        }
        try sync()
    }

    /// Removing what is not there is harmless. A folder is removed if it is empty.
    func remove(_ name: String, isFolder: Bool = false) throws(MediaError) {
        guard unlinkat(descriptor, name, isFolder ? AT_REMOVEDIR : 0) == 0 else {
            guard [ENOENT, ENOTEMPTY, EEXIST].contains(errno) else {
                throw .system("remove the file", path: "\(path)/\(name)")
            }
            return
        }
    }

    /// Gives a file new contents, durably and at once.
    func replace(_ name: String, with bytes: [UInt8]) throws(MediaError) {
        guard let file = try open("\(name).new", O_WRONLY | O_CREAT | O_TRUNC) else {
            throw MediaError(.notFound, path: path, message: "the folder was removed")
        }
        try file.write(bytes, at: 0)
        try file.sync()
        try rename("\(name).new", to: name)
    }

    func names() throws(MediaError) -> [String] {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let folder = fdopendir(copy) else { throw .system("list the folder", path: path) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// - Returns: false if another open file of it has the lock, in this process or in another.
    func tryLock() throws(MediaError) -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw .system("lock the file", path: path) }
            return false
        }
        return true
    }

    // MARK: A file

    func status() throws(MediaError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("examine the file", path: path) }
        return status
    }

    func read(_ count: Int) throws(MediaError) -> [UInt8] {
        var got = 0
        var failure: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
            while got < count {
                let more = pread(descriptor, buffer.baseAddress! + got, count - got, off_t(got))
                if more < 0, errno == EINTR { continue }
                if more < 0 { failure = errno }
                guard more > 0 else { break }
                got += more
            }
            size = got
        }
        guard failure == 0 else { throw .system("read the file", path: path, errorNumber: failure) }
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(MediaError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + done, $0.count - done, off_t(offset) + off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("write the file", path: path) }
            done += count
        }
    }

    func truncate(to size: Int64) throws(MediaError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .system("shorten the file", path: path) }
    }

    func sync() throws(MediaError) {
        guard fsync(descriptor) == 0 else { throw .system("write to the disk", path: path) }
    }
}
