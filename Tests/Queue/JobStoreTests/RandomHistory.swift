import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// A job as the model has it.
struct ModelJob {
    let key: String
    let kind: JobKind
    let priority: Int
    var state: JobState
    /// Of a parked job: `turn` or `resume`.
    var parkedFor: String?
    var isForLater = false
    /// Of two jobs, the one that was queued last has the higher number, also when it is replayed.
    var order = 0
    var dedupeKey: Int64?
    var isCancelRequested = false
    var ends: [String] = []
    var failures = 0
    var crashes = 0
    var deaths = 0
    var lease: Lease?
}

/// One history: a queue, and a model of it in memory.
struct RandomHistory {
    static let kinds = [JobKind.noop, JobKind("moderate")]
    /// Two jobs of `capped` may run at once; `paced` has a rate.
    static let keys = ["capped", "capped", "paced", "ada", "bo"]
    static let cap = 2

    let database: QueueDatabase
    var random: SplitMix
    var jobs: [JobID: ModelJob] = [:]
    var workers: [WorkerID] = []
    /// Lost leases: writes under them must change nothing.
    var stale: [Lease] = []
    var isPaused = false
    private var added = 0
    var isDrained = false
    /// Whether this step may have released jobs that wait for their turn.
    var mayUnpark = false
    /// Before this step: the slots of the jobs, and the virtual times of their lanes.
    var places: [JobID: (slot: Int64, time: Int64)] = [:]
    /// The steps taken, for the report of a difference.
    var steps: [String] = []
    private var stateBefore: [JobID: JobState] = [:]
    let reason = Reason(code: "test", message: "A test.")

    var store: JobStore { database.store }

    init(_ database: QueueDatabase, seed: UInt64) async throws {
        self.database = database
        random = SplitMix(state: seed)
        try await database.pool.query(
            """
            insert into darkroom.fair_keys (fair_key, max_running, per_minute, burst)
            values ('capped', \(Self.cap), null, 1), ('paced', null, 600, 2)
            """)
        try await notePlaces()
    }

    mutating func pick(_ states: JobState...) -> JobID? {
        jobs.filter { states.contains($0.value.state) }.keys.sorted().randomElement(using: &random)
    }

    mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    /// What a worker of the model holds.
    func held(by worker: WorkerID) -> [Lease] {
        jobs.values.compactMap(\.lease).filter { $0.worker == worker }.sorted { $0.job < $1.job }
    }

    mutating func apply(_ event: JobEvent, to id: JobID, end: String? = nil) throws {
        let before = try #require(jobs[id])
        jobs[id]?.state = try #require(before.state.after(event), "\(before.state) \(event)")
        jobs[id]?.parkedFor = nil
        guard let end else { return }
        jobs[id]?.ends.append(end)
        if let lease = before.lease { stale.append(lease) }
        jobs[id]?.lease = nil
        if before.key == "capped" { mayUnpark = true }
    }

    /// A job whose lease the database has taken: it waits again, unless somebody was promised its end.
    mutating func giveBack(_ id: JobID, as event: JobEvent, end: String) throws {
        let isCancelled = jobs[id]!.isCancelRequested
        try apply(isCancelled ? .cancel : event, to: id, end: isCancelled ? "cancelled" : end)
    }

    mutating func add(_ id: JobID, _ job: ModelJob) {
        added += 1
        jobs[id] = job
        jobs[id]?.order = added
        if isDrained {
            jobs[id]?.state = .parked
            jobs[id]?.parkedFor = "resume"
        }
    }

    // MARK: Checks

    /// Reads what the checks compare the next step with.
    private mutating func notePlaces() async throws {
        let rows = try await database.pool.query(
            "select job_id, slot, darkroom.virtual_time(lane) as time from darkroom.jobs")
        places = try Dictionary(
            uniqueKeysWithValues: rows.map {
                (
                    JobID(rawValue: try $0.decode("job_id", as: Int64.self)),
                    (try $0.decode("slot", as: Int64.self), try $0.decode("time", as: Int64.self))
                )
            })
    }

