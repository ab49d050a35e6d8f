import Glibc
import PlainText
import Synchronization

extension Gazetteer {
    /// Tells indexes apart: the checksum of header and section table, and so of all that the sections hold.
    package var identity: UInt64 { ByteSection(file.bytes).integer(at: IndexFormat.Header.checksum) }

    /// `identity` as 16 hexadecimal digits.
    package var checksum: String { identity.hexadecimal }

    /// The date of the youngest source, as the build was told it; empty where it was told none.
    package var date: String { info.sources.map(\.date).max() ?? "" }
}

/// The index at a path, and after another was installed over it, that one.
///
/// Whoever took `current` keeps what was mapped then; the old file's memory is given back when the last answer of it
/// is gone. All methods may be called from any thread at once.
package final class GazetteerHandle: Sendable {
    /// What a look at the file found.
    package enum Finding: Sendable {
        case unchanged
        /// Another index is in use from now on.
        case replaced(by: Gazetteer)
        /// Another file is there and cannot be used, said once for each such file; the index in use stays.
        case refused(GazetteerError)
    }

    /// Which file lies at the path: another one after a rename, or after writing into it.
    private struct FileIdentity: Equatable {
        let device: UInt
        let inode: UInt
        let byteCount: Int
        let seconds: Int
        let nanoseconds: Int

        /// Nil where there is none.
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
        /// The file that was looked at last, used or refused; nil for none.
        var seen: FileIdentity?
        /// Whether `seen` could not be read, which may pass: it is tried at every look, and told of once.
        var isUnread = false
    }

    package let path: String
    private let state: Mutex<State>

    /// Opens the index at a path.
    ///
    /// - Throws: `GazetteerError` as `Gazetteer.init(path:)` does.
    package init(path: String) throws(GazetteerError) {
        self.path = path
        // Looked at first: a file that comes in between is then found at the next look.
        let seen = FileIdentity(path: path)
        state = Mutex(State(gazetteer: try Gazetteer(path: path), seen: seen))
    }

    package var current: Gazetteer { state.withLock(\.gazetteer) }

    /// Looks whether another file is at the path and, where it is a sound index, takes that one from now on.
    ///
    /// Reads the whole of a new file to compare its checksums, so it is not for a thread that must not wait; one look
    /// at a time. A new file with the same contents replaces nothing.
    package func look() -> Finding {
        let found = FileIdentity(path: path)
        let (before, wasUnread) = state.withLock { state in
            defer { (state.seen, state.isUnread) = (found, false) }
            return (state.seen, state.isUnread)
        }
        guard found != before || wasUnread else { return .unchanged }
        do throws(GazetteerError) {
            let gazetteer = try Gazetteer(path: path)
            try gazetteer.verify()
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
