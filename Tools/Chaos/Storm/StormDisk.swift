import Glibc

/// The disk of a storm's media store: a file system of its own if this process may mount one, else a plain directory.
struct StormDisk: Sendable {
    let path: String
    let isMounted: Bool
    private var elsewhere: String { path + "-elsewhere" }
    private var filler: String { path + "/filler" }

    init(at path: String, mebibytes: Int) throws {
        self.path = path
        guard mkdir(path, 0o755) == 0 else {
            throw ChaosError("cannot make \(path): \(String(cString: strerror(errno)))")
        }
        isMounted = mount("tmpfs", path, "tmpfs", 0, "size=\(mebibytes)m") == 0
        if isMounted {
            mkdir(elsewhere, 0o755)
            guard mount(path, elsewhere, nil, UInt(MS_BIND), nil) == 0 else {
                throw ChaosError("cannot mount \(elsewhere): \(String(cString: strerror(errno)))")
            }
        }
    }

    func remove() {
        guard isMounted else { return }
        while umount2(path, CInt(MNT_DETACH)) == 0 {}
        while umount2(elsewhere, CInt(MNT_DETACH)) == 0 {}
    }

    /// - Throws: ``ChaosError`` if it cannot be taken.
    func take(_ fault: StormFault) async throws {
        let isTaken =
            switch fault {
            case .fullStore: fill()
            case .readOnlyStore: await forbidWriting()
            case .unmountedStore: umount2(path, CInt(MNT_DETACH)) == 0
            case .swappedStore: isMounted ? cover() : rename(path, elsewhere) == 0 && mkdir(path, 0o755) == 0
            default: false
            }
        guard isTaken else { throw failure("take the store away: \(fault.rawValue)") }
    }

    func giveBack(_ fault: StormFault) throws {
        let isBack =
            switch fault {
            case .fullStore: unlink(filler) == 0
            case .readOnlyStore: mount("tmpfs", path, nil, UInt(MS_REMOUNT | MS_BIND), nil) == 0
            case .unmountedStore: mount(elsewhere, path, nil, UInt(MS_BIND), nil) == 0
            case .swappedStore:
                isMounted
                    ? umount2(path, CInt(MNT_DETACH)) == 0 : rmdir(path) == 0 && rename(elsewhere, path) == 0
            default: false
            }
        guard isBack else { throw failure("give the store back: \(fault.rawValue)") }
    }

    private func failure(_ what: String) -> ChaosError {
        ChaosError("cannot \(what): \(String(cString: strerror(errno)))")
    }

    /// The kernel refuses while somebody has a file open for writing there.
    private func forbidWriting() async -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        while mount("tmpfs", path, nil, UInt(MS_REMOUNT | MS_RDONLY | MS_BIND), nil) != 0 {
            guard errno == EBUSY, .now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return true
    }

    /// Another, empty disk on top.
    private func cover() -> Bool { mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0 }

    private func fill() -> Bool {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 1 << 16)
        while write(descriptor, block, block.count) > 0 {}
        return errno == ENOSPC
    }
}
