import Imaging

/// The texts of an IPTC-IIM block (IIM 4.2): records of one byte 0x1C, the number of the record and of the data set, and a
/// length of 16 bits.
struct IPTCBlock {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// By-lines (2:80), separated by commas.
    var creator: String? {
        let names = texts(80)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
    var credit: String? { texts(110).first }
    var copyright: String? { texts(116).first }

    /// The texts of a data set of record 2, up to the first damage; at most 16.
    private func texts(_ wanted: UInt8) -> [String] {
        var found: [String] = []
        var at = 0
        while at + 5 <= bytes.count, bytes[at] == 0x1C, found.count < 16 {
            let length = Int(bytes[at + 3]) << 8 | Int(bytes[at + 4])
            // The highest bit marks a longer length, which texts do not need.
            guard length < 0x8000, length <= bytes.count - at - 5 else { break }
            if bytes[at + 1] == 2, bytes[at + 2] == wanted {
                found.append(Self.text(bytes[at + 5..<at + 5 + length]))
            }
            at += 5 + length
        }
        return found
    }

    /// Without a sound statement of the character set, UTF-8 is recognised by its form; the rest is taken as Windows-1252.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: bytes.lazy.map { windowsLetter($0) })
        return String(text)
    }

    /// A character of Windows-1252, which is ISO 8859-1 but for 0x80 to 0x9F (WHATWG, Encoding Standard).
    static func windowsLetter(_ byte: UInt8) -> Unicode.Scalar {
        0x80...0x9F ~= byte ? windowsLetters[Int(byte) - 0x80] : Unicode.Scalar(byte)
    }

    private static let windowsLetters = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}
