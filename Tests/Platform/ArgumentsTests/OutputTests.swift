import FoundationEssentials
import Glibc
import PlainText
import Testing

@testable import Arguments

@Suite struct JSONTests {
    @Test(
        arguments: [
            (nil, "null"), (true, "true"), (-7, "-7"), (.integer(.min), "-9223372036854775808"), (1.0, "1.0"),
            (0.1, "0.1"), (-33.9, "-33.9"), (1e300, "1e+300"), (.number(.nan), "null"),
            (.number(-.infinity), "null"),
            ([], "[]"), (.object([]), "{}"), ([1, "a", nil, [false]], #"[1,"a",null,[false]]"#),
            (.object([("z", 1), ("a", 2), ("z\"", nil)]), #"{"z":1,"a":2,"z\"":null}"#),
            (.optional(3 as Int64?) { .integer($0) }, "3"),
            (.optional(nil as String?) { .string($0) }, "null"),
            ("\"\\/\n\r\t", #""\"\\/\n\r\t""#), ("\0\u{1B}\u{7F}\u{9B}", #""\u0000\u001b\u007f\u009b""#),
            ("\u{2028}\u{202E}", #""\u2028\u202e""#), ("Zürich 東京 📷", #""Zürich 東京 📷""#),
            ("\r\n", #""\r\n""#),
        ] as [(JSON, String)])
    func lines(json: JSON, expected: String) {
        #expect(json.line == expected)
    }

    @Test func everyStringReadsBack() throws {
        let scalars = (UInt32(0)...0x2100).compactMap(Unicode.Scalar.init)
        for scalar in scalars + ["\u{FFFF}", "\u{1F4F7}", "\u{10FFFF}"] {
            let text = "a" + String(Character(scalar)) + "b"
            let line = JSON.array([.string(text)]).line
            let read = try JSONDecoder().decode([String].self, from: Data(line.utf8))
            #expect(
                read.first.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars), "U+\(scalar.value)"
            )
        }
    }

    @Test(
        arguments: [
            0.1, 1.0, -0.0, .leastNonzeroMagnitude, 1.7976931348623157e308, 1 / 3, 1e21, 123_456_789.125,
        ] as [Double])
    func everyNumberReadsBack(number: Double) throws {
        let read = try JSONDecoder().decode(
            [Double].self, from: Data(JSON.array([.number(number)]).line.utf8))
        #expect(read == [number])
    }
}

@Suite struct TextTableTests {
    private func table(_ rows: [[String]]) -> TextTable {
        var table = TextTable(columns: [.init("ID", .right), .init("PLACE"), .init("STATE")])
        for row in rows { table.add(row) }
        return table
    }

    @Test func aligns() {
        let text = table([["7", "東京", "done"], ["1234", "Zu\u{308}rich", "queued"], ["10", "📷", ""]]).render(
            width: nil)
        #expect(
            text == """
                  ID  PLACE   STATE
                   7  東京    done
                1234  Zu\u{308}rich  queued
                  10  📷      \("")
                """)
    }

    @Test func emptyIsEmpty() {
        #expect(table([]).render(width: nil).isEmpty)
        #expect(table([]).render(width: 10).isEmpty)
    }

    @Test func cutsWhatIsKeptLast() {
        var jobs = TextTable(columns: [
            .init("JOB", .right), .init("STATE", isKept: true), .init("UPLOADER"),
            .init("REASON", isKept: true),
            .init("MESSAGE"),
        ])
        jobs.add([
            "1234567890", "succeeded", "a-person-with-a-long-name", "place_unknown",
            "Nothing of this name is known.",
        ])
        for width in 50...200 {
            let text = jobs.render(width: width)
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= width })
            for kept in ["1234567890", "succeeded", "place_unknown"] {
                #expect(text.contains(kept), "\(width)")
            }
        }
        // All are cut where nothing else helps.
        #expect(jobs.render(width: 30).split(separator: "\n").allSatisfy { $0.count <= 30 })
    }

    @Test func cutsTheWidestColumnOnlyWhereAWidthIsGiven() {
        let long = String(repeating: "長い", count: 10)
        let wide = table([["1", long, "done"]])
        #expect(wide.render(width: nil).contains(long))
        let lines = wide.render(width: 20).split(separator: "\n").map(String.init)
        #expect(lines == ["ID  PLACE      STATE", " 1  長い長い…  done"])
        #expect(wide.render(width: 200) == wide.render(width: nil))
    }

    @Test(arguments: 13...60)
    func neverWiderThanAsked(width: Int) {
        let rows = [
            ["123456789", "Rio de Janeiro de la Sierra", "waiting for a worker"], ["1", "長い東京長い東京", "x"],
        ]
        for line in table(rows).render(width: width).split(separator: "\n") {
            #expect(displayWidth(String(line)) <= width)
        }
    }

    @Test func hostileCellsCannotSteerTheTerminal() {
        let text = table([["1", "a\u{1B}[2Jb\r\nc\td\u{9B}e\u{202E}f\u{7F}", "x\ny"]]).render(width: nil)
        #expect(text.split(separator: "\n").count == 2)
        #expect(text.contains("a␛[2Jb␍␊c␉d\u{FFFD}e\u{FFFD}f␡"))
        #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.canSteerTerminal })
    }

