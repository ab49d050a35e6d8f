import Glibc
import PlainText
import Testing

@testable import Telemetry

@Suite("A line of the log")
struct LogTests {
    private static let time = timespec(tv_sec: 1_709_208_005, tv_nsec: 7_999_999)

    @Test("has the time, event and fields as JSON")
    func json() {
        let line = Log.json(
            .warning, "a.b", ["text": "x \"y\"", "number": 7, "took": .init(.milliseconds(1500))],
            at: Self.time)
        #expect(
            line
                == #"{"time":"2024-02-29T12:00:05.007Z","level":"warning","event":"a.b","text":"x \"y\"","number":7,"took":1500.0}"#
        )
    }

    @Test(
        "cannot steer a terminal",
        arguments: [
            "\u{1B}[2J", "a\u{9B}31m", "\u{85}", "\u{2028}", "\u{202E}abc", "\u{2066}", "\u{200F}",
            "\u{061C}",
        ])
    func hostile(value: String) {
        for line in [
            Log.json(.info, "e", ["k": .init(value)], at: Self.time),
            Log.text(.info, "e", ["k": .init(value)], at: Self.time),
        ] {
            let isHostile = line.unicodeScalars.contains { $0.canSteerTerminal }
            #expect(!isHostile, "\(line)")
            #expect(line.contains(#"\u"#))
        }
    }

    @Test("leaves a plain value without quotes on a terminal")
    func plain() {
        let line = Log.text(.error, "e", ["place": "Zürich", "note": "two words", "none": ""], at: Self.time)
        #expect(line.hasSuffix(#".007 ERROR e place=Zürich note="two words" none="""#))
    }

    @Test("is dropped and counted while nobody reads the log, and the work goes on", .timeLimit(.minutes(1)))
    func stalled() throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        let log = Log(descriptor: ends[1], format: .json)
        // The pipe takes some hundreds of lines, and the backlog some thousands.
        let count = 100_000
        for number in 0..<count { log.info("turn", ["number": .init(number)]) }
        log.flush(within: .milliseconds(10))
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        var text = ""
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while !text.contains("log.dropped") {
            let size = read(ends[0], &chunk, chunk.count)
            if size > 0 { text += String(decoding: chunk[..<size], as: UTF8.self) } else { usleep(1000) }
        }
        let written = text.split(separator: "\n").count { $0.contains("\"turn\"") }
        #expect(written > 1000)
        #expect(text.contains("\"lines\":\(count - written)}"))
        log.info("again")
        log.flush()
        #expect(read(ends[0], &chunk, chunk.count) > 0)
        close(ends[0])
        close(ends[1])
    }
}
