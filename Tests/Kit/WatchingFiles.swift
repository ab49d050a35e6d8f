import ChildProcess
import FoundationEssentials

/// docker/grafana-dashboard.json.
package struct Dashboard: Decodable {
    package struct Panel: Decodable {
        package struct Target: Decodable { package var expr: String }
        package struct Position: Decodable { package var x: Int, y: Int, w: Int, h: Int }
        package var id: Int
        package var title: String
        package var description: String?
        package var targets: [Target]?
        package var gridPos: Position
    }
    package struct Variables: Decodable {
        package struct Variable: Decodable { package var name: String, query: String }
        package var list: [Variable]
    }
    package var panels: [Panel]
    package var templating: Variables

    package static func read() throws -> Dashboard {
        let file = try Data(contentsOf: URL(filePath: "\(Checkout.root)/docker/grafana-dashboard.json"))
        return try JSONDecoder().decode(Dashboard.self, from: file)
    }

    /// Every PromQL expression, with its variables filled in.
    package var expressions: [String] {
        panels.flatMap { $0.targets ?? [] }.map {
            $0.expr.replacing("$__rate_interval", with: "5m").replacing("$instance", with: ".*")
        }
    }
}

/// A rule of docker/alerts.yml.
package struct AlertRule: Sendable {
    package static let path = "\(Checkout.root)/docker/alerts.yml"

    package let name: String
    package let expression: String
    /// All its lines.
    package let text: String

    /// Reads the rules as they are written in that file: no other YAML. promtool tells whether any was missed.
    package static func readAll() throws -> [AlertRule] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n      - alert: ").dropFirst()
            .map { text in
                let lines = text.split(separator: "\n")
                let block = lines.drop { $0 != "        expr: |" }.dropFirst().prefix {
                    $0.hasPrefix("          ")
                }
                guard !block.isEmpty else { throw ChildProgramError("\(lines[0]) has no expression") }
                return AlertRule(
                    name: String(lines[0]), expression: block.joined(separator: "\n"), text: String(text))
            }
    }

    /// The text after `key: `, on the same line.
    package func value(of key: String) -> String? {
        text.split(separator: "\n").map { $0.drop { $0 == " " } }
            .first { $0.hasPrefix("\(key): ") }.map { String($0.dropFirst(key.utf8.count + 2)) }
    }
}

/// The selectors of series in a PromQL expression. A selector of several values of a label, `{a=~"x|y"}`, becomes one
/// selector per value.
package func selectors(in expression: String) -> Set<String> {
    var found: Set<String> = []
    for match in expression.matches(of: /\b(?:darkroom|process)_\w+(?:\{[^}]*\})?/) {
        var selectors = [String(match.0)]
        for list in match.0.matches(of: /=~"(\w+(?:\|\w+)+)"/) {
            selectors = selectors.flatMap { selector in
                list.1.split(separator: "|").map { selector.replacing(list.0, with: "=\"\($0)\"") }
            }
        }
        found.formUnion(selectors)
    }
    return found
}