    mutating func check() async throws {
        let records = try await database.jobs()
        try #require(records.count == jobs.count, "a job is lost, or in two places")
        try adoptTurns(records)
        for record in records {
            let model = try #require(jobs[record.id])
            try #require(record.state == model.state, "job \(record.id)")
            try #require(record.state != .parked || record.waitsFor == model.parkedFor, "job \(record.id)")
            try #require(
                record.failures == model.failures && record.crashes == model.crashes
                    && record.deaths == model.deaths, "job \(record.id)")
            let isFinished = model.state.isFinished
            try #require(
                isFinished || record.isCancelRequested == model.isCancelRequested, "job \(record.id)")
        }
        try #require(try await database.contradictoryJobs() == [])
        try await checkSlots()
        try await checkLimits()
    }

    /// Which parked jobs go on is for the limits to say; in each lane, the oldest come first.
    private mutating func adoptTurns(_ records: [JobRecord]) throws {
        guard mayUnpark else { return }
        let parked = jobs.filter { $0.value.parkedFor == "turn" }
        let released = records.filter { parked[$0.id] != nil && $0.state == .waiting }.map(\.id)
        for id in released {
            let isOvertaken = parked.contains { other, job in
                job.key == parked[id]!.key && job.kind == parked[id]!.kind
                    && job.priority == parked[id]!.priority && !released.contains(other)
                    && job.order < parked[id]!.order
            }
            try #require(!isOvertaken, "job \(id) went on before an older one")
            jobs[id]?.state = .waiting
            jobs[id]?.parkedFor = nil
        }
    }

    /// A claim parks jobs beyond a limit, and schedules those whose turn is soon. Older jobs go on in place of newer ones.
    mutating func adoptLimits(_ waiting: [JobID: ModelJob]) async throws {
        let running = jobs.values.count { $0.key == "capped" && $0.state == .running }
        for record in try await database.jobs(in: [.waiting, .scheduled])
        where jobs[record.id]?.parkedFor == "turn" {
            try apply(.unpark, to: record.id)
            try #require(record.fairKey == "paced" && record.state == .scheduled)
            try apply(.pace, to: record.id)
        }
        for record in try await database.jobs(in: [.parked, .scheduled]) where waiting[record.id] != nil {
            let key = waiting[record.id]!.key
            if record.state == .parked {
                try #require(key == "paced" || key == "capped" && running == Self.cap)
                try #require(record.deaths == 0, "a suspect needs no turn")
                try apply(.park, to: record.id)
                jobs[record.id]?.parkedFor = "turn"
            } else {
                try #require(key == "paced")
                try apply(.pace, to: record.id)
            }
        }
    }

    /// A job that waits again goes on where its lane is: old slots are behind the cursors of the workers.
    private mutating func checkSlots() async throws {
        let past = places
        try await notePlaces()
        for (id, job) in jobs where job.state == .waiting {
            guard let old = past[id], let new = places[id], stateBefore[id] != .waiting else { continue }
            try #require(new.slot >= old.time, "job \(id) waits at an old slot")
        }
        stateBefore = jobs.mapValues(\.state)
    }

    private func checkLimits() async throws {
        let capped = jobs.values.filter { $0.key == "capped" }
        let running = capped.count { $0.state == .running }
        try #require(running <= Self.cap)
        let isParked = capped.contains { $0.parkedFor == "turn" }
        try #require(
            !isParked || running + capped.count { $0.state == .waiting } >= Self.cap,
            "a job is parked although there is room")
        let rows = try await database.pool.query(
            """
            select count(*) filter (where running_key is not null and lease is null) as idle_keys,
                   count(*) filter (where lease is not null and fair_key = 'capped' and running_key is null) as uncounted,
                   count(*) filter (where lease is not null and not exists (
                       select from darkroom.leases l where l.lease = j.lease and j.job_id = any (l.job_ids))) as without_row
            from darkroom.jobs j
            """)
        for name in ["idle_keys", "uncounted", "without_row"] {
            try #require(try rows[0].decode(name, as: Int.self) == 0, "\(name)")
        }
    }

    func checkAttempts() async throws {
        for (id, model) in jobs {
            let attempts = try await store.attempts(of: id)
            try #require(attempts.map(\.outcome) == model.ends, "job \(id)")
            try #require(attempts.map(\.attempt) == Array(1..<(attempts.count + 1)))
        }
    }
}
