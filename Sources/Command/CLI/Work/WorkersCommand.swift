import Arguments
import CivilCalendar
import CommandSupport
import JobQueue
import JobStore

enum WorkersCommand {
    static let command = Command("workers", "List workers, and drain them.", subcommands: [list, drain])

    private static let list = Command(
        "list", "List the workers with their queues.",
        discussion: """
            RUNNING is as of the last heartbeat; workers send one every three seconds. A worker without a heartbeat for \
            \(Int(JobStore.leaseDuration.seconds)) seconds counts as dead: another worker takes its jobs and removes it.
            """,
        options: [Settings.json, Settings.database],
        examples: [Example("darkroom workers list", "shows which workers run where, and on which queues")]
    ) { arguments in
        let workers = try await Settings.withPool(arguments) { try await JobStore(pool: $0).workers() }
        if arguments.flag("json") {
            for worker in workers { Output.line(worker.json.line) }
            return
        }
        guard !workers.isEmpty else { return Output.note("There is no worker: run 'darkroom work'.") }
        Output.table(WorkersTable.table(workers))
        for note in WorkersTable.notes(workers) { Output.note(note) }
    }

    private static let drain = Command(
        "drain", "Stop workers after they finish their running jobs.",
        discussion: """
            The workers take no new jobs, and their processes end by themselves, however long the running jobs take; SIGTERM \
            then gives these the shutdown budget. Other workers go on. To hold back jobs \
            as well, see 'darkroom queue drain'.
            """,
        options: [.flag("wait", "wait until they have stopped"), Settings.json, Settings.database],
        positionals: [.restRequired("WORKER", "worker numbers, as shown by 'darkroom workers list'")],
        examples: [Example("darkroom workers drain 3 4 --wait", "stops them before a reboot")]
    ) { arguments in
        let numbers = try arguments.strings("WORKER").map { text -> WorkerID in
            guard let number = Int64(text), number > 0 else {
                throw UsageError("“\(text)” is not a worker's number")
            }
            return WorkerID(rawValue: number)
        }
        // Catch Ctrl-C from before the first order, so that the message always says that the workers drain.
        let interruption = arguments.flag("wait") ? Interruption() : nil
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            var missed: [WorkerID] = []
            for number in numbers {
                let isThere = try await OperatorActions(store).record(
                    OperatorAction("drain worker", of: "worker \(number)")
                ) {
                    try await store.drain(number)
                }
                if !isThere { missed.append(number) }
                if arguments.flag("json") {
                    Output.line(
                        JSON.object([("worker_id", .integer(number.rawValue)), ("draining", .bool(isThere))])
                            .line)
                } else if isThere {
                    Output.line("Worker \(number) will finish its running jobs and stop.")
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
                done: numbers.count - left.count, total: numbers.count, note: "\(jobs) jobs are still running"
            )
            if left.count == dead.count {
                progress.finish("")
                for worker in dead {
                    Output.note(
                        "Worker \(worker.id) died: no heartbeat for \(worker.silence.short). "
                            + "Another worker takes its jobs. If its process comes back, it stops.")
                }
                return
            }
            await interruption.sleep(until: .now + .milliseconds(250))
            if interruption.isAsked {
                progress.finish("interrupted")
                Output.note("The workers keep draining; this command only stopped waiting.")
                throw ExitCode(interruption.exitCode)
            }
        }
    }
}
