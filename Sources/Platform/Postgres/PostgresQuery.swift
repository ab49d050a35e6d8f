/// One SQL statement with its parameters, written as an interpolated string.
///
/// `"select * from jobs where id = \(id)"` sends `select * from jobs where id = $1` and `id` separately, so
/// no value can become SQL. The server infers each parameter's type from its context; write `\(x)::bigint` where
/// it cannot. `\(unescaped: name)` inserts text as SQL, and another `PostgresQuery` inserts its text and
/// parameters.
package struct PostgresQuery: Sendable, ExpressibleByStringInterpolation {
    enum Part: Sendable {
        case sql(String)
        case parameter(Parameter)
    }

    enum Parameter: Sendable {
        case null
        case text(String)
        /// A value that PostgreSQL has no text for: thrown when the query is sent.
        case refused(PostgresError)
    }

    private(set) var parts: [Part]

    package init(stringLiteral sql: String) { parts = [.sql(sql)] }
    package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// A statement without parameters whose text was built at run time.
    package init(unescaped sql: String) { parts = [.sql(sql)] }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            parts.reserveCapacity(interpolationCount * 2 + 1)
        }

        package mutating func appendLiteral(_ literal: String) { parts.append(.sql(literal)) }

        /// Binds `value` as the next parameter.
        package mutating func appendInterpolation<T: PostgresEncodable>(_ value: T) {
            do {
                parts.append(.parameter(try value.postgresText.map(Parameter.text) ?? .null))
            } catch let error as PostgresError {
                parts.append(.parameter(.refused(error)))
            } catch {
                parts.append(.parameter(.refused(PostgresError(.encoding, "\(error)"))))
            }
        }

        /// Binds `value`, or NULL. A separate overload, because the compiler warns about optionals that reach a
        /// generic parameter.
        package mutating func appendInterpolation<T: PostgresEncodable>(_ value: T?) {
            if let value { appendInterpolation(value) } else { parts.append(.parameter(.null)) }
        }

        /// Inserts `text` as SQL. For our own identifiers and keywords, never for input.
        package mutating func appendInterpolation(unescaped text: String) { parts.append(.sql(text)) }

        /// Inserts another query with its parameters.
        package mutating func appendInterpolation(_ query: PostgresQuery) { parts += query.parts }
    }
}

extension PostgresQuery {
    /// The statement as it is sent, with `$1` to `$n`.
    package var sql: String {
        var text = ""
        var count = 0
        for part in parts {
            switch part {
            case .sql(let sql): text += sql
            case .parameter:
                count += 1
                text += "$\(count)"
            }
        }
        return text
    }

    /// The parameters' texts, nil for NULL. Throws `encoding` for a value that cannot be sent.
    package func parameterTexts() throws(PostgresError) -> [String?] {
        var texts: [String?] = []
        for case .parameter(let parameter) in parts {
            switch parameter {
            case .null: texts.append(nil)
            case .refused(var error):
                error.message = "parameter $\(texts.count + 1): \(error.message)"
                throw error
            case .text(let text):
                // The protocol ends a text at its first NUL, which would silently truncate the value.
                guard !text.utf8.contains(0) else {
                    throw PostgresError(
                        .encoding,
                        "parameter $\(texts.count + 1) has a NUL character, which PostgreSQL cannot store in text"
                    )
                }
                texts.append(text)
            }
        }
        return texts
    }
}

/// Quotes a name for use as an SQL identifier, for `\(unescaped:)`.
package func quotedIdentifier(_ name: String) -> String {
    var text = "\""
    for character in name.unicodeScalars {
        if character == "\"" { text += "\"" }
        text.unicodeScalars.append(character)
    }
    return text + "\""
}
