import Arguments
import JobQueue
import JobStore

/// `darkroom queue`: the queue as a whole.
enum QueueCommand {
    static let command = Command("queue", "Look at the queue as a whole.", subcommands: [stats])

    private static let stats = Command(
        "stats", "Show depth, age, recent ends and living workers.",
        options: [Settings.json, Settings.database],
        examples: [Example("darkroom queue stats", "the queue at a glance")]
    ) { arguments in
        let stats = try await Settings.withPool(arguments) { try await JobStore(pool: $0).stats() }
        if arguments.flag("json") {
            Output.line(json(stats).line)
            return
        }
        var depth = TextTable(columns: [
            .init("QUEUE"), .init("KIND"), .init("STATE"), .init("JOBS", .right), .init("OLDEST", .right),
        ])
        for row in stats.depths {
            depth.add([
                row.queue, row.kind.rawValue, row.state.rawValue, count(row.count), row.oldest.short,
            ])
        }
        section("Unfinished", depth, rows: stats.depths.count)
        var ends = TextTable(columns: [
            .init("KIND"), .init("STATE"), .init("REASON"), .init("JOBS", .right),
        ])
        for row in stats.finished {
            ends.add([row.kind.rawValue, row.state.rawValue, row.reason ?? "-", String(row.count)])
        }
        section("Finished within the last hour", ends, rows: stats.finished.count)
        var workers = TextTable(columns: [
            .init("WORKER", .right), .init("HOST"), .init("PID", .right), .init("VERSION"),
            .init("RUNNING", .right), .init("HEARD OF", .right),
        ])
        for worker in stats.workers {
            workers.add([
                worker.id.description, worker.host, String(worker.pid), worker.version,
                "\(worker.running)/\(worker.concurrency)", worker.silence.short + " ago",
            ])
        }
        section("Workers", workers, rows: stats.workers.count)
    }

    private static func section(_ title: String, _ table: TextTable, rows: Int) {
        Output.line(rows == 0 ? "\(title): none" : "\(title):")
        if rows > 0 { Output.table(table) }
    }

    private static func count(_ jobs: Int) -> String {
        jobs < JobStore.depthLimit ? String(jobs) : "\(jobs)+"
    }

    private static func json(_ stats: QueueStats) -> JSON {
        .object([
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
                "finished_last_hour",
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
                "workers",
                .array(
                    stats.workers.map {
                        .object([
                            ("worker_id", .integer($0.id.rawValue)), ("host", .string($0.host)),
                            ("pid", .integer(Int64($0.pid))), ("version", .string($0.version)),
                            ("running", .integer(Int64($0.running))),
                            ("concurrency", .integer(Int64($0.concurrency))),
                            ("started_at", .string($0.startedAt.stamp)),
                            ("silence_s", .number($0.silence.seconds)),
                        ])
                    })
            ),
        ])
    }
}
