import Pages
import Testing

@testable import Console

@Suite("Markup of the console")
struct MarkupTests {
    @Test("escapes every value, and inserts markup as it is")
    func escaping() {
        let hostile = #"<script a="b" c='d'>&amp;"#
        let escaped = "&lt;script a=&quot;b&quot; c=&#39;d&#39;&gt;&amp;amp;"
        let inner: HTML = "<b>\(hostile)</b>"
        let page: HTML = "<p title=\"\(hostile)\">\(inner)</p>"
        #expect(page.text == "<p title=\"\(escaped)\"><b>\(escaped)</b></p>")
        let nothing: HTML? = nil
        #expect(
            ("a\(nothing)b\(.when(true, "checked"))\(.when(false, "hidden"))" as HTML).text == "ab checked")
    }

    @Test("has no character that HTML does not know")
    func controls() {
        let all = String(String.UnicodeScalarView((0...0x9F).compactMap(Unicode.Scalar.init)))
        let text = ("\(all)" as HTML).text
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && !"\t\n\r".unicodeScalars.contains($0) })
        #expect(!text.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) })
    }

    @Test("draws charts within their frame, also without values")
    func charts() {
        for values in [[], [0, 0], [1, 5, 2], [.max / 2, 1]] as [[Int]] {
            let text = Chart.bars("jobs", values, kind: "failed").text
            #expect(!text.contains("nan") && !text.contains("inf") && !text.contains("=\"-"))
        }
        #expect(!Chart.stages([(name: "a", milliseconds: 0)]).text.contains("nan"))
    }

    @Test("writes fields into addresses so that they are read again")
    func addresses() {
        #expect(Form.encoded("a b&c=d+é/?") == "a%20b%26c%3Dd%2B%C3%A9%2F%3F")
        #expect(Form.seconds("90s") == 90 && Form.seconds("2h") == 7200 && Form.seconds("1.5d") == 129_600)
        for text in ["", "h", "-1h", "1w", "nand", "infs"] { #expect(Form.seconds(text) == nil, "\(text)") }
    }
}
