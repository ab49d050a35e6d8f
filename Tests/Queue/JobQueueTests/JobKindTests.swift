import JobQueue
import Testing

@Suite("The name of a kind of job")
struct JobKindTests {
    @Test(
        "has lower-case letters, digits and underscores",
        arguments: ["a", "prune_history", "v2_", String(repeating: "a", count: 40)])
    func accepted(_ name: String) {
        #expect(JobKind(rawValue: name)?.rawValue == name)
    }

    @Test(
        "is refused if it has anything else",
        arguments: [
            "", "_a", "2a", "Ingest", "in gest", "in-gest", "é", "a\u{0}", "a'",
            String(repeating: "a", count: 41),
        ])
    func refused(_ name: String) {
        #expect(JobKind(rawValue: name) == nil)
    }
}
