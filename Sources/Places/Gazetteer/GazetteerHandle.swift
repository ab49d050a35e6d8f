import Glibc
import PlainText
import Synchronization

extension Gazetteer {
    /// Identifies an index: the checksum of its header and section table, and so of everything in the sections.
    package var identity: UInt64 { ByteSection(file.bytes).integer(at: IndexFormat.Header.checksum) }

    /// `identity` as 16 hexadecimal digits.
    package var checksum: String { identity.hexadecimal }

    /// The date of the newest source, as given to the build; empty if none was given.
    package var date: String { info.sources.map(\.date).max() ?? "" }
}

/// The index at a path, which follows replacements of the file.
///
/// The index is a copy in memory: nothing that happens to the file reaches it, be it overwritten or cut short in place. A
/// caller that took `current` keeps it; the memory is released when its last answer is gone. All methods may be called from any thread at once.
package final class GazetteerHandle: Sendable {
    /// The result of checking the file.
    package enum Finding: Sendable {
        case unchanged
        /// A new index is now in use.
        case replaced(by: Gazetteer)
        /// A new file cannot be used; reported once per file. The index in use stays.
        case refused(GazetteerError)
    }

    /// Identifies the file at the path; a rename or a write gives another identity.
    private struct FileIdentity: Equatable {
        let device: UInt
        let inode: UInt
        let byteCount: Int
        let seconds: Int
        let nanoseconds: Int

        /// Nil if there is no file.
        init?(path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt(status.st_dev)
            inode = UInt(status.st_ino)
            byteCount = Int(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    private struct State {
        var gazetteer: Gazetteer
        /// The last file checked, used or refused; nil for none.
        var seen: FileIdentity?
        /// Whether `seen` could not be read. This may pass, so every check tries again, but reports it once.
        var isUnread = false
    }

    package let path: String
    private let state: Mutex<State>

    /// Reads the index at a path.
    ///
    /// - Throws: `GazetteerError` as `Gazetteer.init(copying:)` does.
    package init(path: String) throws(GazetteerError) {
        self.path = path
        // Read first: a file that arrives in between is then found at the next check.
        let seen = FileIdentity(path: path)
        state = Mutex(State(gazetteer: try Gazetteer(copying: path), seen: seen))
    }

    package var current: Gazetteer { state.withLock(\.gazetteer) }

    /// Checks whether another file is at the path and, if it is a valid index, uses it from now on.
    ///
    /// This reads all of a new file, so do not call it on a thread that must not wait. Make one call at a time. A new file with the same contents replaces nothing.
    package func look() -> Finding {
        let found = FileIdentity(path: path)
        let (before, wasUnread) = state.withLock { state in
            defer { (state.seen, state.isUnread) = (found, false) }
            return (state.seen, state.isUnread)
        }
        guard found != before || wasUnread else { return .unchanged }
        do throws(GazetteerError) {
            let gazetteer = try Gazetteer(copying: path)
            return state.withLock { state in
                guard state.gazetteer.identity != gazetteer.identity else { return .unchanged }
                state.gazetteer = gazetteer
                return .replaced(by: gazetteer)
            }
        } catch {
            guard error.code == .io, found != nil else { return .refused(error) }
            state.withLock { $0.isUnread = true }
            return wasUnread && found == before ? .unchanged : .refused(error)
        }
    }
}
