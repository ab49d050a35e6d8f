import ChildProcess
import FoundationEssentials
import Glibc
import TestKit
import Testing

/// What docker/ and docs/watching.md say to those who watch an installation.
@Suite("Monitoring", .timeLimit(.minutes(15)))
struct MonitoringTests {
    @Test("finds every series that the dashboard and the alert rules select, before anything happened")
    func selectors() async throws {
        let expressions = try Dashboard.read().expressions + AlertRule.readAll().map(\.expression)
        let all = expressions.reduce(into: Set<String>()) { $0.formUnion(TestKit.selectors(in: $1)) }
        try #require(all.count > 50)
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            // The queue shows what is in it: a job that waits.
            _ = try await darkroom.json("queue", "pause", "--kind", "ingest")
            try await darkroom.database.enqueue()
            try await WatchedWorker.with(darkroom) { worker in
                let metrics = try await worker.wait(for: "/metrics") { answer in
                    let samples = WatchedWorker.samples(answer.body)
                    return samples["darkroom_workers"] == 1 && samples["darkroom_listener_connected"] == 1
                        && answer.body.contains("\ndarkroom_queue_jobs{")
                }
                let series = metrics.body.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
                    let name = line.prefix { $0 != "{" && $0 != " " }
                    let labels = line.dropFirst(name.count).prefix { $0 != "}" && $0 != " " }
                    // Prometheus names the worker itself.
                    let given = labels.isEmpty ? "{" : labels + ","
                    return "  - series: '\(name)\(given)instance=\"a\"}'\n    values: '1'\n"
                }
                let checks = all.sorted().map {
                    "  - expr: 'count(\($0)) > bool 0'\n    exp_samples: [{labels: '{}', value: 1}]\n"
                }
                let check = try await promtool(
                    ["test", "rules"],
                    input: "tests:\n- input_series:\n" + series.joined() + "  promql_expr_test:\n"
                        + checks.joined())
                #expect(check.ending == .exited(0), "\(check.standardOutput)\(check.standardError)")
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
            }
        }
    }

    @Test("has a runbook whose commands exist")
    func runbook() async throws {
        let page = try String(contentsOfFile: "\(Checkout.root)/docs/watching.md", encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| <a id=") }
        let commands = Set(rows.flatMap { $0.matches(of: /`darkroom (\w[^`]*)`/).map { String($0.1) } })
        try #require(commands.count > 10)
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            for command in commands where !command.hasPrefix("work ") {
                let output = try await darkroom.command(command.split(separator: " ").map(String.init)).run()
                // 1 is a finding, such as a job that this installation does not have.
                #expect(
                    [.exited(0), .exited(1)].contains(output.ending), "\(command): \(output.standardError)")
            }
        }
    }
}
