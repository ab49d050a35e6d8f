import ChildProcess
import FoundationEssentials
import Postgres
import TestKit
import Testing

/// Names and keys of files that would steer a terminal or look like other lines.
@Suite("What the command line prints", .timeLimit(.minutes(15)))
struct TerminalEscapeTests {
    private static let odd = "a\u{1B}[2J\u{9B}31m\u{202E}b\nmissing  originals"

    private static func check(_ output: ChildProgram.Output, _ what: String, lines: Int? = nil) {
        for text in [output.standardOutput, output.standardError] {
            for escape in ["\u{1B}", "\u{9B}", "\u{202E}"] as [Unicode.Scalar] {
                #expect(!text.unicodeScalars.contains(escape), "\(what): \(text)")
            }
        }
        if let lines { #expect(output.standardOutput.split(separator: "\n").count == lines, "\(what)") }
    }

    @Test("about files in the store has no terminal escapes, and one line for a file")
    func sweep() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            _ = try await darkroom.json("enqueue", try darkroom.write(PhotoFixture.jpeg(), to: "p.jpg"))
            try await darkroom.database.pool.query(
                "update darkroom.uploads set original_key = E'originals/\\u001b[2J\\u009b31m\\nmissing  x'")
            let swept = try await darkroom.darkroom("sweep", "--older-than", "0s")
            Self.check(swept, "sweep", lines: 1)
            #expect(swept.standardOutput.contains("␛[2J"), "\(swept)")
        }
    }

    @Test("about photos has no terminal escapes, whatever their files are called")
    func inspect() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            try Data(PhotoFixture.text).write(to: URL(filePath: "\(root)/\(Self.odd.prefix(8)).jpg"))
            for (name, ending) in [("\(Self.odd.prefix(8)).jpg", 1), ("\(Self.odd)", 1)] as [(String, Int32)]
            {
                let output = try await ChildProgram(
                    Checkout.programs + "/darkroom", ["inspect", name], workingDirectory: root
                ).run()
                #expect(output.ending == .exited(ending))
                Self.check(output, "inspect")
                #expect((output.standardOutput + output.standardError).contains("␛[2J"))
            }
        }
    }
}
