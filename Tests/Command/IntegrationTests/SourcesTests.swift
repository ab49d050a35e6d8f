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
        for file in try Self.files("Sources") + Self.files("Tools") {
            for match in file.text.matches(of: declaration) {
                files[String(match.1), default: []].append(file.path)
            }
        }
        #expect(files.count > 300)
        #expect(files.filter { $1.count > 1 } == [:])
    }

    /// The optimizer of Swift 6.3.1 loses the part of a tuple that an asynchronous function writes before it suspends, so that
    /// the program traps or goes on with other values (https://github.com/swiftlang/swift/issues/91911).
    @Test("compute the parts of a tuple before they make it, and return no tuples from the tasks of a group")
    func tuples() throws {
        let group = /TaskGroup\(\s*of:\s*\(/
        var found: [String] = []
        for folder in ["Sources", "Tools", "examples"] {
            for file in try Self.files(folder) {
                if file.text.contains(group) { found.append("\(file.path): return a struct") }
                found += TupleScanner.waiting(file.text).map { "\(file.path): \($0)" }
            }
        }
        #expect(found == [])
    }

    @Test(
        "would be found out if they made a tuple while they wait",
        arguments: [
            ("return (1, try await f(2))", true), ("let x = (await f(), 2)", true),
            ("group.addTask { (n, try await f(n)) }", true), ("return (a: 1,\n    b: await f())", true),
            ("f((1, await g()))", true), ("return try await f(1, g())", false), ("f(1, await g())", false),
            ("return (1, { await f() })", false), ("(try await f())", false),
            ("if let x = await f(), y {", false),
            (#"return (1, "(a, await b)")"#, false), ("// (1, await f())", false),
        ])
    func scanner(text: String, isFound: Bool) {
        #expect(TupleScanner.waiting(text).isEmpty != isFound)
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
