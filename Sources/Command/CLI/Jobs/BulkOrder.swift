import Arguments
import CommandSupport
import FoundationEssentials
import Glibc
import JobQueue
import JobStore

/// A bulk operation on jobs: replay, discard or cancel.
///
/// It works page by page, at a limited rate, and can be interrupted between two pages.
struct BulkOrder {
    let action: BulkAction
    let store: JobStore
    let filter: JobFilter
    let by: String
    let why: String?

    private static let shownFirst = 10

    static func options(limit: String) -> [Option] {
        [
            .value("limit", "N", limit),
            .value("rate", "N", "at most N jobs per second, such as 20 or 0.5 (default: no limit)"),
            .flag(
                "dry-run",
                "change nothing; count the jobs by state and reason, and list the first \(shownFirst)"),
        ]
    }

    /// Runs the operation that `arguments` describe.
    ///
    /// - Throws: `UsageError` if the arguments name no jobs, `ExitCode` if jobs that were given by number
    ///   were not changed, or after an interruption.
    static func run(_ arguments: ParsedArguments, _ action: BulkAction) async throws {
        let states = action.states
        var filter = try JobFilterOptions.filter(arguments, states: states)
        let numbers = filter.ids
        let limit = try arguments.int("limit", in: 1...1_000_000_000)
        let pace = Pace(perSecond: try arguments.double("rate", in: 0.001...1_000_000))
        filter.ids = []
        guard numbers.isEmpty != filter.isEmpty else {
            throw UsageError(
                "say which jobs: give either job numbers, or a filter such as --state or --reason")
        }
        guard numbers.isEmpty || limit == nil else {
            throw UsageError("--limit works with a filter, not with job numbers")
        }
        filter.ids = numbers
        if filter.states.isEmpty { filter.states = numbers.isEmpty ? action.usual : states }
        let isDryRun = arguments.flag("dry-run")
        let asJSON = arguments.flag("json")
        try await Settings.withPool(arguments) { [filter] pool in
            let store = JobStore(pool: pool)
            try await JobFilterOptions.checkQueue(filter.queue, store)
            var filter = filter
            if numbers.isEmpty {
                // Exclude jobs that finish from here on: a replayed job that fails again would match forever.
                let now = try await store.now()
                filter.before = min(filter.before ?? now, now)
            }
            let order = BulkOrder(
                action: action, store: store, filter: filter, by: JobsReplay.operatorName(arguments),
                why: arguments.string("why"))
            let done =
                isDryRun
                ? try await order.rehearse(limit: limit, asJSON: asJSON)
                : try await order.carryOut(numbers, limit: limit, pace: pace, asJSON: asJSON)
            let missed = Set(numbers).subtracting(done)
            if !missed.isEmpty { try await order.explain(missed, store, states) }
        }
    }

    /// - Returns: the jobs that it listed.
    private func rehearse(limit: Int?, asJSON: Bool) async throws -> [JobID] {
        let counts = try await action.count(filter, store)
        let matching = counts.reduce(0) { $0 + $1.jobs }
        let total = min(matching, limit ?? .max)
        let next = action.pages(filter, store)
        var shown: [JobID] = []
        if asJSON {
            while shown.count < total {
                let page = try await next(min(total - shown.count, BulkAction.pageSize))
                guard !page.isEmpty else { break }
                for job in page { Output.line(job.json.line) }
                shown += page.map(\.id)
            }
        } else if total > 0 {
            var table = TextTable(columns: [.init("STATE"), .init("REASON"), .init("JOBS", .right)])
            for row in counts { table.add([row.state.rawValue, row.reason ?? "-", String(row.jobs)]) }
            Output.table(table)
            shown = Self.show(try await next(min(total, Self.shownFirst)), of: total)
        }
        let limited = total < matching ? " of \(matching) that match, because of --limit" : ""
        Output.note("\(Self.jobs(total)) would be \(action.participle)\(limited). Nothing was changed.")
        return shown
    }

