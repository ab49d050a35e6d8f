/// What went wrong between this program and PostgreSQL.
///
/// The text never contains the password or the values of parameters or columns, except where the server itself
/// puts a value into its message or detail.
package struct PostgresError: Error, Sendable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The connection string could not be parsed.
        case invalidConfiguration
        /// No connection could be made.
        case connectionFailed
        /// An established connection broke. Whether the running statement took effect is not known.
        case connectionLost
        /// The connection was closed by this program before the call.
        case connectionClosed
        /// The server refused the statement; see `sqlState`.
        case server
        /// A value cannot be sent to PostgreSQL: it has a NUL byte, or is not finite.
        case encoding
        /// A column is absent, NULL, or not of the requested type.
        case decoding
        /// A configured time limit has passed.
        case timeout
        /// A transaction could not be started or committed as requested.
        case transaction
        /// The statement uses something that this client does not support, such as `COPY` to the client.
        case unsupported
        /// The pool was closed.
        case poolClosed
        /// The operating system refused a thread or a descriptor.
        case system
    }

    package var code: Code
    package var message: String
    package var sqlState: SQLState?
    package var detail: String?
    package var hint: String?
    /// Where in the server's code or functions the error was raised.
    package var context: String?
    package var constraint: String?
    package var table: String?
    package var column: String?
    /// Whether one of our functions raised it, with a text of ours: not PostgreSQL itself.
    package var isRaised = false

    package init(_ code: Code, _ message: String, sqlState: SQLState? = nil) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
    }

    package var description: String {
        var text = message
        if let sqlState { text += " (SQLSTATE \(sqlState))" }
        // The detail of a data exception or a violated constraint shows the row, with its coordinates.
        if let detail, !["22", "23"].contains(sqlState?.conditionClass) { text += "; detail: \(detail)" }
        if let hint { text += "; hint: \(hint)" }
        // Statements are left out.
        let functions = (context ?? "").split(separator: "\n").filter { $0.hasPrefix("PL/pgSQL function ") }
        if !functions.isEmpty { text += "; in \(functions.joined(separator: "; "))" }
        return text
    }
}
