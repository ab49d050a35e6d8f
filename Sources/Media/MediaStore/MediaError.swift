import Glibc

/// Why the media store could not do what was asked.
package struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// Nothing is stored under the key, or the file to store does not exist.
        case notFound
        /// The key is not a plain relative path.
        case keyEscapesStore
        /// A file or directory of the store is a symbolic link, or is on another file system.
        case leadsElsewhere
        /// A directory, pipe, socket or device was found instead of a file.
        case notARegularFile
        /// The file system, the quota or the process's file size limit is full.
        case noSpace
        /// The process may not read or write there.
        case permissionDenied
        /// The location of a store is not a directory path or a `file:` URL.
        case unsupportedLocation
        /// The path does not lead to the media store that the database has recorded: its disk is not mounted, or it is
        /// another store.
        case unavailable
        /// The database could not be asked which store is the right one.
        case unconfirmed
        /// The file extension is not 1 to 8 lower-case letters or digits.
        case invalidFileExtension
        /// A call to the file system did not return, or its caller gave up.
        case noResponse
        /// Any other failure of the operating system; see `errorNumber`.
        case io
    }

    package var code: Code
    /// The key, path or location that the error is about.
    package var path: String
    /// What happened and what to do about it, without the path.
    package var message: String
    /// The `errno` behind the error, if there is one.
    package var errorNumber: CInt?
    /// The error of the database, if the store could not be confirmed.
    package var cause: Cause?

    package init(
        _ code: Code, path: String, message: String, errorNumber: CInt? = nil, cause: Cause? = nil
    ) {
        self.code = code
        self.path = path
        self.message = message
        self.errorNumber = errorNumber
        self.cause = cause
    }

    package var description: String { "\(path): \(message)" }

    /// Whether the whole store cannot be used, rather than one of its files.
    package var concernsWholeStore: Bool {
        code == .unavailable || code == .unconfirmed || code == .noResponse
    }

    /// An error of another module, which the message shows.
    package struct Cause: Hashable, Sendable {
        package let error: any Error

        package static func == (left: Cause, right: Cause) -> Bool { "\(left.error)" == "\(right.error)" }

        package func hash(into hasher: inout Hasher) { hasher.combine("\(error)") }
    }
}

extension MediaError {
    static var noResponse: MediaError {
        MediaError(
            .noResponse, path: "the media store",
            message: "a call to the file system did not return; look at the disk and at the kernel's log")
    }

    /// The error for a failed system call. `action` completes "could not …".
    package static func system(_ action: String, path: String, errorNumber: CInt = errno) -> MediaError {
        let cause = "could not \(action): \(String(cString: strerror(errorNumber)))"
        func make(_ code: Code, _ advice: String) -> MediaError {
            MediaError(code, path: path, message: cause + advice, errorNumber: errorNumber)
        }
        return switch errorNumber {
        case ENOENT, ENOTDIR:
            make(.notFound, "; check that it was stored and not erased")
        case ELOOP, EXDEV:
            make(
                .leadsElsewhere,
                "; the store must be one file system without symbolic links: replace the link with what it points to"
            )
        case EISDIR, ENXIO:
            make(.notARegularFile, "; only regular files can be stored")
        case ENOSPC, EDQUOT, EFBIG:
            make(.noSpace, "; free or add disk space, then try again")
        case EACCES, EPERM, EROFS:
            make(.permissionDenied, "; give the user of this process access to it")
        default:
            make(.io, "")
        }
    }
}
