import ChildProcess
import FoundationEssentials
import TestKit
import Testing

@Suite("The systemd unit", .timeLimit(.minutes(15)))
struct UnitFileTests {
    let text: String

    init() throws {
        text = try String(
            contentsOf: URL(filePath: "\(Checkout.root)/docker/darkroom-worker@.service"), encoding: .utf8)
    }

    @Test("is accepted by systemd", .enabled(if: ChildProgram.find("systemd-analyze") != nil))
    func verify() async throws {
        let analyze = try #require(ChildProgram.find("systemd-analyze"))
        // The check does not need anything installed.
        let unit = text.replacing("ExecStart=/usr/local/bin/darkroom ", with: "ExecStart=/bin/true ")
        try #require(unit != text)
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/darkroom-worker@1.service"
            try Data(unit.utf8).write(to: URL(filePath: file))
            let output = try await ChildProgram(analyze, ["verify", file]).run()
            #expect(output.ending == .exited(0))
            // systemd only warns about an unknown assignment; it may say anything about other units.
            #expect(!output.standardError.contains("darkroom-worker"), "\(output.standardError)")
        }
    }

    @Test("lets the worker finish, and its renderers with it")
    func stopping() throws {
        let settings = Dictionary(
            text.split(separator: "\n").filter { !$0.hasPrefix("#") && $0.contains("=") }
                .map { line in
                    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    return (String(parts[0]), String(parts[1]))
                }
        ) { $1 }
        #expect(settings["Type"] == "notify")
        #expect(settings["KillMode"] == "mixed")
        let timeout = try #require(settings["TimeoutStopSec"].flatMap { Int($0.dropLast()) })
        // The default of --shutdown-budget, and a margin.
        #expect(timeout >= 25 + 5)
    }
}
