import FoundationEssentials
import Testing

@testable import Tokens

@Suite struct StrictJSONTests {
    private func code(_ bytes: [UInt8]) -> StrictJSONError.Code? {
        do {
            _ = try StrictJSONParser.parse(bytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [
        ("null", StrictJSON.null), (" true\n", .bool(true)), ("false", .bool(false)), ("0", .number(0)),
        ("-0.5e+2", .number(-50)), ("12E-1", .number(1.2)),
        ("9223372036854775807", .number(.init(integerLiteral: .max))),
        ("-9223372036854775809", .number(.init(value: -0x1p63, integer: nil))), (#""""#, .string("")),
        (#""\"\\\/\b\f\n\r\t\u0041\ud83d\ude00""#, .string("\"\\/\u{8}\u{c}\n\r\tA\u{1f600}")),
        ("[]", .array([])), ("[1, 2]", .array([.number(1), .number(2)])), ("{ }", .object([])),
        (
            #"{"a":{"a":1},"b":[]}"#,
            .object([
                .init(name: "a", value: .object([.init(name: "a", value: .number(1))])),
                .init(name: "b", value: .array([])),
            ])
        ),
    ])
    func `JSON is read`(text: String, value: StrictJSON) throws {
        #expect(try StrictJSONParser.parse(Array(text.utf8)) == value)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "Infinity",
        "'a'", "\"", "\"a",
        "\"\n\"", "\"\u{0}\"", #""\x""#, #""\u12""#, #""\u12g4""#, #""\ud800""#, #""\ud800\u0041""#,
        #""\udc00""#, "[", "[1", "[1,",
        "[1,]", "[,1]", "[1 2]", "]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
        "{a:1}", "{1:1}", "{\"a\" 1}",
        "{} {}", "1,", "/**/1", "\u{feff}1", "\u{a0}1", "١",
    ])
    func `Other text is refused`(text: String) {
        #expect(code(Array(text.utf8)) == .malformed)
    }

    @Test func `Bytes that are not UTF-8 are refused`() {
        for bytes: [UInt8] in [
            [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82],
        ] {
            #expect(code([0x22] + bytes + [0x22]) == .malformed)
            #expect(code(bytes) == .malformed)
        }
    }

    @Test func `Names are told apart by their bytes`() {
        #expect(code(Array(#"{"a":1,"\u0061":1}"#.utf8)) == .duplicate)
        #expect(code(Array(#"[{"a":[{"":1,"":1}]}]"#.utf8)) == .duplicate)
        #expect(code(Array(#"{"é":1,"e\u0301":1}"#.utf8)) == nil)
        #expect(code(Array("1e999".utf8)) == .number)
    }

    @Test func `Text with one other byte is refused, or is JSON to Foundation as well`() {
        let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",true,null],"b":{"c":{}}}"#.utf8)
        for position in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[position] = byte
                guard code(changed) == nil else { continue }
                #expect(throws: Never.self) { try JSONDecoder().decode(Anything.self, from: Data(changed)) }
            }
        }
    }

    private struct Anything: Decodable { init(from decoder: any Decoder) throws {} }
}
