import Glibc

/// What became of a file that was to be removed.
package enum MediaRemoval: Hashable, Sendable {
    case removed
    /// There is no such file, and was none.
    case absent
    /// It was stored too recently; so much later it will not be, unless it is stored again.
    case tooRecent(Duration)
}

// A file that is stored again keeps its name, so its time of modification says when it was last stored. Setting the
// time and removing the file exclude each other by a lock on the file.
extension LocalMediaStore {
    /// Removes the file with `key` from the disk, if it was last stored at least `age` ago.
    ///
    /// - Throws: `notARegularFile` and `keyEscapesStore` for what no store has put there, and what the file system says.
    package func remove(_ key: MediaKey, storedBefore age: Duration) async throws(MediaError) -> MediaRemoval
    {
        guard MediaTree.allCases.contains(where: { $0.contains(key) }),
            let slash = key.path.lastIndex(of: "/")
        else { return .absent }
        let name = String(key.path[key.path.index(after: slash)...])
        return try await FileThreads.shared.run { () throws(MediaError) in
            do throws(MediaError) {
                let directory = try rootDirectory.directory(beneath: String(key.path[..<slash]))
                let file = MediaFile(adopting: try directory.openBeneath(name), name: key.path)
                try file.requireRegular()
                lock(file.descriptor, LOCK_EX)
                let left = age - (try file.timeSinceStored())
                if left > .zero { return .tooRecent(left) }
                guard try directory.remove(name) else { return .absent }
                try directory.sync()
                return .removed
            } catch {
                if error.code == .notFound { return .absent }
                throw error
            }
        }
    }

    /// Whether a file with `key` is there.
    package func contains(_ key: MediaKey) async throws(MediaError) -> Bool {
        try await FileThreads.shared.run { () throws(MediaError) in
            do throws(MediaError) {
                try MediaFile(adopting: try rootDirectory.openBeneath(key.path), name: key.path)
                    .requireRegular()
                return true
            } catch {
                if error.code == .notFound { return false }
                throw error
            }
        }
    }

    /// Says of a file that is there already that it was stored now; false where it is gone.
    ///
    /// The name says which bytes are in the file; a wrong size shows that the disk has damaged it. A file of another
    /// user's, whose time cannot be set, stays as it is.
    func markStored(
        _ name: String, _ byteCount: Int64, in directory: DirectoryHandle, key: MediaKey
    ) throws(MediaError) -> Bool {
        var status = stat()
        guard fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return false }
            throw .system("examine the file", path: key.path)
        }
        guard status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) == byteCount else {
            throw MediaError(
                .hashMismatch, path: key.path,
                message: "has not the bytes that its name promises; move it away, then store it again")
        }
        let descriptor = openat(directory.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return errno != ENOENT }
        defer { close(descriptor) }
        lock(descriptor, LOCK_SH)
        guard fstat(descriptor, &status) == 0 else {
            throw .system("examine the file", path: key.path)
        }
        guard status.st_nlink > 0 else { return false }
        futimens(descriptor, nil)
        return true
    }

    /// Until the descriptor is closed. On a file system without locks, the age alone protects a file.
    private func lock(_ descriptor: CInt, _ operation: CInt) {
        while flock(descriptor, operation) != 0, errno == EINTR {}
    }
}

extension MediaFile {
    /// How long ago the file was last stored, by the clock of this machine.
    func timeSinceStored() throws(MediaError) -> Duration {
        let stored = try status().st_mtim
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return .seconds(now.tv_sec - stored.tv_sec) + .nanoseconds(now.tv_nsec - stored.tv_nsec)
    }
}
