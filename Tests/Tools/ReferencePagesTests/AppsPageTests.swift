import FoundationEssentials
import Postgres
import TestKit
import Testing

/// What docs/apps.md promises: calls that there are, and tests that there are.
@Suite("The page on apps", .timeLimit(.minutes(15)))
struct AppsPageTests {
    /// What a cell links to, and the text of the link.
    private typealias Link = (text: String, target: Substring)

    private struct Row {
        let app: Substring
        let behaviour: Substring
        let calls: [Link]
        let tests: [Link]
    }

    private static func text(_ path: String) throws -> String {
        let data = FileManager.default.contents(atPath: "\(Checkout.root)/\(path)")
        return String(decoding: try #require(data, "there is no \(path)"), as: UTF8.self)
    }

    private static func links(_ cell: Substring) -> [Link] {
        cell.matches(of: #/\[`([^`]+)`\]\(([^)]+)\)/#).map { (String($0.1), $0.2) }
    }

    private static func rows() throws -> [Row] {
        var app: Substring = ""
        var rows: [Row] = []
        for line in try text("docs/apps.md").split(separator: "\n") {
            if line.hasPrefix("## ") { app = line.dropFirst(3) }
            let cells = line.split(separator: " | ")
            guard line.hasPrefix("| "), cells.count == 3, cells[0] != "| behaviour" else { continue }
            rows.append(
                Row(
                    app: app, behaviour: cells[0].dropFirst(2), calls: links(cells[1]), tests: links(cells[2])
                ))
        }
        return rows
    }

    /// The call as a statement: arguments that the app fills in are null.
    private static func statement(_ call: String) -> String {
        var depth = 0
        var isQuoted = false
        var arguments: [String] = [""]
        for character in call.drop(while: { $0 != "(" }).dropFirst().dropLast() {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == "'" { isQuoted.toggle() }
            if character == ",", depth == 0, !isQuoted {
                arguments.append("")
            } else {
                arguments[arguments.count - 1].append(character)
            }
        }
        let given = arguments.filter { !$0.isEmpty }.map { $0.contains("=>") ? $0 : "\($0) => null" }
        return "select * from darkroom.\(call.prefix { $0 != "(" })(\(given.joined(separator: ",")))"
    }

    @Test("has rows of five apps, each with a call and a test")
    func complete() throws {
        let rows = try Self.rows()
        for app in ["All five", "MapNav", "OnTheMap", "The Billboard", "GeoPic", "Breakit"] {
            #expect(rows.count { $0.app == app } >= 8, "\(app)")
        }
        let incomplete = rows.filter { $0.calls.isEmpty || $0.tests.isEmpty }.map(\.behaviour)
        #expect(incomplete == [])
    }

    @Test("names functions and arguments that there are, and every function for apps and moderators")
    func calls() async throws {
        let calls = try Self.rows().flatMap(\.calls)
        let functions = calls.filter { $0.text.hasSuffix(")") }
        let reference = try Self.text("docs/sql-api.md")
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.withConnection { (connection: PostgresConnection) async throws -> Void in
                for (number, call) in functions.enumerated() {
                    let name = call.text.prefix { $0 != "(" }
                    #expect(
                        call.target == "sql-api.md#\(name)" && reference.contains("\n### \(name)\n"),
                        "\(call)")
                    // PostgreSQL looks up the function with these arguments, and misses those that are required.
                    let state = try await connection.failure(
                        "prepare call_\(number) as \(Self.statement(call.text))")
                    #expect(state == nil, "\(call.text)")
                }
            }
            let names = try await database.pool.query("select name from darkroom.public_functions()").map {
                try $0.decode("name", as: String.self)
            }
            #expect(
                Set(names).symmetricDifference(functions.map { String($0.text.prefix { $0 != "(" }) }) == [])
        }
        // Commands and tables of settings are explained by the page that they link to.
        let unexplained = try calls.filter { (text, target) in
            try !text.hasSuffix(")") && !Self.text("docs/\(target.prefix { $0 != "#" })").contains(text)
        }
        #expect(unexplained.map(\.text) == [])
    }

    @Test("names tests that there are")
    func tests() throws {
        let missing = try Self.rows().flatMap(\.tests).filter { (name, target) in
            let parts = name.split(separator: ".")
            try #require(parts.count == 2 && target.hasPrefix("../"), "\(name)")
            let source = try Self.text(String(target.dropFirst(3)))
            if target.hasSuffix(".py") {
                return !target.hasSuffix("/\(parts[0]).py") || !source.contains("\ndef \(parts[1])(")
            }
            guard source.contains("\nstruct \(parts[0]) {"),
                let declaration = source.firstRange(of: "\n    func \(parts[1])(")
            else { return true }
            let before = source[..<declaration.lowerBound].split(separator: "\n    }\n").last
            return before?.contains("    @Test(") != true
        }
        #expect(missing.map(\.text) == [])
    }
}
