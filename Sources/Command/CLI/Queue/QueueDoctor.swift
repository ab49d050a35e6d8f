import CivilCalendar
import FoundationEssentials
import JobQueue
import JobStore

/// Finds what slows or stops the queue, and how to fix it.
struct QueueDoctor {
    typealias Finding = DoctorCommand.Finding

    let store: JobStore
    /// How long a transaction may be open and a job be ready to run.
    let patience: Duration

    /// Transactions that a slot without a consumer may lag behind: a consumer that restarts is no fault.
    private static let slotLag = 10_000
    /// Transactions that a slot or standby in use may lag behind.
    private static let activeLag = 1_000_000
    /// Dead rows up to here cost little: autovacuum runs at a tenth of this number.
    private static let harmlessDeadRows = 50_000

    /// Of a job that is not finished yet.
    private static let manyAttempts = 12

    func findings() async throws -> [Finding] {
        let workers = try await store.workers()
        var findings = try await self.workers(workers)
        findings.append(try await leases())
        findings.append(try await snapshots())
        findings += try await bloat()
        findings.append(try await autovacuum())
        findings += try await definitions()
        findings.append(try await partitions())
        findings += try await unserved()
        findings += try await overdue()
        findings.append(try await repeats())
        findings += try await pauses()
        findings.append(try await schedules())
        return findings
    }

    /// It is no fault that no worker runs while no job waits.
    private func workers(_ workers: [WorkerRecord]) async throws -> [Finding] {
        let living = workers.filter { $0.silence <= JobStore.leaseDuration }
        let waiting = try await store.isAnyWaiting()
        let detail = "\(living.count) alive, \(waiting ? "jobs are waiting" : "no job is waiting")"
        var findings: [Finding] = [
            living.isEmpty && waiting
                ? .wrong("workers", detail, mend: "darkroom work") : .ok("workers", detail)
        ]
        // A live worker sends a heartbeat every three seconds.
        let late = workers.filter { $0.silence > JobStore.leaseDuration * 2 / 3 }
        if late.isEmpty {
            findings.append(.ok("heartbeats", living.isEmpty ? "no worker is alive" : "all on time"))
        } else {
            let list = late.map { "worker \($0.id) on \($0.host) (pid \($0.pid)) for \($0.silence.short)" }
            findings.append(
                .wrong(
                    "heartbeats", "late: \(list.joined(separator: ", "))",
                    mend:
                        "check that the process runs and reaches the database; another running worker "
                        + "takes over its jobs after \(Int(JobStore.leaseDuration.seconds)) s"))
        }
        findings += living.filter { !$0.away.isEmpty }.map { worker in
            .wrong(
                "worker \(worker.id)",
                "on \(worker.host), cannot do all of its work: \(worker.away.joined(separator: "; "))",
                mend: "mend that on \(worker.host); the worker goes on by itself")
        }
        guard !living.isEmpty else { return findings }
        let listeners = try await store.listeners()
        findings.append(
            listeners > 0
                ? .ok("wake-ups", "\(listeners) listening")
                : .wrong(
                    "wake-ups", "no worker listens for new jobs, so workers find them only by polling",
                    mend: "connect workers directly to PostgreSQL, or through a pooler in session mode"))
        return findings
    }

    private func leases() async throws -> Finding {
        let strays = try await store.strayLeases()
        guard let first = strays.first else { return .ok("leases", "every running job has a living worker") }
        let state =
            !first.isKnown
            ? "no claim is recorded for it"
            : "its worker \(first.worker) is \(first.isRegistered ? "silent" : "gone")"
        let more =
            strays.count > 1 ? "; and \(strays.count - 1)\(strays.count == 20 ? " or more" : "") others" : ""
        return .wrong(
            "leases", "nobody runs job \(first.job), held for \(first.held.short): \(state)\(more)",
            mend: first.isKnown
                ? "start 'darkroom work': any worker takes over such jobs within 30 s"
                : "darkroom jobs release \(strays.map(\.job.description).joined(separator: " "))")
    }