    private static func show(_ page: [BulkAction.Candidate], of total: Int) -> [JobID] {
        var table = TextTable(columns: [
            .init("JOB", .right), .init("KIND"), .init("STATE"), .init("UPLOADER"), .init("REASON"),
            .init("MESSAGE"),
        ])
        for job in page {
            table.add([
                job.id.description, job.kind.rawValue, job.state.rawValue, job.uploader,
                job.reason?.code ?? "-", job.reason?.message ?? "-",
            ])
        }
        Output.line(page.count < total ? "\nThe first \(page.count):" : "")
        Output.table(table)
        return page.map(\.id)
    }

    /// - Returns: the jobs that it changed.
    private func carryOut(_ numbers: [JobID], limit: Int?, pace: Pace, asJSON: Bool) async throws -> [JobID] {
        let matching =
            numbers.isEmpty ? try await action.count(filter, store).reduce(0) { $0 + $1.jobs } : numbers.count
        let total = min(matching, limit ?? .max)
        var rest = numbers[...]
        let filtered = numbers.isEmpty ? action.pages(filter, store) : nil
        let progress =
            Terminal.isTerminal(STDERR_FILENO) && !asJSON ? ProgressLine(label: action.participle) : nil
        let interruption = Interruption()
        let actions = OperatorActions(store)
        var record = OperatorAction("\(action.rawValue) jobs", by: by, source: .commandLine)
        record.describe(filter)
        (record.why, record.matching) = (why, total)
        let number = try await actions.begin(record)
        var seen = 0
        var done: [JobID] = []
        while seen < total, !interruption.isAsked {
            let size = min(total - seen, pace.pageSize(atMost: BulkAction.pageSize))
            let page = try await filtered?(size).map(\.id) ?? Array(rest.prefix(size))
            guard !page.isEmpty else { break }
            rest = rest.dropFirst(size)
            let taken = try await action.apply(to: page, by: by, why: why, store)
            if asJSON {
                for id in taken { Output.line(JSON.object([("job_id", .integer(id.rawValue))]).line) }
            }
            seen += page.count
            done += taken
            try await actions.advance(number, done: done.count)
            progress?.update(done: done.count, total: total, note: "Ctrl-C stops")
            if seen < total { await interruption.sleep(until: pace.due(after: seen)) }
        }
        let isCutShort = interruption.isAsked && seen < total
        try await actions.end(number, done: done.count, fault: isCutShort ? "interrupted" : nil)
        progress?.finish(isCutShort ? "interrupted" : "")
        if isCutShort {
            Output.note(
                "Interrupted: \(done.count) of \(Self.jobs(total)) \(action.participle); the others are unchanged."
            )
            throw ExitCode(interruption.exitCode)
        }
        Output.note("\(Self.jobs(done.count)) \(action.participle).")
        return done
    }

    /// Says why jobs that were given by number were not changed.
    private func explain(_ missed: Set<JobID>, _ store: JobStore, _ states: [JobState]) async throws {
        var filter = JobFilter()
        filter.ids = missed.sorted()
        let found = try await store.jobs(filter, limit: missed.count)
        let known = Dictionary(
            found.map { ($0.id, $0.state.rawValue) }, uniquingKeysWith: { first, _ in first })
        Output.note(
            "Not \(action.participle), because not \(states.map(\.rawValue).joined(separator: ", ")): "
                + filter.ids.map { "\($0) is \(known[$0] ?? "unknown")" }.joined(separator: ", ") + ".")
        throw ExitCode(1)
    }

    private static func jobs(_ count: Int) -> String { count == 1 ? "1 job" : "\(count) jobs" }
}

extension BulkAction.Candidate {
    fileprivate var json: JSON {
        .object([
            ("job_id", .integer(id.rawValue)), ("kind", .string(kind.rawValue)),
            ("state", .string(state.rawValue)), ("uploader", .string(uploader)),
            ("reason", JSON.optional(reason) { .string($0.code) }),
            ("message", JSON.optional(reason) { .string($0.message) }),
        ])
    }
}
