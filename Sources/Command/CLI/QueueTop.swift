import Arguments
import FoundationEssentials
import Glibc
import JobStore

/// `darkroom queue top`: the queue as it moves.
enum QueueTop {
    static let command = Command(
        "top", "Watch the queue: depth, rates, latencies, workers, failures.",
        discussion: """
            On a terminal the picture is redrawn until Ctrl-C; elsewhere each look is written below the one before, \
            and with --json as an object a line. Figures of ends and latencies are of the last minute.

            Rates are differences between two looks, by the database's clock: enqueued is job numbers drawn \
            (replays draw none); claimed is attempts that ended and the growth of those running; finished is jobs \
            that ended in whatever state. A look that is slow, in a long queue, makes the next one later, so that \
            looking takes at most a fifth of one connection's time.
            """,
        options: [
            .value("interval", "TIME", "between two looks, 200ms at least", default: "1s"),
            .value("count", "N", "end after so many looks"), Settings.json, Settings.database,
        ],
        examples: [
            Example("darkroom queue top", "watch it"),
            Example("darkroom queue top --interval 10s --count 6 > queue.txt", "a minute, for the record"),
        ]
    ) { arguments in
        let interval = max(try arguments.duration("interval") ?? .seconds(1), .milliseconds(200))
        let count = try arguments.int("count", in: 1...1_000_000_000) ?? .max
        let asJSON = arguments.flag("json")
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            let interruption = Interruption(wakingOn: [SIGWINCH])
            // Fails here, before the screen is taken, where the database is out of reach.
            var look = try await Look.first(store)
            let screen = asJSON || !Terminal.isTerminal(STDOUT_FILENO) ? nil : AlternateScreen()
            defer { screen?.close() }
            screen?.show(look.lines(interval: interval, width: screen?.width))
            var shown = 0
            while shown < count {
                let next = look.begun + max(interval, look.cost * 4)
                while ContinuousClock.now < next, !interruption.isAsked {
                    await interruption.sleep(until: next)
                    // Woken early, by a new size of the window.
                    screen?.show(look.lines(interval: interval, width: screen?.width))
                }
                if interruption.isAsked { return }
                do {
                    look = try await look.next(store)
                } catch {
                    guard screen != nil else { throw error }
                    look.failed(error)
                }
                shown += 1
                if let screen {
                    screen.show(look.lines(interval: interval, width: screen.width))
                } else if asJSON {
                    Output.line(look.json.line)
                } else {
                    for line in look.lines(interval: interval, width: nil) { Output.line(line) }
                    Output.line("")
                }
            }
        }
    }
}

/// The queue as seen at one moment, with the rates since the look before.
private struct Look {
    private(set) var begun: ContinuousClock.Instant
    /// How long the look took.
    private(set) var cost: Duration
    private let report: QueueReport
    private let counters: QueueCounters
    private let rates: QueueRates?
    /// Why there is no newer one.
    private var fault: String?

    static func first(_ store: JobStore) async throws -> Look { try await look(store, after: nil) }

    func next(_ store: JobStore) async throws -> Look { try await Self.look(store, after: counters) }

    private static func look(_ store: JobStore, after earlier: QueueCounters?) async throws -> Look {
        let begun = ContinuousClock.now
        let counters = try await store.counters(since: earlier)
        let stats = try await store.stats(window: .seconds(60))
        return Look(
            begun: begun, cost: .now - begun, report: QueueReport(stats: stats), counters: counters,
            rates: earlier.flatMap { QueueRates(from: $0, to: counters) })
    }

    /// Keeps what was last seen on the screen.
    mutating func failed(_ error: any Error) {
        begun = .now
        cost = .zero
        fault = "\(error)"
    }

    func lines(interval: Duration, width: Int?) -> [String] {
        let room = report.stats.workers.reduce(0) { $0 + $1.concurrency }
        func rate(_ value: Double?) -> String { value.map { "\(($0 * 10).rounded() / 10)/s" } ?? "-" }
        let pace =
            cost * 4 > interval
            ? "every \((cost * 4).short), because a look takes \(cost.fine)" : "every \(interval.short)"
        var lines = [
            "Queue at \(counters.at.shortStamp) UTC, \(pace)\(width == nil ? "" : "; Ctrl-C ends")",
            "enqueued \(rate(rates?.enqueued))   claimed \(rate(rates?.claimed))   "
                + "finished \(rate(rates?.finished))   running \(counters.running) of \(room)",
        ]
        if let fault { lines.append("NOT UP TO DATE: \(Terminal.printable(fault))") }
        return lines + [""] + report.lines(width: width)
    }

    var json: JSON {
        .object(
            [
                ("at", .string(counters.at.stamp)), ("look_s", .number(cost.seconds)),
                (
                    "rates_per_s",
                    JSON.optional(rates) {
                        .object([
                            ("enqueued", .number($0.enqueued)), ("claimed", .number($0.claimed)),
                            ("finished", .number($0.finished)),
                        ])
                    }
                ), ("running", .integer(Int64(counters.running))),
            ] + report.fields(suffix: "last_minute"))
    }
}
