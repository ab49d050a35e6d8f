import FoundationEssentials
import TestKit
import Testing

@Suite("The page on watching")
struct WatchingPageTests {
    private let rows: [String]

    init() throws {
        rows = try String(contentsOfFile: "\(Checkout.root)/docs/watching.md", encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("| ") }.map(String.init)
    }

    @Test("lists every metric of a worker as the metric describes itself")
    func metrics() throws {
        var expected: [String] = []
        let lines = WorkerMetricsTests.populated().split(separator: "\n")
        for (help, type) in zip(lines, lines.dropFirst()) where help.hasPrefix("# HELP ") {
            let words = help.split(separator: " ", maxSplits: 3)
            let series = DashboardTests.series[String(words[2])] ?? DashboardTests.series["\(words[2])_sum"]
            let labels = try #require(series, "\(words[2])").sorted().map { "`\($0)`" }
            expected.append(
                "| `\(words[2])` | \(type.split(separator: " ")[3]) | \(labels.joined(separator: ", ")) | \(words[3]) |"
            )
        }
        let listed = rows.filter { $0.hasPrefix("| `darkroom_") || $0.hasPrefix("| `process_") }
        #expect(listed == expected, "The table should be:\n\(expected.joined(separator: "\n"))")
    }

    @Test("says of each alert what it means, what to look at and what to do, in the order of the rules")
    func runbook() throws {
        let entries = rows.filter { $0.hasPrefix("| <a id=") }
        let names = try AlertRule.readAll().map(\.name)
        #expect(entries.count == names.count)
        for (entry, name) in zip(entries, names) {
            #expect(entry.hasPrefix("| <a id=\"\(name.lowercased())\"></a>`\(name)` | "), "\(entry)")
            let cells = entry.split(separator: " | ")
            #expect(cells.count == 4 && cells[2].contains("`"), "\(name) has no command to look with")
        }
    }
}
