import Glibc

/// Why a server could not be started.
package struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// The text is not one of the forms of `ListenAddress`.
        case malformedAddress
        /// Another program is listening there.
        case addressInUse
        /// The address does not belong to this machine.
        case addressNotAvailable
        /// The process is not allowed to listen there.
        case notPermitted
        /// Any other failure of the operating system; see `errorNumber`.
        case system
    }

    package var code: Code
    package var address: String
    /// What happened and what to do about it, without the address.
    package var message: String
    /// The `errno` behind the error, if there is one.
    package var errorNumber: Int32?

    package var description: String {
        address.isEmpty ? message : "cannot listen on \(address): \(message)"
    }

    /// The error for a system call of a running server.
    init(_ errorNumber: Int32, _ what: String) {
        self.init(
            .system, address: "", message: "\(what): \(String(cString: strerror(errorNumber)))",
            errorNumber: errorNumber)
    }

    init(_ code: Code, address: String, message: String, errorNumber: Int32? = nil) {
        self.code = code
        self.address = address
        self.message = message
        self.errorNumber = errorNumber
    }

    /// The error for a system call that failed while starting to listen.
    init(errorNumber: Int32, address: ListenAddress) {
        let (code, message): (Code, String) =
            switch errorNumber {
            case EADDRINUSE: (.addressInUse, "another program uses that port; choose another port or stop it")
            case EADDRNOTAVAIL: (.addressNotAvailable, "this machine does not have that address")
            case EACCES, EPERM:
                (
                    .notPermitted,
                    "this user may not listen there; ports below 1024 need privileges, so choose a higher one"
                )
            default: (.system, String(cString: strerror(errorNumber)))
            }
        self.init(code, address: address.description, message: message, errorNumber: errorNumber)
    }
}