    private func snapshots() async throws -> Finding {
        let holders = try await store.snapshotHolders()
        let bad = holders.filter { holder in
            switch holder.kind {
            case .transaction, .preparedTransaction: holder.age ?? .zero > patience
            case .replicationSlot where holder.state == "inactive": holder.transactions > Self.slotLag
            case .replicationSlot, .standby: holder.transactions > Self.activeLag
            }
        }
        guard let oldest = bad.first else {
            return .ok("snapshots", holders.isEmpty ? "none is held" : "none older than \(patience.short)")
        }
        let more = bad.count > 1 ? "; and \(bad.count - 1) more" : ""
        return .wrong(
            "snapshots",
            "\(oldest.text) keeps dead rows from being removed, and claims read past them\(more)",
            mend: oldest.remedy)
    }

    private func bloat() async throws -> [Finding] {
        let tables = try await store.bloat()
        let bad = tables.filter { $0.dead > max(Self.harmlessDeadRows, 3 * $0.live) }
        if bad.isEmpty {
            let jobs = tables.first { $0.table == "jobs" }
            return [.ok("dead rows", "\(jobs?.dead ?? 0) dead rows, \(jobs?.live ?? 0) jobs")]
        }
        return bad.map { table in
            .mendable(
                "dead rows",
                "\(table.dead) dead and \(table.live) live rows in the table \(table.table), vacuumed "
                    + (table.lastVacuum.map { "last \($0.shortStamp) UTC" } ?? "never"),
                first: "fix snapshots first if they are wrong, then: "
            ) { try await store.vacuum(table.table) }
        }
    }

    private func autovacuum() async throws -> Finding {
        let state = try await store.autovacuum()
        if !state.isOn || !state.countsRows {
            let setting = state.isOn ? "track_counts" : "autovacuum"
            return .wrong(
                "autovacuum", "\(setting) is off",
                mend: "set \(setting) = on in the server's postgresql.conf, and reload it")
        }
        if state.disabledTables.isEmpty { return .ok("autovacuum", "on") }
        return .mendable("autovacuum", "disabled for \(state.disabledTables.joined(separator: ", "))") {
            for table in state.disabledTables { try await store.enableAutovacuum(of: table) }
        }
    }

    private func definitions() async throws -> [Finding] {
        let all = try await store.definitionFaults()
        let faults = all.filter { $0.isOurs && !$0.isBeingMade }
        var findings: [Finding] = all.filter { !$0.isOurs || $0.isBeingMade }.map { fault in
            .note(
                "indexes",
                fault.isBeingMade
                    ? "\(fault.name) is being made or checked just now"
                    : "\(fault.text), and it is not Darkroom's: ask whoever made it")
        }
        findings.append(
            faults.isEmpty
                ? .ok("indexes", "all exist and are valid, and so do all constraints")
                : .mendable("indexes", faults.map(\.text).joined(separator: ", ")) {
                    var failure: (any Error)?
                    for fault in faults {
                        do { try await store.mend(fault) } catch { failure = failure ?? error }
                    }
                    // Somebody else may have mended it meanwhile.
                    if let failure, try await store.definitionFaults().contains(where: \.isOurs) {
                        throw failure
                    }
                })
        return findings
    }

    private func partitions() async throws -> Finding {
        let history = try await store.historyPartitions()
        if !history.missing.isEmpty {
            let strays =
                history.strayRows == 0
                ? "" : "; \(history.strayRows) rows of these days are in the default partitions"
            return .wrong(
                "history", "missing partitions: \(history.missing.joined(separator: ", "))\(strays)",
                mend: "start 'darkroom work': it makes them within a minute, and moves such rows there")
        }
        guard history.defaultRows == 0 else {
            return .note(
                "history",
                "\(history.defaultRows) rows of earlier days stay in the default partitions until they are pruned"
            )
        }
        return .ok("history", "partitions for today and tomorrow exist")
    }