    @Test(arguments: [
        ("abc", 3), ("東京", 4), ("e\u{301}", 1), ("\u{301}", 0), ("📷", 2), ("👩‍👩‍👧", 2), ("🇨🇭", 2), ("한글", 4),
        ("ﾊﾝ", 2),
        ("Ａ", 2), ("❤\u{FE0F}", 2), ("é", 1), ("…", 1), ("", 0),
    ])
    func widths(text: String, columns: Int) {
        #expect(displayWidth(text) == columns)
    }

    @Test(arguments: [
        ("abcdef", 4, "abc…"), ("abcd", 4, "abcd"), ("東京都", 4, "東…"), ("東京", 1, "…"), ("ab", 0, ""),
    ])
    func truncation(text: String, width: Int, expected: String) {
        #expect(truncated(text, to: width) == expected)
    }
}

@Suite struct TerminalTests {
    @Test func aPipeIsNoTerminal() throws {
        var ends: [Int32] = [0, 0]
        let status = pipe(&ends)
        try #require(status == 0)
        defer { for end in ends { close(end) } }
        #expect(!Terminal.isTerminal(ends[1]))
        #expect(Terminal.width(of: ends[1]) == nil)
    }

    @Test(.enabled(if: access("/dev/ptmx", R_OK | W_OK) == 0, "needs /dev/ptmx"))
    func aTerminalTellsItsWidth() throws {
        let leader = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(leader >= 0)
        defer { close(leader) }
        var size = winsize(ws_row: 10, ws_col: 123, ws_xpixel: 0, ws_ypixel: 0)
        let status = ioctl(leader, UInt(TIOCSWINSZ), &size)
        try #require(status == 0)
        #expect(Terminal.isTerminal(leader))
        #expect(Terminal.width(of: leader) == 123)
    }
}

@Suite struct ProgressLineTests {
    private func state(isTerminal: Bool) -> ProgressState {
        ProgressState(label: "photos", isTerminal: isTerminal)
    }

    @Test func aTerminalIsRewrittenTenTimesASecond() {
        var state = state(isTerminal: true)
        var written: [Int] = []
        for millisecond in 0..<1000 {
            let text = state.update(
                done: millisecond, total: 1000, note: "", at: .milliseconds(millisecond), width: 80)
            if let text {
                written.append(millisecond)
                #expect(text.hasPrefix("\rphotos \(millisecond)/1000  ") && text.hasSuffix("\u{1B}[K"))
            }
        }
        #expect(written == Array(stride(from: 0, to: 1000, by: 100)))
    }

    @Test func aLogHasALineEachTwoSecondsAndOneAtTheEnd() {
        var state = state(isTerminal: false)
        var lines: [String?] = []
        for second in [0, 1, 2, 3, 4] {
            lines.append(
                state.update(done: second * 60, total: 4000, note: "n", at: .seconds(second), width: nil))
        }
        #expect(
            lines == [
                nil, nil, "photos 120/4000  60.0/s  0:02  n\n", nil, "photos 240/4000  60.0/s  0:04  n\n",
            ])
        let last = state.finish("done", at: .seconds(5), width: nil)
        #expect(last == "photos 240/4000  48.0/s  0:05  done\n")
    }

    @Test func showsOnlyWhatItWasToldAndNothingAfterTheEnd() {
        var state = state(isTerminal: true)
        _ = state.update(done: 1, total: 3, note: "", at: .zero, width: 80)
        let early = state.update(done: 2, total: 3, note: "", at: .milliseconds(50), width: 80)
        #expect(early == nil)
        let last = state.finish("stopped", at: .seconds(3700), width: 80)
        #expect(
            last
                == "\rphotos 2/3  0.0/s  1:01:40  stopped\u{1B}[K\n")
        let late = state.update(done: 3, total: 3, note: "", at: .seconds(4000), width: 80)
        let again = state.finish("again", at: .seconds(4000), width: 80)
        #expect(late == nil && again == nil)
    }

    @Test func fitsTheTerminalAndCannotBeSteered() {
        var state = state(isTerminal: true)
        let note = "\u{1B}[2J\n" + String(repeating: "x", count: 99)
        let text = state.update(done: 5, total: 0, note: note, at: .seconds(1), width: 30)
        #expect(text == "\rphotos 5  5.0/s  0:01  ␛[2J␊…\u{1B}[K")
    }

    @Test func writesToItsDescriptor() throws {
        var ends: [Int32] = [0, 0]
        let status = pipe(&ends)
        try #require(status == 0)
        defer { close(ends[0]) }
        let line = ProgressLine(label: "photos", descriptor: ends[1])
        line.update(done: 1, total: 2, note: "")
        line.finish("done")
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 1000)
        let count = read(ends[0], &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(text.hasSuffix("  done\n"))
        #expect(text.split(separator: "\n").last?.hasPrefix("photos 1/2  ") == true)
    }
}
