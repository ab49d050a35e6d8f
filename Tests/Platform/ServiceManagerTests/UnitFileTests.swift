import ChildProcess
import FoundationEssentials
import TestKit
import Testing

@Suite("The systemd units", .timeLimit(.minutes(15)))
struct UnitFileTests {
    struct Unit: Sendable {
        let file: String
        /// As systemd would have it installed.
        let instance: String
        /// The default of --shutdown-budget, and a margin; in seconds.
        let stopping: Int
    }

    private static let units = [
        Unit(file: "darkroom-worker@.service", instance: "darkroom-worker@1.service", stopping: 25 + 5),
        Unit(file: "darkroom-serve.service", instance: "darkroom-serve.service", stopping: 10 + 5),
    ]

    private static func text(_ unit: Unit) throws -> String {
        try String(contentsOf: URL(filePath: "\(Checkout.root)/docker/\(unit.file)"), encoding: .utf8)
    }

    private static func settings(_ unit: Unit) throws -> [String: String] {
        Dictionary(
            try text(unit).split(separator: "\n").filter { !$0.hasPrefix("#") && $0.contains("=") }
                .map { line in
                    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    return (String(parts[0]), String(parts[1]))
                }
        ) { $1 }
    }

    @Test(
        "are accepted by systemd", .enabled(if: ChildProgram.find("systemd-analyze") != nil), arguments: units
    )
    func verify(unit: Unit) async throws {
        let analyze = try #require(ChildProgram.find("systemd-analyze"))
        // The check does not need anything installed.
        let text = try Self.text(unit)
        let changed = text.replacing("ExecStart=/usr/local/bin/darkroom ", with: "ExecStart=/bin/true ")
        try #require(changed != text)
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/\(unit.instance)"
            try Data(changed.utf8).write(to: URL(filePath: file))
            let output = try await ChildProgram(analyze, ["verify", file]).run()
            #expect(output.ending == .exited(0))
            // systemd only warns about an unknown assignment; it may say anything about other units.
            #expect(!output.standardError.contains("darkroom-"), "\(output.standardError)")
        }
    }

    @Test("let jobs and requests finish", arguments: units)
    func stopping(unit: Unit) throws {
        let settings = try Self.settings(unit)
        #expect(settings["Type"] == "notify")
        let timeout = try #require(settings["TimeoutStopSec"].flatMap { Int($0.dropLast()) })
        #expect(timeout >= unit.stopping)
    }

    @Test("let a worker end its renderers by itself")
    func renderers() throws {
        #expect(try Self.settings(Self.units[0])["KillMode"] == "mixed")
    }
}
