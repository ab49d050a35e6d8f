import Glibc

// Do what jobs do with the store, to see whether jobs would succeed.
extension LocalMediaStore {
    /// Sees whether the disk responds to writing, before this process writes to it.
    ///
    /// - Throws: `noResponse`.
    package func requireResponse() async throws(MediaError) {
        try await touch.requireResponse(of: root)
    }

    package func probeReading(isNeeded: Bool) async throws(MediaError) {
        try await probe(isNeeded: isNeeded) { () async throws(MediaError) in
            try await inStore { (_) throws(MediaError) in }
        }
    }

    /// Writes a file that has no name, flushes it to the disk, and reads it.
    ///
    /// A full disk often has room for an empty file, or for a small one.
    package func probeWriting(isNeeded: Bool) async throws(MediaError) {
        try await probe(isNeeded: isNeeded) { () async throws(MediaError) in
            try await inStore { (root) throws(MediaError) in
                try makeUnfinishedFile(in: root.tree(.renditions)).tryOut()
            }
        }
    }

    /// Says who may store photos, if a group shares the directory: a directory with the set-group-ID bit gives its group to what
    /// is made in it.
    package func examine() async throws(MediaError) -> [StoreFinding] {
        try await FileThreads.shared.run { () throws(MediaError) in
            // Probes tell that a store is gone; a new one is made with the first photo.
            guard access(root, F_OK) == 0 else { return [] }
            let top = try status(of: root)
            guard top.st_mode & S_ISGID != 0, top.st_mode & S_IWGRP != 0 else { return [] }
            let (group, members) = Self.group(top.st_gid)
            for tree in MediaTree.allCases {
                let path = "\(root)/\(tree.rawValue)"
                let mode: mode_t = S_ISGID | S_IRWXG
                guard access(path, F_OK) == 0 else { continue }
                let found = try status(of: path)
                guard found.st_gid != top.st_gid || found.st_mode & mode != mode else { continue }
                return [
                    StoreFinding(
                        what: "group",
                        detail:
                            "\(path) is not shared by the group \(group), as \(root) is: what one user stores, others "
                            + "cannot use",
                        remedy: "as root: chgrp -R \(group) \(root) && chmod -R g+rwX \(root) && "
                            + "find \(root) -type d -exec chmod g+s {} +")
                ]
            }
            return [
                StoreFinding(
                    what: "group",
                    detail: members.isEmpty
                        ? "members of the group \(group) may store photos; it has none"
                        : "members of the group \(group) may store photos: \(members.joined(separator: ", "))",
                    remedy: nil)
            ]
        }
    }

    private func status(of path: String) throws(MediaError) -> stat {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system("examine the directory", path: path) }
        return status
    }

    /// A group's name, or its number, and the users that were added to it.
    private static func group(_ number: gid_t) -> (name: String, members: [String]) {
        var buffer = [CChar](repeating: 0, count: 65_536)
        var entry = Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        guard getgrgid_r(number, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            return ("\(number)", [])
        }
        var members: [String] = []
        var next = entry.gr_mem
        while let name = next?.pointee {
            members.append(String(cString: name))
            next = next?.advanced(by: 1)
        }
        return (String(cString: entry.gr_name), members.sorted())
    }
}
