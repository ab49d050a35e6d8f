import Arguments
import CivilCalendar
import JobQueue
import JobStore

/// The queue's figures as tables and as JSON, for `queue stats` and `queue top`.
struct QueueReport {
    let stats: QueueStats

    private static let columns: [JobState] = [.waiting, .scheduled, .parked, .running]

    /// Titled sections, as lines.
    ///
    /// - Parameter width: columns of the terminal; nil to truncate nothing.
    func lines(width: Int?) -> [String] {
        let span = "within the last \(stats.window.seconds > 3600 ? stats.window.short : named(stats.window))"
        return section("Unfinished", depth, width)
            + section("Latencies of attempts that ended \(span)", latencies, width)
            + section("Finished \(span)", ends, width)
            + section("Workers", WorkersTable.table(stats.workers), width)
            + WorkersTable.notes(stats.workers)
            + pauses
    }

    private func named(_ window: Duration) -> String {
        switch window {
        case .seconds(60): "minute"
        case .seconds(3600): "hour"
        default: window.short
        }
    }

    private func section(_ title: String, _ table: TextTable, _ width: Int?) -> [String] {
        let text = table.render(width: width)
        guard !text.isEmpty else { return ["\(title): none"] }
        return ["\(title):"] + text.split(separator: "\n").map(String.init) + [""]
    }

    /// One row per queue and kind, one column per state.
    private var depth: TextTable {
        var table = TextTable(
            columns: [.init("QUEUE"), .init("KIND")]
                + Self.columns.map { .init($0.rawValue.uppercased(), .right) } + [
                    .init("OLDEST WAITS", .right)
                ])
        var lanes: [(queue: String, kind: JobKind)] = []
        for row in stats.depths where !lanes.contains(where: { $0 == (row.queue, row.kind) }) {
            lanes.append((row.queue, row.kind))
        }
        for (queue, kind) in lanes {
            let rows = stats.depths.filter { $0.queue == queue && $0.kind == kind }
            let counts = Self.columns.map { state in
                rows.first { $0.state == state }.map { Self.count($0.count) } ?? "0"
            }
            let oldest = rows.first { $0.state == .waiting }?.oldest.short ?? "-"
            table.add([queue, kind.rawValue] + counts + [oldest])
        }
        return table
    }

    private var latencies: TextTable {
        var table = TextTable(columns: [
            .init("KIND"), .init("JOBS", .right), .init("WAIT p50", .right), .init("p95", .right),
            .init("p99", .right), .init("RUN p50", .right), .init("p95", .right), .init("p99", .right),
        ])
        for row in stats.latencies {
            table.add([row.kind.rawValue, Self.count(row.count)] + (row.wait + row.run).map(\.fine))
        }
        return table
    }

    private var ends: TextTable {
        var table = TextTable(columns: [
            .init("KIND"), .init("STATE"), .init("REASON"), .init("JOBS", .right),
        ])
        for row in stats.finished {
            table.add([row.kind.rawValue, row.state.rawValue, row.reason ?? "-", String(row.count)])
        }
        return table
    }

    private var pauses: [String] {
        stats.pauses.isEmpty ? [] : stats.pauses.map { "In force: \(Terminal.printable($0.text))" }
    }

    static func count(_ jobs: Int) -> String { jobs < JobStore.depthLimit ? String(jobs) : "\(jobs)+" }
}

extension QueueReport {
    /// - Parameter suffix: the end of the names of the fields that cover the window.
    func fields(suffix: String) -> [(String, JSON)] {
        [
            (
                "unfinished",
                .array(
                    stats.depths.map {
                        .object([
                            ("queue", .string($0.queue)),
                            ("kind", .string($0.kind.rawValue)), ("state", .string($0.state.rawValue)),
                            ("jobs", .integer(Int64($0.count))), ("oldest_s", .number($0.oldest.seconds)),
                        ])
                    })
            ),
            (
                "finished_\(suffix)",
                .array(
                    stats.finished.map {
                        .object([
                            ("kind", .string($0.kind.rawValue)), ("state", .string($0.state.rawValue)),
                            ("reason", JSON.optional($0.reason) { .string($0) }),
                            ("jobs", .integer(Int64($0.count))),
                        ])
                    })
            ),
            (
                "latencies_\(suffix)",
                .array(
                    stats.latencies.map {
                        .object([
                            ("kind", .string($0.kind.rawValue)), ("jobs", .integer(Int64($0.count))),
                            ("wait_s", percentiles($0.wait)), ("run_s", percentiles($0.run)),
                        ])
                    })
            ),
            ("workers", .array(stats.workers.map(\.json))), ("pauses", .array(stats.pauses.map(\.json))),
        ]
    }

    private func percentiles(_ values: [Duration]) -> JSON {
        .object(zip(["p50", "p95", "p99"], values).map { ($0, .number($1.seconds)) })
    }
}
