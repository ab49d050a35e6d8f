package import ChildProcess
import Glibc

/// The user that the server runs as, and how to become that user.
package struct ServerUser: Sendable {
    package struct Identity: Sendable {
        package let user: UInt32
        package let group: UInt32
    }

    package let name: String
    /// Nil if the server runs as the user of this process.
    package let owns: Identity?
    /// Whether that user needs `CAP_DAC_READ_SEARCH` to reach the directory.
    let needsSearchCapability: Bool

    /// The user of this process, except if that is root: then the owner of an existing data directory, else `postgres`,
    /// else `nobody`.
    package static func choose(dataOwner: UInt32?, directory: String) throws -> ServerUser {
        guard geteuid() == 0 else { return ServerUser(name: "", owns: nil, needsSearchCapability: false) }
        let found =
            if let dataOwner, dataOwner != 0 { account(dataOwner) } else {
                account("postgres") ?? account("nobody")
            }
        guard let (name, identity) = found else {
            throw LocalClusterError(
                .noUser,
                "PostgreSQL does not run as root, and neither a user postgres nor a user nobody exists")
        }
        return ServerUser(
            name: name, owns: identity, needsSearchCapability: !canTraverse(identity, to: directory))
    }

    /// Changes `command` to run as this user without privileges. If needed, it keeps only the privilege to pass through
    /// folders closed to the user; the folders' own permissions stay as they are.
    package func running(_ command: ChildProgram) throws -> ChildProgram {
        guard let owns else { return command }
        guard let setpriv = ChildProgram.find("setpriv") else {
            throw LocalClusterError(.noUser, "setpriv is missing; install it: apt-get install util-linux")
        }
        let capabilities = needsSearchCapability ? "-all,+dac_read_search" : "-all"
        var changed = command
        changed.executable = setpriv
        changed.arguments =
            [
                "--reuid=\(owns.user)", "--regid=\(owns.group)", "--clear-groups", "--no-new-privs",
                "--inh-caps=\(capabilities)", "--ambient-caps=\(capabilities)",
                "--bounding-set=\(capabilities)",
                command.executable,
            ] + command.arguments
        return changed
    }

    private static func account(_ name: String) -> (String, Identity)? {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwnam_r(name, &entry, &buffer, buffer.count, &result) == 0, result != nil else { return nil }
        return (name, Identity(user: entry.pw_uid, group: entry.pw_gid))
    }

    private static func account(_ user: UInt32) -> (String, Identity)? {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &result) == 0, result != nil else { return nil }
        return (String(cString: entry.pw_name), Identity(user: user, group: entry.pw_gid))
    }

    /// Whether `identity` can search `path` and every folder on the way to it without its other groups.
    private static func canTraverse(_ identity: Identity, to path: String) -> Bool {
        var folder = path
        while true {
            guard let facts = FileFacts(path: folder.isEmpty ? "/" : folder) else { return false }
            let bit: UInt32 =
                if facts.owner == identity.user { 0o100 } else if facts.group == identity.group { 0o010 } else
                { 0o001 }
            if facts.mode & bit == 0 { return false }
            guard let slash = folder.lastIndex(of: "/") else { return true }
            folder = String(folder[..<slash])
        }
    }
}
