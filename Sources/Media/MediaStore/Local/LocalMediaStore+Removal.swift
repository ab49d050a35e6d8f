import Digests
import Glibc

// A file that is stored again keeps its name, so its status change time says when it was last stored: the kernel sets
// this time when the file is named or touched, and nobody can set it otherwise. A lock on the file keeps touching and
// removing it apart.
extension LocalMediaStore {
    /// Removes the file with `key` from the disk, if it was last stored at least `age` ago.
    ///
    /// - Throws: `unavailable`, `notARegularFile` and `leadsElsewhere` for things that no store puts there, and errors of
    ///   the file system.
    package func remove(_ key: MediaKey, storedBefore age: Duration) async throws(MediaError) -> MediaRemoval
    {
        guard MediaTree.allCases.contains(where: { $0.contains(key) }),
            let slash = key.path.lastIndex(of: "/")
        else { return .absent }
        let name = String(key.path[key.path.index(after: slash)...])
        do throws(MediaError) {
            return try await inStore { (root) throws(MediaError) in
                let directory = try root.directory(beneath: String(key.path[..<slash]))
                let file = MediaFile(adopting: try directory.openBeneath(name), name: key.path)
                try file.requireRegular()
                lock(file.descriptor, LOCK_EX)
                let status = try file.status()
                // Another process may have removed it before our lock, and a newer file may have its name by now.
                guard status.st_nlink > 0 else { return .absent }
                let left = age - timeSinceStored(status)
                if left > .zero { return .tooRecent(min(left, age)) }
                // The lock ends with the descriptor.
                defer { withExtendedLifetime(file) {} }
                guard try directory.remove(name) else { return .absent }
                try directory.sync()
                return .removed
            }
        } catch {
            guard error.code == .notFound else { throw error }
            return .absent
        }
    }

    package func find(_ key: MediaKey) async throws(MediaError) -> StoredFile? {
        do throws(MediaError) {
            return try await inStore { (root) throws(MediaError) in
                let file = MediaFile(adopting: try root.openBeneath(key.path), name: key.path)
                try file.requireRegular()
                let status = try file.status()
                return StoredFile(
                    key: key, byteCount: Int64(status.st_size), age: timeSinceStored(status))
            }
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }

    package func countPresent(among keys: [MediaKey]) async throws(MediaError) -> Int {
        try await FileThreads.shared.run { () throws(MediaError) in
            guard access(root, F_OK) == 0 else {
                throw MediaError(
                    .unavailable, path: root, message: "is not there: mount the disk, or make the directory")
            }
            return keys.count { access(path(of: $0), F_OK) == 0 }
        }
    }

    /// Marks an existing file as stored now; false if it is gone.
    ///
    /// A file that the disk has damaged is replaced with `file`, which has the right bytes. So is another user's file,
    /// whose time cannot be set.
    func markStored(
        _ name: String, _ digest: SHA256Digest, as file: MediaFile, in directory: DirectoryHandle,
        key: MediaKey
    ) throws(MediaError) -> Bool {
        let descriptor = openat(directory.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return false }
            throw .system("open the existing file", path: key.path)
        }
        let existing = MediaFile(adopting: descriptor, name: key.path)
        try existing.requireRegular()
        lock(descriptor, LOCK_SH)
        guard try existing.status().st_nlink > 0 else { return false }
        // A file that cannot be read has lost its bytes too.
        if (try? existing.digest()) == digest, futimens(descriptor, nil) == 0 { return true }
        // The lock, which ends with the descriptor, keeps the name from being removed.
        defer { withExtendedLifetime(existing) {} }
        try replace(name, in: directory, by: file)
        return true
    }

    /// Replaces an existing file with a finished one, in one step.
    private func replace(
        _ name: String, in directory: DirectoryHandle, by file: MediaFile
    ) throws(MediaError) {
        let temporary = ".\(getpid())-" + String(UInt64.random(in: .min ... .max), radix: 36)
        guard try link(file, to: temporary, in: directory) else {
            throw .system("name the file", path: "\(directory.path)/\(temporary)")
        }
        guard renameat(directory.descriptor, temporary, directory.descriptor, name) == 0 else {
            let error = MediaError.system("replace the file", path: "\(directory.path)/\(name)")
            unlinkat(directory.descriptor, temporary, 0)
            throw error
        }
    }

    /// The time since a file was last stored, by this machine's clock; zero if the clock was set back.
    func timeSinceStored(_ status: stat) -> Duration {
        let stored = storedAt(status)
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let age =
            Duration.seconds(now.tv_sec - stored.tv_sec) + .nanoseconds(now.tv_nsec - stored.tv_nsec)
        return max(age, .zero)
    }

    /// Holds the lock until the descriptor is closed. On a file system without locks, only the age protects a file.
    private func lock(_ descriptor: CInt, _ operation: CInt) {
        while flock(descriptor, operation) != 0, errno == EINTR {}
    }
}
