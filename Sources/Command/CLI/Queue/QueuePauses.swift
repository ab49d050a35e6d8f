import Arguments
import CivilCalendar
import CommandSupport
import Glibc
import JobQueue
import JobStore

enum QueuePauses {
    static let pause = Command(
        "pause", "Hold back the jobs of a queue or kind until it is resumed.",
        discussion: """
            Running jobs go on to their end, and new jobs wait. The pause is stored in the database, so it survives \
            restarts of workers and machines. Pausing twice changes nothing.
            """,
        options: PauseTarget.options + options,
        examples: [
            Example("darkroom queue pause --kind ingest", "holds back photos; reports are still weighed"),
            Example("darkroom queue pause --queue bulk --kind ingest", "only in queue bulk"),
        ]
    ) { try await hold($0, drains: false) }

    static let drain = Command(
        "drain", "Finish the existing jobs of a queue or kind, and hold back new ones.",
        discussion: """
            Jobs that are enqueued from now on are parked until 'darkroom queue resume'. The command waits until all \
            earlier jobs are finished. Ctrl-C ends only the waiting; the drain stays in force.
            """,
        options: PauseTarget.options + [.flag("no-wait", "start the drain and return at once")] + options,
        examples: [
            Example("darkroom queue drain --queue default", "empties the queue before maintenance"),
            Example("darkroom queue drain --kind moderate --no-wait", "starts the drain and returns"),
        ]
    ) { try await hold($0, drains: true) }

    static let resume = Command(
        "resume", "End a pause or drain.",
        discussion: """
            Give the same --queue and --kind as for the pause: a pause of one kind in a queue and a pause of the whole \
            queue are separate. Workers release the parked jobs within a few seconds. Resuming a queue that is not paused changes nothing.
            """,
        options: PauseTarget.options + options,
        examples: [Example("darkroom queue resume --queue bulk", "workers claim its jobs again")]
    ) { arguments in
        let target = try PauseTarget(arguments)
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            try await JobFilterOptions.checkQueue(target.queue, store)
            let had = try await store.pauses().first(where: target.names)
            let ended = try await OperatorActions(store).record(
                OperatorAction("resume", of: target.description, by: JobsReplay.operatorName(arguments))
            ) {
                try await store.resume(queue: target.queue, kind: target.kind)
            }
            let others = try await store.pauses().filter { other in
                (target.queue == nil || other.queue == nil || other.queue == target.queue)
                    && (target.kind == nil || other.kind == nil || other.kind == target.kind)
            }
            report(
                arguments, target, state: "resumed", changed: ended,
                ended
                    ? "Resumed \(target)\(had.map { ": ended \($0.text)" } ?? "")." : "Not paused: \(target)."
            )
            if try await store.isReleasing(queue: target.queue, kind: target.kind) {
                Output.note("Workers release the rest of the parked jobs within a few seconds.")
            }
            for other in others {
                Output.note("Still in force: \(Terminal.printable(other.text)).")
            }
        }
    }

    private static let options: [Option] = [
        .value("by", "NAME", "your name, for the record", environment: "USER"), Settings.json,
        Settings.database,
    ]

    private static func hold(_ arguments: ParsedArguments, drains: Bool) async throws {
        let target = try PauseTarget(arguments)
        let waits = drains && !arguments.flag("no-wait")
        let by = JobsReplay.operatorName(arguments)
        // Catch Ctrl-C from before the drain begins, so that the message always says that it stays in force.
        let interruption = waits ? Interruption() : nil
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            try await JobFilterOptions.checkQueue(target.queue, store)
            let before = try await store.pauses().first(where: target.names)
            try await OperatorActions(store).record(
                OperatorAction(drains ? "drain" : "pause", of: target.description, by: by)
            ) {
                try await store.pause(queue: target.queue, kind: target.kind, drain: drains, by: by)
            }
            let now = try await store.pauses().first(where: target.names)
            let changed = before.map { $0.drains != drains } ?? true
            let verb = drains ? "Draining" : "Paused"
            report(
                arguments, target, state: drains ? "draining" : "paused", changed: changed,
                changed
                    ? "\(verb) \(target)\(before.map { ", instead of \($0.text)" } ?? "")."
                    : "\(verb) already: \(target), by \(now.map { "\($0.by) since \($0.since.shortStamp) UTC" } ?? "others")."
            )
            if let interruption { try await wait(for: target, store, interruption) }
        }
    }

    /// Waits until nothing is left that was there before the drain.
    private static func wait(
        for target: PauseTarget, _ store: JobStore, _ interruption: Interruption
    ) async throws {
        try await warn(of: target, store)
        let progress = ProgressLine(label: "drained")
        var total = 0
        while true {
            let left = try await store.left(queue: target.queue, kind: target.kind)
            total = max(total, left)
            progress.update(
                done: total - left, total: total, note: left == 0 ? "" : try await remainder(target, store))
            if left == 0 {
                progress.finish("")
                Output.note(
                    "Drained: nothing is left of \(target). Run 'darkroom queue resume' to start it again.")
                return
            }
            await interruption.sleep(until: .now + .milliseconds(500))
            if interruption.isAsked {
                progress.finish("interrupted")
                Output.note(
                    "\(left) jobs left. The drain of \(target) stays in force; this command only stopped waiting."
                )
                throw ExitCode(interruption.exitCode)
            }
        }
    }

    /// Warns of what would keep a drain from ending.
    private static func warn(of target: PauseTarget, _ store: JobStore) async throws {
        guard try await store.left(queue: target.queue, kind: target.kind, limit: 1) > 0 else { return }
        let serving = try await store.workers().filter { worker in
            worker.isTaking
                && (target.queue.map { name in worker.queues.contains { $0.name == name } } ?? true)
        }
        if serving.isEmpty {
            Output.note("No worker serves \(target): start 'darkroom work', or its jobs will not run.")
        }
        for pause in try await store.pauses() where !pause.drains {
            if target.queue == nil || pause.queue == nil || pause.queue == target.queue,
                target.kind == nil || pause.kind == nil || pause.kind == target.kind
            {
                Output.note(
                    "\(Terminal.printable(pause.text)) is in force: its jobs will not run until you resume it."
                )
            }
        }
    }

    /// `2 running, 1 scheduled, the next 2026-05-01 12:00:07 UTC`.
    private static func remainder(_ target: PauseTarget, _ store: JobStore) async throws -> String {
        let depths = try await store.depths().filter {
            $0.queue == target.queue ?? $0.queue && $0.kind == target.kind ?? $0.kind && $0.state != .parked
        }
        let states: [JobState] = [.running, .waiting, .scheduled]
        let counts = states.compactMap { state in
            let jobs = depths.filter { $0.state == state }.reduce(0) { $0 + $1.count }
            return jobs > 0 ? "\(jobs) \(state.rawValue)" : nil
        }
        // A job for next week keeps the drain waiting until then.
        let due = try await store.nextDue(queue: target.queue, kind: target.kind)
        return counts.joined(separator: ", ") + (due.map { ", the next \($0.shortStamp) UTC" } ?? "")
    }

    private static func report(
        _ arguments: ParsedArguments, _ target: PauseTarget, state: String, changed: Bool, _ text: String
    ) {
        guard arguments.flag("json") else { return Output.line(Terminal.printable(text)) }
        Output.line(
            JSON.object([
                ("queue", JSON.optional(target.queue) { .string($0) }),
                ("kind", JSON.optional(target.kind) { .string($0.rawValue) }), ("state", .string(state)),
                ("changed", .bool(changed)),
            ]).line)
    }
}
