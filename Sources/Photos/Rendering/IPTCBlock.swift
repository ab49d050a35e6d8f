import Imaging

/// The texts of an IPTC-IIM block (IIM 4.2): records of one byte 0x1C, the number of the record and of the data set, and a
/// length of 16 bits.
struct IPTCBlock {
    private let bytes: [UInt8]

    /// - Parameter bytes: a TIFF may have them as numbers of four bytes in its own order.
    init(_ bytes: [UInt8]) {
        let isReversed = bytes.count > 4 && bytes[0] != 0x1C && bytes[3] == 0x1C
        self.bytes =
            isReversed
            ? stride(from: 0, to: bytes.count - 3, by: 4).flatMap { bytes[$0..<$0 + 4].reversed() } : bytes
    }

    /// By-lines (2:80), separated by commas.
    var creator: String? {
        let names = texts(80).filter { PhotoCredit.clean($0) != nil }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
    var credit: String? { texts(110).first }
    var copyright: String? { texts(116).first }

    /// When the light fell (2:55 and 2:60).
    func originalTime(now: Int) -> CaptureTime? { time(date: 55, clock: 60, now) }
    /// When a film was scanned (2:62 and 2:63).
    func digitizedTime(now: Int) -> CaptureTime? { time(date: 62, clock: 63, now) }

    /// A date such as `20240507` with a time such as `093304+0200`; nil if one is missing or wrong.
    private func time(date: UInt8, clock: UInt8, _ now: Int) -> CaptureTime? {
        func digits(_ dataSet: UInt8) -> String {
            (texts(dataSet).first ?? "").filter { $0 != ":" && $0 != "-" }
        }
        let (day, time) = (digits(date).prefix(8), texts(clock).first ?? "")
        let hours = time.filter { $0 != ":" }
        guard day.count == 8, hours.prefix(6).count == 6 else { return nil }
        let text =
            "\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))T\(hours.prefix(2)):"
            + "\(hours.dropFirst(2).prefix(2)):\(hours.dropFirst(4).prefix(2))\(hours.dropFirst(6))"
        return CaptureTime.plausible(text, now: now)
    }

    /// The texts of a data set of record 2, up to the first damage; at most 16.
    private func texts(_ wanted: UInt8) -> [String] {
        var found: [String] = []
        var at = 0
        var isUTF8 = false
        while at + 5 <= bytes.count, bytes[at] == 0x1C, found.count < 16 {
            var length = Int(bytes[at + 3]) << 8 | Int(bytes[at + 4])
            let (record, dataSet) = (bytes[at + 1], bytes[at + 2])
            at += 5
            if length >= 0x8000 {
                // The other bits are the number of bytes that the length has.
                let count = length & 0x7FFF
                guard 1...4 ~= count, at + count <= bytes.count else { break }
                length = bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
                at += count
            }
            guard length <= bytes.count - at else { break }
            let value = bytes[at..<at + length]
            if record == 1, dataSet == 90 { isUTF8 = value.elementsEqual([0x1B, 0x25, 0x47]) }
            if record == 2, dataSet == wanted {
                found.append(isUTF8 ? String(decoding: value, as: UTF8.self) : Self.text(value))
            }
            at += length
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
