import ChildProcess
import FoundationEssentials
import TestKit
import Testing

@Suite("The alert rules", .timeLimit(.minutes(15)))
struct AlertTests {
    let rules: [AlertRule]

    init() throws { rules = try AlertRule.readAll() }

    @Test("are all read by Prometheus and by these tests")
    func syntax() async throws {
        let text = try String(contentsOfFile: AlertRule.path, encoding: .utf8)
        let check = try await promtool(["check", "rules"], input: text)
        #expect(check.ending == .exited(0), "\(check.standardOutput)\(check.standardError)")
        #expect(check.standardOutput.contains("\(rules.count) rules found"), "\(check.standardOutput)")
        #expect(Set(rules.map(\.name)).count == rules.count)
    }

    @Test("say how bad it is, what happened and where to read on")
    func annotations() throws {
        for rule in rules {
            #expect(["warning", "critical"].contains(rule.value(of: "severity")), "\(rule.name)")
            for key in ["for", "summary", "description"] {
                #expect(rule.value(of: key) != nil, "\(rule.name): \(key)")
            }
            #expect(rule.value(of: "runbook") == "docs/watching.md#\(rule.name.lowercased())")
            // A label that an alert lacks would be shown as an empty text.
            let labels = try #require(AlertCase.all.first { $0.alert == rule.name && !$0.fires.isEmpty })
                .fires[0]
            for label in rule.text.matches(of: /\$labels\.(\w+)/) {
                #expect(labels.keys.contains(String(label.1)), "\(rule.name): \(label.1)")
            }
        }
    }

    @Test("each have a case in which they fire, and one in which they do not")
    func completeness() {
        for rule in rules {
            let cases = AlertCase.all.filter { $0.alert == rule.name }
            #expect(
                cases.contains { !$0.fires.isEmpty } && cases.contains { $0.fires.isEmpty }, "\(rule.name)")
        }
        #expect(Set(AlertCase.all.map(\.alert)) == Set(rules.map(\.name)))
    }

    @Test("fire when they should, and no other rule does")
    func cases() async throws {
        let severities = Dictionary(uniqueKeysWithValues: rules.map { ($0.name, $0.value(of: "severity")) })
        let tests = AlertCase.all.map { example in
            let series = example.series.map { "  - series: '\($0)'\n    values: '\($1)'\n" }.joined()
            let alerts = example.fires.map { labels in
                let all = labels.merging(
                    [
                        "alertname": example.alert, "alertstate": "firing",
                        "severity": severities[example.alert]! ?? "",
                    ]) { $1 }
                let list = all.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
                return "{labels: 'ALERTS{\(list)}', value: 1}"
            }
            return """
                - interval: 1m
                  name: '\(example.alert): \(example.what.replacing("'", with: "''"))'
                  input_series:
                \(series)  promql_expr_test:
                  - expr: 'ALERTS{alertstate="firing"}'
                    eval_time: \(example.minute)m
                    exp_samples: [\(alerts.joined(separator: ", "))]

                """
        }
        let check = try await promtool(
            ["test", "rules"],
            input: "rule_files: ['\(AlertRule.path)']\nevaluation_interval: 1m\ntests:\n" + tests.joined())
        #expect(check.ending == .exited(0), "\(check.standardOutput)\(check.standardError)")
    }
}