    private func unserved() async throws -> [Finding] {
        let queues = try await store.unservedQueues()
        if queues.isEmpty { return [.ok("queues", "every queue that has due jobs has a worker")] }
        return queues.map { queue in
            let isUsual = ServedQueue.usual(concurrency: 1).contains { $0.name == queue.name }
            return .wrong(
                "queues",
                "no running worker serves the queue \(queue.name), where jobs are due: "
                    + queue.kinds.joined(separator: ", "),
                mend: isUsual
                    ? "darkroom work; if it runs with --queue, add --queue \(queue.name)=N"
                    : "darkroom work --queue \(queue.name)=N")
        }
    }

    private func overdue() async throws -> [Finding] {
        // The others are reported with their queue.
        let lanes = try await store.overdue(patience: patience).filter { $0.workers > 0 }
        var findings: [Finding] = lanes.filter { $0.idleWorkers > 0 }.map { lane in
            .wrong(
                "waiting",
                "job \(lane.oldest) (\(lane.kind.rawValue)) in queue \(lane.queue) has waited for \(lane.waited.short), "
                    + "although \(lane.idleWorkers) of \(lane.workers) workers have free slots",
                mend:
                    "look for claim errors in the workers' logs; stop a worker with 'darkroom workers drain' and start it again"
            )
        }
        for lane in lanes where lane.idleWorkers == 0 {
            findings.append(
                .note(
                    "waiting",
                    "\(lane.kind.rawValue) in queue \(lane.queue) has waited for \(lane.waited.short): all \(lane.workers) "
                        + "workers are busy; start more, or raise their concurrency"))
        }
        return findings.isEmpty
            ? [.ok("waiting", "no job has waited longer than \(patience.short)")] : findings
    }

    /// Attempts that count no try may go on for ever, so somebody must hear of them.
    private func repeats() async throws -> Finding {
        let repeats = try await store.repeats(atLeast: Self.manyAttempts)
        guard let first = repeats.first else { return .ok("repeats", "no job comes back again and again") }
        return .wrong(
            "repeats",
            "\(repeats.count)\(repeats.count == JobStore.mostRepeats ? " or more" : "") jobs come back again and again; job "
                + "\(first.job) had \(first.attempts) attempts, the last with \(first.reason ?? "no reason")",
            mend: "mend what 'darkroom jobs show \(first.job)' says; then the jobs go on by themselves")
    }

    private func schedules() async throws -> Finding {
        let late = try await store.lateSchedules(patience: patience)
        if late.isEmpty { return .ok("schedules", "every one has run in time") }
        let list = late.map { "\($0.name) should have run \($0.late.short) ago" }
        return .wrong(
            "schedules", list.joined(separator: "; "),
            mend:
                "start 'darkroom work' if none runs; else look for schedule.not_run in the workers' logs: it says why"
        )
    }

    private func pauses() async throws -> [Finding] {
        let pauses = try await store.pauses()
        if pauses.isEmpty { return [.ok("pauses", "none")] }
        return pauses.map { pause in
            let options = [pause.queue.map { "--queue \($0)" }, pause.kind.map { "--kind \($0.rawValue)" }]
            return .note(
                "pauses",
                "\(pause.text); end it with: darkroom queue resume \(options.compactMap(\.self).joined(separator: " "))"
            )
        }
    }
}

extension SnapshotHolder {
    fileprivate var text: String {
        let since = age.map { ", open for \($0.short)" } ?? ", \(transactions) transactions behind"
        let details = [application.flatMap { $0.isEmpty ? nil : $0 }, state].compactMap(\.self)
        let what =
            kind == .transaction ? "the transaction of process \(name)" : "the \(kind.rawValue) \(name)"
        return what + (user.map { " of user \($0)" } ?? "")
            + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))") + since
    }

    fileprivate var remedy: String {
        switch kind {
        case .transaction:
            "'darkroom doctor --end \(name)' ends that session; to prevent it, set idle_in_transaction_session_timeout, or run long "
                + "reports on a standby"
        case .preparedTransaction: "commit it or roll it back with the program that prepared it"
        case .replicationSlot:
            "start the program that reads the slot, or drop the slot if the program is gone"
        case .standby: "shorten the queries on the standby, or set hot_standby_feedback = off there"
        }
    }
}
