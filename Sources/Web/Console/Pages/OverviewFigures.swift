import CivilCalendar
import FoundationEssentials
import JobQueue
import JobStore
import Pages
import Postgres

/// The live part of the overview.
struct OverviewFigures: Sendable {
    let counters: QueueCounters
    let markup: HTML

    static func read(_ site: ConsoleSite, since earlier: QueueCounters?) async throws -> OverviewFigures {
        let store = site.jobs
        let counters = try await store.counters(since: earlier)
        let stats = try await store.stats()
        let trends = try await store.trends()
        let rates = earlier.flatMap { QueueRates(from: $0, to: counters) }
        return OverviewFigures(
            counters: counters,
            markup: """
                <p class="quiet">As of \(.time(counters.at)).</p>
                \(numbers(stats, counters, rates))
                \(charts(trends))
                <h2>Depth</h2>
                \(depths(stats))
                <h2>How jobs ended in the last hour</h2>
                \(ends(stats))
                <h2>Workers</h2>
                \(WorkerRows.table(stats.workers))
                <h2>Standby servers</h2>
                \(try await replicas(store))
                """)
    }

    private static func numbers(_ stats: QueueStats, _ counters: QueueCounters, _ rates: QueueRates?) -> HTML
    {
        func rate(_ value: Double?) -> HTML { value.map { "\(($0 * 10).rounded() / 10)/s" as HTML } ?? "–" }
        let waiting = stats.depths.filter { $0.state == .waiting }
        let oldest = waiting.compactMap(\.overdue).max()
        let room = stats.workers.filter(\.isTaking).reduce(0) { $0 + $1.concurrency }
        let count = waiting.reduce(0) { $0 + $1.count }
        return .facts([
            ("waiting", "\(count)"), ("oldest ready", oldest.map { "\($0.short)" } ?? "–"),
            ("running", "\(counters.running) of \(room)"), ("enqueued", rate(rates?.enqueued)),
            ("claimed", rate(rates?.claimed)), ("finished", rate(rates?.finished)),
            ("workers", "\(stats.workers.count { $0.silence <= JobStore.leaseDuration })"),
        ])
    }

    private static func charts(_ trends: QueueTrends) -> HTML {
        """
        <div class="charts" role="group" aria-label="The last hour, minute by minute">
        \(Chart.bars("succeeded", trends.succeeded, kind: "succeeded"))
        \(Chart.bars("rejected", trends.rejected, kind: "rejected"))
        \(Chart.bars("failed", trends.failed, kind: "failed"))
        \(Chart.bars("other attempts", trends.returned, kind: "returned"))
        </div>\(trends.isWhole ? .empty : "<p class=\"quiet\">The charts count the latest \(QueueTrends.limit) rows.</p>")
        """
    }

    private static func depths(_ stats: QueueStats) -> HTML {
        .table(
            "Depth by queue, kind and state", ["Queue", "Kind", "State", "Jobs", "Oldest", "Ready for"],
            stats.depths.map { depth in
                let query =
                    "queue=\(Form.encoded(depth.queue))&kind=\(depth.kind.rawValue)&state=\(depth.state.rawValue)"
                return [
                    "\(depth.queue)", "\(depth.kind.rawValue)", .badge(depth.state.rawValue),
                    .link("\(depth.count)\(depth.count >= JobStore.depthLimit ? "+" : "")", "/jobs?\(query)"),
                    "\(depth.oldest.short)", depth.overdue.map { "\($0.short)" } ?? "–",
                ]
            }, empty: "No job waits or runs.")
    }

    private static func ends(_ stats: QueueStats) -> HTML {
        .table(
            "Finished jobs by kind, state and reason", ["Kind", "State", "Reason", "Jobs"],
            stats.finished.sorted { $0.count > $1.count }.map { end in
                let reason = end.reason.map { "&reason=\(Form.encoded($0))" } ?? ""
                let query = "kind=\(end.kind.rawValue)&state=\(end.state.rawValue)\(reason)&since=1h"
                return [
                    "\(end.kind.rawValue)", .badge(end.state.rawValue), "\(end.reason ?? "–")",
                    .link("\(end.count)", "/jobs?\(query)"),
                ]
            }, empty: "No job has finished in the last hour.")
    }

    /// Without the rights of pg_monitor only the names are seen.
    private static func replicas(_ store: JobStore) async throws -> HTML {
        let rows = try await store.pool.query(
            """
            select coalesce(application_name, '') as name, coalesce(state, 'unknown') as state,
                   extract(epoch from replay_lag)::float8 as lag from pg_stat_replication order by 1
            """)
        return .table(
            "Standby servers", ["Name", "State", "Behind"],
            try rows.map { row in
                let lag = try row.decode("lag", as: Double?.self)
                return [
                    "\(try row.decode("name", as: String.self))",
                    "\(try row.decode("state", as: String.self))",
                    lag.map { "\(Duration.seconds($0).fine)" } ?? "–",
                ]
            }, empty: "No standby server is connected.")
    }
}
