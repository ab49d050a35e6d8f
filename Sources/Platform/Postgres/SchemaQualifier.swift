/// Puts a schema's name into SQL that was written for the schema `darkroom`.
///
/// It replaces the word `darkroom`, in lower case and unquoted,
/// - before a full stop: `darkroom.jobs`, also within literals: `to_regclass('darkroom.jobs')`;
/// - as the whole name after `schema`, `schema if exists`, `schema if not exists`, `search_path =` and
///   `search_path to`, each with single spaces.
///
/// A word does not follow a letter, digit, underscore, `$`, full stop or double quote: `xdarkroom.`, `"darkroom.`,
/// `"darkroom".` and `a.darkroom.` stay as they are. The text is not parsed, so comments and literals change as
/// well; pass values as parameters, which never change.
package struct SchemaQualifier: Sendable {
    static let standard = "darkroom"

    /// Nil if the schema is `darkroom`, which the SQL was written for.
    private let replacement: [UInt8]?

    /// Throws `invalidConfiguration` unless the name has 1 to 63 lower-case ASCII letters, digits and underscores and
    /// starts with neither a digit nor `pg_`, which PostgreSQL reserves.
    ///
    /// Such a name reads the same in an identifier, in a literal and in a literal's identifier.
    package init(schema: String) throws(PostgresError) {
        let name = Array(schema.utf8)
        guard (1...63).contains(name.count), name.allSatisfy(Self.isAllowed),
            !(0x30...0x39).contains(name[0]), !schema.hasPrefix("pg_")
        else {
            var error = PostgresError(.invalidConfiguration, "the schema cannot be named \"\(schema)\"")
            error.hint =
                "use 1 to 63 lower-case letters, digits and underscores; do not start with a digit or pg_"
            throw error
        }
        // Quoted, because a name such as `user` or `order` is also a keyword.
        replacement = schema == Self.standard ? nil : Array("\"\(schema)\"".utf8)
    }

    /// `sql` for this schema; unchanged if that is `darkroom`.
    package func qualify(_ sql: String) -> String {
        guard let replacement else { return sql }
        let text = Array(sql.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 64)
        var position = 0
        while position < text.count {
            if Self.isName(at: position, in: text) {
                result += replacement
                position += Self.word.count
            } else {
                result.append(text[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let word = Array(standard.utf8)
    private static let introductions = [
        "schema ", "schema if exists ", "schema if not exists ", "search_path = ", "search_path to ",
    ].map { Array($0.utf8) }

    /// Whether the schema's name is at `position`.
    private static func isName(at position: Int, in text: [UInt8]) -> Bool {
        guard text[position] == word[0], text[position...].starts(with: word) else { return false }
        if position > 0 {
            let previous = text[position - 1]
            if isWord(previous) || previous == UInt8(ascii: ".") || previous == UInt8(ascii: "\"") {
                return false
            }
        }
        let next = position + word.count
        if next < text.count {
            if text[next] == UInt8(ascii: ".") { return true }
            if isWord(text[next]) { return false }
        }
        return introductions.contains { introduction in
            let start = position - introduction.count
            return start >= 0 && text[start..<position].elementsEqual(introduction)
                && (start == 0 || !isWord(text[start - 1]))
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether PostgreSQL accepts `byte` in an unquoted identifier.
    private static func isWord(_ byte: UInt8) -> Bool {
        isAllowed(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "$")
            || byte >= 0x80
    }
}
