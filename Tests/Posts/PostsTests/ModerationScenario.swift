import FoundationEssentials
import Posts

/// A post with its reports, and what the default policy decides.
struct ModerationScenario: Sendable, CustomStringConvertible {
    let name: String
    let post: ModerationCase
    let action: ModerationVerdict.Action
    let cause: ModerationVerdict.Cause

    var description: String { name }

    static let now = Date(timeIntervalSince1970: 1_780_000_000)
    static let policy = ModerationPolicy(version: 1)

    private init(
        _ name: String, state: PostState = .published, standing: ModerationCase.Standing = .open,
        views: Int64? = nil, _ reports: [[FiledReport]], _ action: ModerationVerdict.Action,
        _ cause: ModerationVerdict.Cause
    ) {
        self.name = name
        self.action = action
        self.cause = cause
        // One report per reporter: each gets its own name.
        let all = reports.flatMap(\.self).enumerated().map { number, report in
            var report = report
            report.reporter = "r\(number)"
            return report
        }
        post = ModerationCase(state: state, standing: standing, views: views, reports: all)
    }

    static func hours(_ count: Double) -> Date { now.addingTimeInterval(-3600 * count) }

    /// Reports an hour apart by accounts that are a year old and unjudged; the last report is an hour old.
    static func plain(
        _ count: Int, _ reason: ReportGround = .spam, agreed: Int = 0, disagreed: Int = 0, group: Int? = nil,
        until: Double = 1
    ) -> [FiledReport] {
        (0..<count).map { number in
            FiledReport(
                reporter: "", reason: reason, at: hours(until + Double(number)), accountSince: hours(8760),
                agreed: agreed, disagreed: disagreed, group: group)
        }
    }

    /// Reporters with ten reports with which reviews agreed.
    static func good(_ count: Int, _ reason: ReportGround = .spam, until: Double = 1) -> [FiledReport] {
        plain(count, reason, agreed: 10, until: until)
    }

    /// Accounts created when they report, spread evenly over some minutes that end an hour ago.
    static func new(_ count: Int, overMinutes minutes: Double, group: Int? = nil) -> [FiledReport] {
        (0..<count).map { number in
            let at = hours(1 + minutes / 60 * Double(number) / Double(count))
            return FiledReport(reporter: "", reason: .spam, at: at, accountSince: at, group: group)
        }
    }

    static let all: [ModerationScenario] = [
        .init("nobody reported it", [], .keep, .belowThreshold),
        .init("four ordinary reporters", [plain(4)], .keep, .belowThreshold),
        .init("five ordinary reporters", [plain(5)], .hide, .score),
        .init("five ordinary reporters, 100,000 views", views: 100_000, [plain(5)], .keep, .belowThreshold),
        .init("eleven ordinary reporters, 100,000 views", views: 100_000, [plain(11)], .hide, .score),
        .init("nine who give no good reason", [plain(9, .other)], .keep, .belowThreshold),
        .init("twenty reporters who were always wrong", [plain(20, disagreed: 20)], .keep, .belowThreshold),
        .init(
            "twelve independent reporters with a good record, 50,000 views", views: 50_000, [good(12)], .hide,
            .score),
        .init(
            "a brigade: 200 new accounts in ten minutes, 50,000 views", views: 50_000,
            [new(200, overMinutes: 10)], .keep, .belowThreshold),
        .init(
            "the same brigade, hardly a view", views: 3, [new(200, overMinutes: 10)], .keep, .belowThreshold),
        .init(
            "the same brigade and three ordinary reporters", [new(200, overMinutes: 10), plain(3)], .hide,
            .score),
        .init(
            "200 new accounts, one every quarter of an hour", [new(200, overMinutes: 3000)], .hide, .score),
        .init(
            "the same accounts, which report the same posts elsewhere too",
            [new(200, overMinutes: 3000, group: 7)], .keep, .belowThreshold),
        .init("fifty old accounts that report the same posts", [plain(50, group: 7)], .keep, .belowThreshold),
        .init(
            "two such groups", [plain(50, group: 7), plain(50, group: 8)], .hide, .score),
        .init("ten new accounts, an hour apart", [new(10, overMinutes: 600)], .keep, .belowThreshold),
        .init("one says illegal, with a good record", [good(1, .illegal)], .hide, .urgentReport),
        .init(
            "one says private information, with a good record, a million views", views: 1_000_000,
            [good(1, .privateInformation)], .hide, .urgentReport),
        .init("one says illegal, whom nobody has judged", [plain(1, .illegal)], .keep, .belowThreshold),
        .init("one says illegal, right three times", [plain(1, .illegal, agreed: 3)], .keep, .belowThreshold),
        .init("one says violence, with a good record", [good(1, .violence)], .keep, .belowThreshold),
        .init(
            "approved, then five ordinary reporters", standing: .approved(at: hours(100)), [plain(5)], .keep,
            .belowThreshold),
        .init(
            "approved, then fifteen ordinary reporters", standing: .approved(at: hours(100)), [plain(15)],
            .hide,
            .score),
        .init(
            "approved after twelve good reporters", standing: .approved(at: hours(100)),
            [good(12, until: 101)],
            .keep, .belowThreshold),
        .init(
            "approved, then one says illegal, with a good record", standing: .approved(at: hours(100)),
            [good(1, .illegal)], .keep, .belowThreshold),
        .init("hidden, three ordinary reporters left", state: .hidden, [plain(3)], .keep, .waitsForReview),
        .init("hidden, two ordinary reporters left", state: .hidden, [plain(2)], .show, .scoreFell),
        .init(
            "hidden, five reports that have expired", state: .hidden, [plain(5, until: 24 * 181)], .show,
            .scoreFell),
        .init(
            "hidden by a person, nobody reported it", state: .hidden, standing: .reserved, [], .keep,
            .waitsForReview),
        .init(
            "hidden, one says illegal, with a good record", state: .hidden, [good(1, .illegal)], .keep,
            .waitsForReview),
        .init(
            "hidden, one says private information, with a good record, a million views", state: .hidden,
            views: 1_000_000, [good(1, .privateInformation)], .keep, .waitsForReview),
        .init("removed, twelve good reporters", state: .removed, [good(12)], .keep, .notShown),
        .init("held, twelve good reporters", state: .held, [good(12)], .keep, .notShown),
    ]

    /// A row of the table in docs/moderation.md.
    var row: String {
        let verdict = Self.policy.verdict(on: post, at: Self.now)
        return "| \(name) | \(tenths(verdict.score)) of \(tenths(verdict.threshold)) "
            + "| \(verdict.action.rawValue) | `\(verdict.cause.rawValue)` |"
    }

    private func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
