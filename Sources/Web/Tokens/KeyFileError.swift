import Glibc

/// Why a file of keys cannot be used. It contains no key.
package struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// The system cannot read the file; see `errorNumber`.
        case unreadable
        /// The file has more than `FileContents.largest` bytes.
        case tooLarge
        /// The file does not have the form that it must have.
        case malformed
        /// The file has a key that must not be used: secret, weak or forged easily.
        case unsafe
        /// The file has no key that can be used, or too many.
        case count
        /// The system could not start the thread that watches the files.
        case noThread
    }

    package var code: Code
    package var path: String
    /// What is wrong and what to do about it, without the path.
    package var message: String
    /// The `errno` behind the error, if there is one.
    package var errorNumber: CInt?

    package var description: String { "cannot use the keys in \(path): \(message)" }

    init(_ code: Code, path: String, message: String, errorNumber: CInt? = nil) {
        self.code = code
        self.path = path
        self.message = message
        self.errorNumber = errorNumber
    }

    /// The error for a system call that failed.
    init(errorNumber: CInt, path: String) {
        self.init(
            .unreadable, path: path, message: String(cString: strerror(errorNumber)), errorNumber: errorNumber
        )
    }
}

/// What is wrong with a file's contents, before its path is known.
struct KeyFault: Error, Hashable, Sendable {
    var code: KeyFileError.Code
    var message: String

    init(_ code: KeyFileError.Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
