import CLinux
import Glibc

/// An open directory; its descriptor is closed when the last reference goes. All calls block.
final class DirectoryHandle: Sendable {
    let descriptor: CInt
    /// The name of the directory in messages.
    let path: String

    private init(adopting descriptor: CInt, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    convenience init(opening path: String) throws(MediaError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open the directory", path: path) }
        self.init(adopting: descriptor, path: path)
    }

    /// Opens the directory `relativePath`, which has plain components only, without following links.
    func directory(beneath relativePath: String) throws(MediaError) -> DirectoryHandle {
        let file = try openBeneath(relativePath)
        return DirectoryHandle(adopting: file, path: "\(path)/\(relativePath)")
    }

    /// Opens the subdirectory `name`, creating it first if it is missing.
    ///
    /// Processes may race to create it: the loser opens the winner's. For the winner, the new directory is on the disk
    /// when this returns.
    func subdirectory(_ name: String, mode: UInt32) throws(MediaError) -> DirectoryHandle {
        let subpath = "\(path)/\(name)"
        let isNew = mkdirat(descriptor, name, mode) == 0
        guard isNew || errno == EEXIST else { throw .system("make the directory", path: subpath) }
        let subdirectory = try directory(beneath: name)
        if isNew {
            try subdirectory.setMode(mode)
            try sync()
        }
        return subdirectory
    }

    /// Sets the permissions regardless of the umask; an inherited set-group-ID bit stays.
    private func setMode(_ mode: UInt32) throws(MediaError) {
        guard fchmod(descriptor, mode | (try status().st_mode) & S_ISGID) == 0 else {
            throw .system("set the directory's mode", path: path)
        }
    }

    private func status() throws(MediaError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("examine the directory", path: path) }
        return status
    }

    /// Whether both are the same directory, however they were opened.
    func isSame(as other: DirectoryHandle) throws(MediaError) -> Bool {
        let (mine, others) = (try status(), try other.status())
        return mine.st_dev == others.st_dev && mine.st_ino == others.st_ino
    }

    /// Flushes the directory's entries to the disk.
    func sync() throws(MediaError) {
        guard fsync(descriptor) == 0 else { throw .system("write the directory to the disk", path: path) }
    }

    /// Opens `relativePath` for reading, if the path stays beneath this directory.
    func openBeneath(_ relativePath: String) throws(MediaError) -> CInt {
        var attempts = 0
        while true {
            let opened = linux_open_beneath(descriptor, relativePath)
            if opened >= 0 { return opened }
            attempts += 1
            // EAGAIN: something was renamed meanwhile, and the kernel cannot vouch for the path.
            guard errno == EINTR || errno == EAGAIN && attempts < 100 else {
                throw .system("open", path: relativePath)
            }
        }
    }

    /// Removes the entry `name`; false if there was none.
    func remove(_ name: String) throws(MediaError) -> Bool {
        if unlinkat(descriptor, name, 0) == 0 { return true }
        guard errno == ENOENT else { throw .system("remove", path: "\(path)/\(name)") }
        return false
    }

    /// The names in the directory, without `.` and `..`, in no particular order.
    func entries() throws(MediaError) -> [String] {
        // Opens a separate descriptor: reading a directory moves the offset, which duplicates share.
        let reading = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard reading >= 0, let stream = fdopendir(reading) else {
            throw .system("list the directory", path: path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
