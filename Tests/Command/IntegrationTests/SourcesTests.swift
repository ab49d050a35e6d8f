import FoundationEssentials
import TestKit
import Testing

@Suite("The sources", .timeLimit(.minutes(15)))
struct SourcesTests {
    @Test("give each name to only one type, except within types")
    func namesOfTypes() throws {
        let declaration =
            /^(?:@\w+ )?(?:(?:package|public|private|fileprivate|final|indirect) )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/
            .anchorsMatchLineEndings()
        let folder = Checkout.root + "/Sources"
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
        var files: [String: [String]] = [:]
        for path in paths where path.hasSuffix(".swift") {
            for match in try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8).matches(
                of: declaration)
            {
                files[String(match.1), default: []].append(path)
            }
        }
        #expect(files.count > 300)
        #expect(files.filter { $1.count > 1 } == [:])
    }

    /// All test files with their texts.
    private static func tests() throws -> [(path: String, text: String)] {
        let folder = Checkout.root + "/Tests"
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
            .map { ($0, try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) }
    }

    @Test("of tests limit the time of every suite that can wait, so that a fault ends it")
    func timeLimits() throws {
        let suite = /^ *@Suite(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?/.anchorsMatchLineEndings()
        let waiting = try Self.tests().filter { $0.text.contains("@Test") && $0.text.contains("await ") }
        #expect(waiting.count > 100)
        let unlimited = waiting.filter { file in
            let suites = file.text.matches(of: suite)
            return suites.isEmpty || suites.contains { !$0.output.contains(".timeLimit(") }
        }
        #expect(unlimited.map(\.path) == [], "add .timeLimit(.minutes(15))")
    }

    /// A time limit cancels the task of the test. `Task.sleep` throws then; `Task.yield` and `try?` go on for ever.
    @Test("of tests wait in loops that end when they are cancelled")
    func loops() throws {
        let endless = /while [^\n]*\{\s*await Task\.yield|\n\s*await Task\.yield\(\)|try\? await Task\.sleep/
        let files = try Self.tests()
        #expect(files.count > 150)
        #expect(files.filter { $0.text.contains(endless) }.map(\.path) == [], "use try await Task.sleep")
    }
}
