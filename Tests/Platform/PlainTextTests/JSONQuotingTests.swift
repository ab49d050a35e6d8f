import PlainText
import Testing

@Suite("A quoted text")
struct JSONQuotingTests {
    private static var scalars: some Sequence<Unicode.Scalar> {
        (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init)
    }

    /// Repeated here, so that nobody removes one from the tested list by mistake.
    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        let isBidiControl = properties.isBidiControl
        let isSeparator = [.lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
        return properties.generalCategory != .control && !isBidiControl && !isSeparator
    }

    @Test("has nothing that can steer a terminal, whatever scalar it contains")
    func everyScalar() {
        var wrong: [Unicode.Scalar] = []
        for scalar in Self.scalars {
            let quoted = String(scalar).quotedAsJSON
            let inside = quoted.unicodeScalars.dropFirst().dropLast()
            let isFramed = quoted.unicodeScalars.first == "\"" && quoted.unicodeScalars.last == "\""
            let isSafe = inside.allSatisfy(Self.isHarmless)
            if !isFramed || !isSafe || Self.read(Array(inside)) != scalar { wrong.append(scalar) }
        }
        #expect(wrong.isEmpty, "\(wrong.map { String($0.value, radix: 16) })")
    }

    @Test("leaves everything else as it is")
    func untouched() {
        var changed: [Unicode.Scalar] = []
        for scalar in Self.scalars where Self.isHarmless(scalar) && scalar != "\"" && scalar != "\\" {
            if Array(String(scalar).quotedAsJSON.unicodeScalars) != ["\"", scalar, "\""] {
                changed.append(scalar)
            }
        }
        #expect(changed.isEmpty, "\(changed.map { String($0.value, radix: 16) })")
    }

    @Test(
        "escapes",
        arguments: [
            ("", #""""#), ("plain ÄÖ 東京 👩‍👧", #""plain ÄÖ 東京 👩‍👧""#), ("a\"b\\c", #""a\"b\\c""#),
            ("\n\r\t", #""\n\r\t""#), ("\0\u{1B}[2J\u{7F}", #""\u0000\u001b[2J\u007f""#),
            ("\u{85}\u{9B}31m", #""\u0085\u009b31m""#), ("\u{2028}\u{2029}", #""\u2028\u2029""#),
            ("\u{202A}\u{202E}\u{2066}\u{2069}", #""\u202a\u202e\u2066\u2069""#),
            ("\u{200E}\u{200F}\u{061C}", #""\u200e\u200f\u061c""#),
            ("\u{200D}\u{202F}", "\"\u{200D}\u{202F}\""),
        ])
    func known(text: String, quoted: String) {
        #expect(text.quotedAsJSON == quoted)
    }

    /// The contents of a string of one scalar as a JSON reader decodes it; nil if it is invalid.
    private static func read(_ text: [Unicode.Scalar]) -> Unicode.Scalar? {
        guard text.first == "\\" else { return text.count == 1 ? text[0] : nil }
        let short: [Unicode.Scalar: Unicode.Scalar] = [
            "\"": "\"", "\\": "\\", "n": "\n", "r": "\r", "t": "\t",
        ]
        guard text.count > 1 else { return nil }
        if text.count == 2 { return short[text[1]] }
        guard text.count == 6, text[1] == "u" else { return nil }
        return UInt32(String(String.UnicodeScalarView(text[2...])), radix: 16).flatMap(Unicode.Scalar.init)
    }
}
