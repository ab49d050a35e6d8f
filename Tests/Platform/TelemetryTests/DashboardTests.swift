import ChildProcess
import JobQueue
import TestKit
import Testing

@Suite("The dashboard and the alert rules", .timeLimit(.minutes(15)))
struct DashboardTests {
    let dashboard: Dashboard
    /// The expressions of the panels and of the alert rules.
    let expressions: [String]

    init() throws {
        dashboard = try Dashboard.read()
        expressions = try dashboard.expressions + AlertRule.readAll().map(\.expression)
    }

    /// The names of the series that a worker exposes, with their label names.
    static let series: [String: Set<String>] = {
        var series: [String: Set<String>] = [:]
        for line in WorkerMetricsTests.populated().split(separator: "\n") where !line.hasPrefix("#") {
            let name = line.prefix { $0 != "{" && $0 != " " }
            series[String(name)] = Set(line.matches(of: /(\w+)="/).map { String($0.1) })
        }
        return series
    }()

    @Test("use only metrics and labels that a worker has")
    func names() throws {
        #expect(expressions.count > 50)
        for expression in expressions + dashboard.templating.list.map(\.query) {
            let used = expression.matches(of: /\b(?:darkroom|process)_\w+/).map { String($0.0) }
            #expect(!used.isEmpty || expression == "prometheus", "\(expression)")
            var labels: Set = ["instance"]
            for name in used {
                labels.formUnion(try #require(Self.series[name], "\(name) in \(expression)"))
            }
            for list in expression.matches(of: /(?:by|on) \(([^)]*)\)/) {
                for label in list.1.split(separator: ", ") {
                    #expect(labels.contains(String(label)), "\(label) in \(expression)")
                }
            }
            for matcher in expression.matches(of: /(\w+)(?:=~|!~|!=|=)"/) {
                #expect(labels.contains(String(matcher.1)), "\(matcher.1) in \(expression)")
            }
        }
    }

    @Test("look for states and outcomes that exist")
    func values() {
        let known = ["state": Set(JobState.allCases.map(\.rawValue)), "outcome": Set(Outcome.names)]
        for expression in expressions {
            for matcher in expression.matches(of: /\b(state|outcome)[=!~]+"([^"]*)"/) {
                for value in matcher.2.split(separator: "|") {
                    #expect(known[String(matcher.1)]?.contains(String(value)) == true, "\(value)")
                }
            }
        }
    }

    @Test("show every metric of a worker on the dashboard")
    func completeness() {
        let all = dashboard.expressions.joined(separator: "\n")
        for name in Self.series.keys {
            let family = name.replacing(/_(bucket|sum|count)$/, with: "")
            #expect(all.contains(family), "\(family) is not shown")
        }
    }

    @Test("have expressions that Prometheus can parse")
    func syntax() async throws {
        let rules = dashboard.expressions.enumerated()
            .map { "  - record: panel:\($0.offset)\n    expr: '\($0.element.replacing("'", with: "''"))'\n" }
        let check = try await promtool(
            ["check", "rules"], input: "groups:\n- name: dashboard\n  rules:\n" + rules.joined())
        #expect(check.ending == .exited(0), "\(check.standardOutput)\(check.standardError)")
        #expect(check.standardOutput.contains("\(dashboard.expressions.count) rules found"))
    }

    @Test("explain each panel, and no two panels overlap")
    func layout() {
        var taken: Set<Int> = []
        for panel in dashboard.panels {
            #expect(panel.targets == nil || panel.description?.isEmpty == false, "\(panel.title)")
            let position = panel.gridPos
            #expect(position.x + position.w <= 24)
            for row in position.y..<position.y + position.h {
                for column in position.x..<position.x + position.w {
                    #expect(taken.insert(row * 24 + column).inserted, "\(panel.title) covers another panel")
                }
            }
        }
        #expect(Set(dashboard.panels.map(\.id)).count == dashboard.panels.count)
    }
}
