/// A line of a list of known hashes: `hash`, `hash,quality` or `hash,quality,anything else`.
package enum HashListLine: Sendable, Equatable {
    case hash(KnownHash)
    /// An empty line, a comment, or a heading, which begins with `hash` or `pdq`.
    case nothing
    /// What is wrong with the line.
    case bad(String)

    /// Longer lines are not read to their end.
    package static let longest = 4096

    /// - Parameter bytes: the line without its end.
    package init(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.longest else {
            self = .bad("has more than \(Self.longest) bytes")
            return
        }
        // Spreadsheets begin a file with a byte order mark.
        let mark = "\u{FEFF}".utf8
        let text = String(decoding: bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0), as: UTF8.self)
        let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed)
        guard let hash = fields.first, !text.allSatisfy(\.isWhitespace), !hash.hasPrefix("#"),
            !["hash", "pdq"].contains(where: hash.lowercased().hasPrefix)
        else {
            self = .nothing
            return
        }
        guard hash.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }), !hash.isEmpty else {
            self = .bad("is not a PDQ hash: it has something else than hexadecimal digits")
            return
        }
        guard hash.utf8.count == 64 else {
            self = .bad("has \(hash.utf8.count) hexadecimal digits; a PDQ hash has 64")
            return
        }
        guard fields.count > 1 else {
            self = .hash(KnownHash(hexadecimal: hash.lowercased(), quality: 100))
            return
        }
        guard let quality = Int(fields[1]), 0...100 ~= quality else {
            self = .bad("has a quality that is not a whole number from 0 to 100")
            return
        }
        self = .hash(KnownHash(hexadecimal: hash.lowercased(), quality: quality))
    }

    private static func trimmed(_ field: Substring) -> String {
        String(field.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
