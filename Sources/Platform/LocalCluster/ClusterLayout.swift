import Glibc
import PlainText

/// Where the parts of a cluster are, and which user its server runs as. Its calls block: not for cooperative threads.
struct ClusterLayout: Sendable {
    /// Absolute and without symbolic links, so that every process finds the same server.
    let directory: String
    let socketDirectory: String
    let user: ServerUser

    var dataDirectory: String { "\(directory)/pgdata" }
    var unfinishedDataDirectory: String { "\(directory)/pgdata.unfinished" }
    var logFile: String { "\(dataDirectory)/server.log" }
    var lockFile: String { "\(directory)/cluster.lock" }
    static let port = 5432

    /// The longest path of a Unix socket: `sun_path` without its NUL.
    private static let longestSocketPath = 107

    /// The layout in `directory`, which is created if it is missing.
    static func prepare(directory: String) throws -> ClusterLayout {
        // pg_ctl puts the path into a shell command, between double quotes.
        guard !directory.utf8.contains(where: { "\"$`\\\n".utf8.contains($0) }) else {
            throw LocalClusterError(
                .directory,
                "choose a directory without quotes, dollar signs, backslashes or newlines in its path")
        }
        try makeFolders(directory)
        guard let layout = try existing(directory: directory, evenIfEmpty: true) else {
            throw LocalClusterError(.directory, "\(directory) is not a directory")
        }
        return layout
    }

    /// The layout of an existing cluster in `directory`; nil if there is none.
    static func existing(directory: String, evenIfEmpty: Bool = false) throws -> ClusterLayout? {
        guard let resolved = realpath(directory, nil) else { return nil }
        defer { free(resolved) }
        let path = String(cString: resolved)
        let dataOwner = FileFacts(path: "\(path)/pgdata")
        guard evenIfEmpty || dataOwner != nil else { return nil }
        return ClusterLayout(
            directory: path, socketDirectory: socketDirectory(for: path),
            user: try ServerUser.choose(dataOwner: dataOwner?.owner, directory: path))
    }

    /// `run` in the directory. If that is too long for a socket, or would need quoting in the server's settings, it is
    /// a folder in `/tmp` named by a fingerprint of the directory.
    private static func socketDirectory(for directory: String) -> String {
        let folder = "\(directory)/run"
        let isPlain = folder.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        if isPlain, "\(folder)/.s.PGSQL.\(port)".utf8.count <= longestSocketPath { return folder }
        return "/tmp/darkroom-\(String(fingerprint(directory.utf8), radix: 16))"
    }

    /// The URL of `database` as role `darkroom`. It sets everything that the environment could otherwise change.
    func url(database: String) -> String {
        "postgresql:///\(database)?host=\(socketDirectory)&port=\(Self.port)&user=darkroom"
    }

    /// Creates the socket directory, mode 0700 and owned by the server. Refuses one in `/tmp` with another owner.
    func makeSocketDirectory() throws {
        if mkdir(socketDirectory, 0o700) == 0 {
            guard user.owns == nil || lchown(socketDirectory, user.owns!.user, user.owns!.group) == 0 else {
                throw failure("cannot give \(socketDirectory) to user \(user.name)")
            }
        } else if errno != EEXIST {
            throw failure("cannot make \(socketDirectory)")
        }
        guard let facts = FileFacts(path: socketDirectory), facts.isDirectory,
            facts.owner == user.owns?.user ?? geteuid()
        else {
            throw LocalClusterError(
                .directory,
                "\(socketDirectory) belongs to another user; remove it and start again")
        }
        guard chmod(socketDirectory, 0o700) == 0 else {
            throw failure("cannot set the mode of \(socketDirectory)")
        }
    }

    /// Removes a socket directory outside the cluster's own directory, once no server uses it.
    func removeSocketDirectory() {
        if !socketDirectory.hasPrefix("\(directory)/") { rmdir(socketDirectory) }
    }

    /// The process ID of the server that runs on this data directory; nil if none does.
    ///
    /// The number in `postmaster.pid` alone proves nothing: after a crash it may belong to another program. The
    /// server's command line names its data directory.
    func runningProcess() -> Int32? {
        guard let process = recordedProcess(), isAlive(process),
            let commandLine = contents(of: "/proc/\(process)/cmdline")
        else { return nil }
        let words = commandLine.split(separator: "\0")
        guard let flag = words.firstIndex(of: "-D"), words.indices.contains(flag + 1) else { return nil }
        return words[flag + 1] == dataDirectory ? process : nil
    }

    /// Removes what a killed server or an interrupted `initdb` left behind. Call it under the lock.
    func removeLeftovers() throws {
        if FileFacts(path: unfinishedDataDirectory) != nil { try removeTree(unfinishedDataDirectory) }
        // PostgreSQL cleans up the files of a dead server, but not if another program has the process ID now.
        guard let process = recordedProcess(), isAlive(process), runningProcess() == nil else { return }
        for file in ["\(dataDirectory)/postmaster.pid", "\(socketDirectory)/.s.PGSQL.\(Self.port).lock"] {
            guard unlink(file) == 0 || errno == ENOENT else {
                throw failure("cannot remove the leftover \(file)")
            }
        }
    }

    private func isAlive(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno == EPERM }

    private func recordedProcess() -> Int32? {
        contents(of: "\(dataDirectory)/postmaster.pid")?.split(whereSeparator: \.isNewline).first.flatMap {
            Int32($0)
        }
    }
}

/// The owner of a file; symbolic links are not followed.
struct FileFacts {
    let owner: UInt32
    let group: UInt32
    let mode: UInt32
    let isDirectory: Bool

    init?(path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return nil }
        owner = information.st_uid
        group = information.st_gid
        mode = information.st_mode & 0o7777
        isDirectory = information.st_mode & S_IFMT == S_IFDIR
    }
}

func failure(_ what: String) -> LocalClusterError {
    LocalClusterError(.directory, "\(what): \(String(cString: strerror(errno)))")
}

/// The text of a small file; nil if it cannot be read.
func contents(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 20 {
        let count = read(descriptor, &chunk, chunk.count)
        guard count > 0 else { break }
        bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// `mkdir -p`.
func makeFolders(_ path: String) throws {
    if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
        throw failure("cannot make the directory \(path)")
    }
    try makeFolders(String(path[..<slash]))
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
        throw failure("cannot make the directory \(path)")
    }
}

/// `rm -r`; symbolic links are not followed.
func removeTree(_ path: String) throws {
    guard let directory = opendir(path) else { throw failure("cannot remove \(path)") }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name == "." || name == ".." { continue }
        let child = "\(path)/\(name)"
        if FileFacts(path: child)?.isDirectory == true {
            try removeTree(child)
        } else if unlink(child) != 0 {
            throw failure("cannot remove \(child)")
        }
    }
    guard rmdir(path) == 0 else { throw failure("cannot remove \(path)") }
}
