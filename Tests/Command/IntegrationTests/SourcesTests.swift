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
        var files: [String: [String]] = [:]
        for file in try Self.files("Sources") {
            for match in file.text.matches(of: declaration) {
                files[String(match.1), default: []].append(file.path)
            }
        }
        #expect(files.count > 300)
        #expect(files.filter { $1.count > 1 } == [:])
    }

    /// The optimizer of Swift 6.3.1 mixes up the parts of a tuple with a `Result` of a typed error: the program traps or goes on
    /// with other values. These tests are not optimized, so they cannot see it.
    @Test("have no tuples as results of the tasks of a group")
    func tuples() throws {
        let tuple = /TaskGroup\(\s*of:\s*\(/
        let files = try Self.files("Sources").filter { $0.text.contains(tuple) }
        #expect(files.map(\.path) == [], "return a struct")
    }

    /// All Swift files below a folder of the checkout, with their texts.
    private static func files(_ name: String) throws -> [(path: String, text: String)] {
        let folder = "\(Checkout.root)/\(name)"
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
            .map { ($0, try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) }
    }

    @Test("of tests limit the time of every suite that can wait, so that a fault ends it")
    func timeLimits() throws {
        let suite = /^ *@Suite(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?/.anchorsMatchLineEndings()
        let waiting = try Self.files("Tests").filter {
            $0.text.contains("@Test") && $0.text.contains("await ")
        }
        #expect(waiting.count > 100)
        let unlimited = waiting.filter { file in
            let suites = file.text.matches(of: suite)
            // An extension has the limit of its suite.
            let isExtension = file.text.contains(/^extension \w+Tests \{/.anchorsMatchLineEndings())
            return suites.isEmpty && !isExtension || suites.contains { !$0.output.contains(".timeLimit(") }
        }
        #expect(unlimited.map(\.path) == [], "add .timeLimit(.minutes(15))")
    }

    /// A time limit cancels the task of the test. `Task.sleep` throws then; `Task.yield` and `try?` go on for ever.
    @Test("of tests wait in loops that end when they are cancelled")
    func loops() throws {
        let endless = /while [^\n]*\{\s*await Task\.yield|\n\s*await Task\.yield\(\)|try\? await Task\.sleep/
        let files = try Self.files("Tests")
        #expect(files.count > 150)
        #expect(files.filter { $0.text.contains(endless) }.map(\.path) == [], "use try await Task.sleep")
    }
}
