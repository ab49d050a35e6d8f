import FoundationEssentials
import Testing

@testable import DarkroomClient

@Suite("A position in the log")
struct WritePositionTests {
    @Test(
        "is read from its text and written as PostgreSQL does",
        arguments: ["0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF", "0/1000000"])
    func texts(text: String) throws {
        let position = try #require(WritePosition(text))
        #expect(position.text == text)
        let sent = try JSONEncoder().encode([position])
        #expect(try JSONDecoder().decode([WritePosition].self, from: sent) == [position])
    }

    @Test(
        "is not read from other texts",
        arguments: ["", "/", "1/", "0/100000000", "+1/0", "1/-1", "0/0/0", "x/0", " 1/0"])
    func others(text: String) {
        #expect(WritePosition(text) == nil)
    }

    @Test("is the end of the last record, also where that fills its page")
    func pages() {
        #expect(WritePosition(next: 3 * 8192 + 24, pageSize: 8192).text == "0/6000")
        #expect(WritePosition(next: 3 * 8192 + 32, pageSize: 8192).text == "0/6020")
        #expect(WritePosition(next: 3 * 8192 + 24, pageSize: 65536).text == "0/6018")
        #expect(
            WritePosition(next: 1 << 33 + 8, pageSize: 8192) > WritePosition(next: 1 << 33, pageSize: 8192))
    }
}
