import Glibc

/// Why the media store could not do what it was asked.
package struct MediaError: Error, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The location is neither a directory path nor a local `file://` URL.
        case invalidLocation
        /// The key is not a path within the store.
        case keyEscapesStore
        case notFound
        case notARegularFile
        /// The file system is full, or the user's quota is.
        case noSpace
        case permissionDenied
        /// Anything else that the system said.
        case io(errno: Int32)
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What a failed system call on `subject` means.
    init(errno: Int32, doing action: String, _ subject: String) {
        let said = String(cString: strerror(errno))
        switch errno {
        case ENOENT, ENOTDIR:
            self.init(.notFound, "\(action) \(subject): there is no such file")
        case EXDEV, ELOOP:
            self.init(.keyEscapesStore, "\(action) \(subject): the path leaves the media store")
        case ENOSPC, EDQUOT:
            self.init(.noSpace, "\(action) \(subject): no space is left; free some or enlarge the disk")
        case EACCES, EPERM, EROFS:
            self.init(
                .permissionDenied,
                "\(action) \(subject): \(said); let the user that runs Darkroom write there")
        case EISDIR:
            self.init(.notARegularFile, "\(action) \(subject): it is not a regular file")
        default:
            self.init(.io(errno: errno), "\(action) \(subject): \(said)")
        }
    }

    package var description: String { message }
}
