import CLibPQ
import PlainText

/// How to reach one database.
///
/// Its descriptions show the address but never the password.
package struct PostgresConfiguration: Sendable {
    /// A libpq URI (`postgresql://user:password@host:port/database?option=value`) or keyword string
    /// (`host=... dbname=...`). Anything it omits comes from libpq's environment variables and defaults.
    package var url: String
    /// Shown in `pg_stat_activity`; a name in `url` or `PGAPPNAME` takes precedence.
    package var applicationName: String
    /// The time for one whole attempt, across all hosts and addresses.
    package var connectTimeout: Duration
    /// How long a statement may wait for a lock; nil for as long as it takes.
    package var lockTimeout: Duration?
    /// How long a statement may take; nil for as long as it takes.
    package var statementTimeout: Duration?
    /// The role that every session takes on, of which the login must be a member; nil for the login itself.
    package var role: String?
    /// How long a transaction may wait for its next statement; nil for as long as it takes. After that the server ends
    /// the connection, so that a program that stands still holds no locks.
    package var idleInTransactionTimeout: Duration? = .seconds(60)
    /// How long the server may take to commit or to roll back. After that the connection is closed.
    package var commitTimeout = Duration.seconds(15)
    /// Whether each connection lets the server keep the statements that it has parsed, so that the next call of one is faster.
    /// For programs with few different statements. Behind a pooler that shares sessions, it ends by itself.
    package var keepsStatements = false

    package init(
        url: String, applicationName: String = "darkroom", connectTimeout: Duration = .seconds(10)
    ) {
        self.url = url
        self.applicationName = applicationName
        self.connectTimeout = connectTimeout
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        let place = (try? address) ?? "an invalid address"
        return "PostgresConfiguration(\(place))"
    }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["address": (try? address) ?? "invalid"]) }
}

extension PostgresConfiguration {
    /// Where `url` leads, for messages: user, host, port and database, without the password.
    ///
    /// Throws `invalidConfiguration` if `url` cannot be parsed.
    package var address: String {
        get throws(PostgresError) {
            try address(of: nil)
        }
    }

    /// The same for one of several hosts.
    func address(of one: PostgresHost?) throws(PostgresError) -> String {
        let options = try parsed()
        let host = one?.host ?? options["host"] ?? options["hostaddr"] ?? "the default host"
        var text = host.hasPrefix("/") ? "socket directory \(host)" : host
        if let port = one?.port ?? options["port"] { text += " port \(port)" }
        if let database = options["dbname"] { text += " database \(database)" }
        if let user = options["user"] { text += " user \(user)" }
        return text
    }

    /// The parameters for `PQconnectStartParams`: our defaults that `url` may override, `url`, and our fixed values.
    ///
    /// - Parameter one: the only host to try; nil for those of `url`.
    func parameters(for one: PostgresHost?) -> [(keyword: String, value: String)] {
        let place = one.map { one in [("host", one.host)] + (one.port.map { [("port", $0)] } ?? []) } ?? []
        return [
            // A peer that vanished without a FIN is noticed within half a minute, whether this side is waiting for
            // a reply (keepalives) or has unacknowledged data (user timeout).
            ("keepalives", "1"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "4"), ("tcp_user_timeout", "30000"),
            ("fallback_application_name", applicationName),
            ("dbname", url),
            ("client_encoding", "UTF8"),
        ] + place
    }

    /// The options that `url` sets. libpq quotes the string, and so the password, in its messages; therefore
    /// none of its texts is passed on. A password whose special characters were not encoded must not
    /// surface as a "host" or a "port" either.
    func parsed() throws(PostgresError) -> [String: String] {
        var complaint: UnsafeMutablePointer<CChar>?
        guard !url.utf8.contains(0), let list = PQconninfoParse(url, &complaint) else {
            PQfreemem(complaint)
            throw Self.invalid("it is neither a URI nor a keyword string")
        }
        defer { PQconninfoFree(list) }
        var options: [String: String] = [:]
        var option = list
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        if let port = options["port"], !port.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2C }) {
            throw Self.invalid("the port is not a number")
        }
        for keyword in ["host", "dbname"] where options[keyword]?.contains("@") == true {
            throw Self.invalid("there is more than one @")
        }
        return options
    }

    private static func invalid(_ reason: String) -> PostgresError {
        var error = PostgresError(
            .invalidConfiguration, "the database address cannot be parsed: \(reason)")
        error.hint =
            "write postgresql://user:password@host:port/database, and special characters in the user name "
            + "or password percent-encoded (@ as %40, / as %2F)"
        return error
    }
}

extension PostgresConfiguration {
    /// This address with another database.
    ///
    /// Throws `invalidConfiguration` if `url` cannot be parsed.
    package func url(database: String) throws(PostgresError) -> String {
        var options = try parsed()
        options["dbname"] = nil
        func encoded(_ text: String) -> String {
            text.utf8.map { byte in
                let character = Character(UnicodeScalar(byte))
                return character.isASCII
                    && (character.isLetter || character.isNumber || "-._~/".contains(character))
                    ? String(character)
                    : "%" + byte.padded(to: 2, radix: 16).uppercased()
            }.joined()
        }
        let rest = options.sorted { $0.key < $1.key }.map { "\($0.key)=\(encoded($0.value))" }
        return "postgresql:///\(encoded(database))?\(rest.joined(separator: "&"))"
    }
}
