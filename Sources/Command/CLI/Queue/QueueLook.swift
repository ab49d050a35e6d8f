import Arguments
import CivilCalendar
import FoundationEssentials
import JobStore

/// A snapshot of the queue, with the rates since the previous one.
struct QueueLook {
    private(set) var begun: ContinuousClock.Instant
    /// How long it took to read.
    private(set) var cost: Duration
    private let report: QueueReport
    private let counters: QueueCounters
    private let rates: QueueRates?
    /// Why the latest refresh failed.
    private var fault: String?

    static func first(_ store: JobStore) async throws -> QueueLook { try await look(store, after: nil) }

    func next(_ store: JobStore) async throws -> QueueLook { try await Self.look(store, after: counters) }

    private static func look(_ store: JobStore, after earlier: QueueCounters?) async throws -> QueueLook {
        let begun = ContinuousClock.now
        let counters = try await store.counters(since: earlier)
        let stats = try await store.stats(window: .seconds(60))
        return QueueLook(
            begun: begun, cost: .now - begun, report: QueueReport(stats: stats), counters: counters,
            rates: earlier.flatMap { QueueRates(from: $0, to: counters) })
    }

    /// Keeps the last figures on the screen.
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
            ? "every \((cost * 4).short), because a refresh takes \(cost.fine)" : "every \(interval.short)"
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
