import Arguments
import CommandSupport
import JobQueue
import JobStore

/// `darkroom workers`: the worker processes.
enum WorkersCommand {
    static let command = Command("workers", "Look at workers, and drain them.", subcommands: [list, drain])

    private static let list = Command(
        "list", "List living workers with their queues.",
        discussion: """
            RUNNING is as of the last heartbeat, which comes every three seconds. A worker not heard of for \
            \(Int(JobStore.leaseDuration.seconds)) seconds is taken for dead: another takes its jobs and removes it.
            """,
        options: [Settings.json, Settings.database],
        examples: [Example("darkroom workers list", "who works, where, and on which queues")]
    ) { arguments in
        let workers = try await Settings.withPool(arguments) { try await JobStore(pool: $0).workers() }
        if arguments.flag("json") {
            for worker in workers { Output.line(worker.json.line) }
            return
        }
        guard !workers.isEmpty else { return Output.note("There is no worker: 'darkroom work' starts one.") }
        Output.table(WorkersTable.table(workers))
    }

    private static let drain = Command(
        "drain", "Ask workers to finish what they run, claim nothing more, and stop.",
        discussion: """
            The processes end of themselves. Other workers go on; to hold jobs back as well, see 'darkroom queue drain'.
            """,
        options: [.flag("wait", "until they are gone"), Settings.json, Settings.database],
        positionals: [.restRequired("WORKER", "numbers, as 'darkroom workers list' shows them")],
        examples: [Example("darkroom workers drain 3 4 --wait", "before their machine is restarted")]
    ) { arguments in
        let numbers = try arguments.strings("WORKER").map { text -> WorkerID in
            guard let number = Int64(text), number > 0 else {
                throw UsageError("“\(text)” is not a worker's number")
            }
            return WorkerID(rawValue: number)
        }
        // Watched from before the first order: who ends this command must not wonder whether it holds.
        let interruption = arguments.flag("wait") ? Interruption() : nil
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            var missed: [WorkerID] = []
            for number in numbers {
                let isThere = try await store.drain(number)
                if !isThere { missed.append(number) }
                if arguments.flag("json") {
                    Output.line(
                        JSON.object([("worker_id", .integer(number.rawValue)), ("draining", .bool(isThere))])
                            .line)
                } else if isThere {
                    Output.line("Worker \(number) finishes what it runs and stops.")
                }
            }
            if let interruption {
                try await wait(for: numbers.filter { !missed.contains($0) }, store, interruption)
            }
            if !missed.isEmpty {
                let known = try await store.workers().map(\.id.description)
                throw CommandError(
                    "there is no worker \(missed.map(\.description).joined(separator: ", ")): "
                        + (known.isEmpty
                            ? "none is left" : "the workers are \(known.joined(separator: ", "))"))
            }
        }
    }

    private static func wait(
        for numbers: [WorkerID], _ store: JobStore, _ interruption: Interruption
    ) async throws {
        let progress = ProgressLine(label: "stopped")
        while true {
            let left = try await store.workers().filter { numbers.contains($0.id) }
            let dead = left.filter { $0.silence > JobStore.leaseDuration }
            let jobs = left.reduce(0) { $0 + $1.running }
            progress.update(
                done: numbers.count - left.count, total: numbers.count, note: "\(jobs) jobs still run")
            if left.count == dead.count {
                progress.finish("")
                for worker in dead {
                    Output.note(
                        "Worker \(worker.id) died: not heard of for \(worker.silence.short). "
                            + "Another worker takes its jobs.")
                }
                return
            }
            await interruption.sleep(until: .now + .milliseconds(250))
            if interruption.isAsked {
                progress.finish("interrupted")
                Output.note("They drain all the same; this command only waited.")
                throw ExitCode(interruption.exitCode)
            }
        }
    }
}
