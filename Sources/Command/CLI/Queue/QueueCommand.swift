import Arguments
import CivilCalendar
import CommandSupport
import Glibc
import JobQueue
import JobStore

enum QueueCommand {
    static let command = Command(
        "queue", "Show the state of the queues; pause, resume and drain them.",
        subcommands: [
            stats, QueueTop.command, list, QueuePauses.pause, QueuePauses.resume, QueuePauses.drain,
        ])

    private static let stats = Command(
        "stats", "Show queue depth, latencies, finished jobs, workers and pauses.",
        discussion: """
            WAIT is the time from enqueueing to the start of an attempt. RUN is the time from its start to its end. \
            p50, p95 and p99 are percentiles. Counting stops at \(JobStore.depthLimit) jobs, shown as \(JobStore.depthLimit)+.
            """,
        options: [
            .value("window", "TIME", "how far back to look for finished jobs and latencies", default: "1h"),
            Settings.json,
            Settings.database,
        ],
        examples: [
            Example("darkroom queue stats", "shows all queues at a glance"),
            Example("darkroom queue stats --window 5m --json", "prints the last five minutes for a script"),
        ]
    ) { arguments in
        let window = try arguments.duration("window") ?? .seconds(3600)
        let stats = try await Settings.withPool(arguments) {
            try await JobStore(pool: $0).stats(window: window)
        }
        let report = QueueReport(stats: stats)
        if arguments.flag("json") {
            let suffix = window == .seconds(3600) ? "last_hour" : "in_window"
            Output.line(
                JSON.object([("window_s", .number(window.seconds))] + report.fields(suffix: suffix)).line)
        } else {
            for line in report.lines(width: Terminal.width(of: STDOUT_FILENO)) { Output.line(line) }
        }
    }

    private static let list = Command(
        "list", "List queues with their job kinds, workers and pauses.",
        discussion:
            "The first job enqueued into a queue creates it. Start workers with 'darkroom work --queue NAME=N' to serve it.",
        options: [Settings.json, Settings.database],
        examples: [Example("darkroom queue list", "shows which queues exist and how many workers serve them")]
    ) { arguments in
        let (queues, pauses, depths) = try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            let queues = try await store.queues()
            let pauses = try await store.pauses()
            let depths = try await store.depths()
            return (queues, pauses, depths)
        }
        var table = TextTable(columns: [
            .init("QUEUE"), .init("KINDS"), .init("UNFINISHED", .right), .init("WORKERS", .right),
            .init("AT ONCE", .right), .init("PAUSES"),
        ])
        for queue in queues {
            let jobs = depths.filter { $0.queue == queue.name }.reduce(0) { $0 + $1.count }
            let inForce = pauses.filter { pause in
                (pause.queue ?? queue.name) == queue.name
                    && (pause.kind.map { queue.kinds.contains($0) } ?? true)
            }
            if arguments.flag("json") {
                Output.line(
                    JSON.object([
                        ("queue", .string(queue.name)),
                        ("kinds", .array(queue.kinds.map { .string($0.rawValue) })),
                        ("unfinished", .integer(Int64(jobs))), ("workers", .integer(Int64(queue.workers))),
                        ("concurrency", .integer(Int64(queue.concurrency))),
                        ("pauses", .array(inForce.map(\.json))),
                    ]).line)
                continue
            }
            table.add([
                queue.name, queue.kinds.map(\.rawValue).joined(separator: " "), QueueReport.count(jobs),
                String(queue.workers), String(queue.concurrency),
                inForce.isEmpty ? "-" : inForce.map(\.text).joined(separator: "; "),
            ])
        }
        if !arguments.flag("json") { Output.table(table) }
    }
}
