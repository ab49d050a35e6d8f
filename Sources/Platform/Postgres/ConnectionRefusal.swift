/// Why a connection could not be made, read from libpq's verbose text: for each attempt the server's reason or
/// libpq's own.
///
/// A server's reason is `SEVERITY:  SQLSTATE: message` in every language, and then has a line about the place in the
/// server's source. libpq's own reasons have no SQLSTATE, and no second space after a colon.
struct ConnectionRefusal {
    /// On one line, and without what makes it verbose.
    let message: String
    /// The reason of the first server that gave one.
    let sqlState: SQLState?

    init(_ verbose: String) {
        var text: [Substring] = []
        var states: [SQLState] = []
        for line in verbose.split(whereSeparator: \.isNewline) where !line.hasPrefix("LOCATION:  ") {
            let words = line.split(omittingEmptySubsequences: false, whereSeparator: \.isWhitespace)
            for (index, word) in words.enumerated() where !word.isEmpty {
                if index >= 2, words[index - 1].isEmpty, words[index - 2].hasSuffix(":"),
                    let state = Self.state(word)
                {
                    states.append(state)
                } else {
                    text.append(word)
                }
            }
        }
        message = text.joined(separator: " ")
        sqlState = states.first
    }

    private static func state(_ word: Substring) -> SQLState? {
        let code = word.dropLast().utf8
        let isCode = code.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        return word.hasSuffix(":") && code.count == 5 && isCode ? SQLState(String(word.dropLast())) : nil
    }
}
