import Arguments
import CommandSupport
import Glibc
import Ingestion
import JobQueue
import JobStore

/// `darkroom queue pause`, `resume` and `drain`.
enum QueuePauses {
    static let pause = Command(
        "pause", "Claim nothing more of a queue or kind until it is resumed.",
        discussion: """
            From the next claim on nothing of it starts; what runs goes on to its end, and what is enqueued waits. \
            A pause outlives workers and machines. Pausing what is paused changes nothing.
            """,
        options: PauseTarget.options + options,
        examples: [
            Example("darkroom queue pause --kind ingest", "no photo is published; reports still are weighed"),
            Example("darkroom queue pause --queue bulk --kind ingest", "only there"),
        ]
    ) { try await hold($0, drains: false) }

    static let drain = Command(
        "drain", "Run what is there of a queue or kind to its end, and hold back what comes later.",
        discussion: """
            Jobs enqueued from now on are parked until 'darkroom queue resume'. Waits until nothing is left that was \
            there before; Ctrl-C ends only the waiting, and the drain stays in force.
            """,
        options: PauseTarget.options + [.flag("no-wait", "return at once")] + options,
        examples: [
            Example("darkroom queue drain --queue default", "before a maintenance of the media store"),
            Example("darkroom queue drain --kind moderate --no-wait", "begins it and returns"),
        ]
    ) { try await hold($0, drains: true) }

    static let resume = Command(
        "resume", "End a pause or drain.",
        discussion: """
            Name it as it was named when it began: a pause of a kind in a queue is another than one of the whole \
            queue. What was parked goes on. Resuming what is not paused changes nothing.
            """,
        options: PauseTarget.options + [Settings.json, Settings.database],
        examples: [Example("darkroom queue resume --queue bulk", "workers claim its jobs again")]
    ) { arguments in
        let target = try PauseTarget(arguments)
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            try await JobFilterOptions.checkQueue(target.queue, store)
            let had = try await store.pauses().first(where: target.names)
            let ended = try await store.resume(queue: target.queue, kind: target.kind)
            let others = try await store.pauses().filter { other in
                (target.queue == nil || other.queue == nil || other.queue == target.queue)
                    && (target.kind == nil || other.kind == nil || other.kind == target.kind)
            }
            report(
                arguments, target, state: "resumed", changed: ended,
                ended
                    ? "Resumed \(target)\(had.map { ": ended \($0.text)" } ?? "")." : "Not paused: \(target)."
            )
            for other in others {
                Output.note("Still in force: \(Terminal.printable(other.text)).")
            }
        }
    }

    private static let options: [Option] = [
        .value("by", "NAME", "who does it, for the record", environment: "USER"), Settings.json,
        Settings.database,
    ]

    private static func hold(_ arguments: ParsedArguments, drains: Bool) async throws {
        let target = try PauseTarget(arguments)
        let waits = drains && !arguments.flag("no-wait")
        let by = arguments.string("by").flatMap { $0.isEmpty ? nil : $0 } ?? Settings.userName
        // Watched from before the drain begins: who ends this command must not wonder whether it holds.
        let interruption = waits ? Interruption() : nil
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            try await JobFilterOptions.checkQueue(target.queue, store)
            let before = try await store.pauses().first(where: target.names)
            try await store.pause(queue: target.queue, kind: target.kind, drain: drains, by: by)
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
                Output.note("Drained: nothing is left of \(target). 'darkroom queue resume' lets it go on.")
                return
            }
            await interruption.sleep(until: .now + .milliseconds(500))
            if interruption.isAsked {
                progress.finish("interrupted")
                Output.note("\(left) left. The drain of \(target) stays in force; this command only waited.")
                throw ExitCode(interruption.exitCode)
            }
        }
    }

    /// What would keep a drain from ending.
    private static func warn(of target: PauseTarget, _ store: JobStore) async throws {
        guard try await store.left(queue: target.queue, kind: target.kind, limit: 1) > 0 else { return }
        let serving = try await store.workers().filter { worker in
            worker.isTaking
                && (target.queue.map { name in worker.queues.contains { $0.name == name } } ?? true)
        }
        if serving.isEmpty {
            Output.note("No worker serves \(target): start 'darkroom work', or nothing will be run.")
        }
        for pause in try await store.pauses() where !pause.drains {
            if target.queue == nil || pause.queue == nil || pause.queue == target.queue,
                target.kind == nil || pause.kind == nil || pause.kind == target.kind
            {
                Output.note(
                    "\(Terminal.printable(pause.text)) is in force: its jobs will not run until it is ended.")
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
