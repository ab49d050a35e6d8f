import FoundationEssentials
import Posts
import TestKit
import Testing

@Suite("The presets of the policy")
struct PolicyPresetTests {
    /// Who reports: how old their accounts are, in days, and how many minutes lie between two reports.
    static let reporters: [(name: String, days: Double, minutesApart: Double)] = [
        ("first-time, one after the other", 0, 20), ("first-time, in one burst", 0, 0.05),
        ("two days old", 2, 20), ("ten days old", 10, 20), ("a year old", 365, 20),
    ]
    static let views: [Int64?] = [nil, 10, 20, 10_000, 200_000, 2_000_000]
    static let most = 100

    static func policy(_ preset: PolicyPreset) -> ModerationPolicy {
        var policy = ModerationPolicy(version: 1)
        preset.apply(to: &policy)
        return policy
    }

    /// Whether a number of reports hides a post, each the first of its reporter.
    static func hides(
        _ policy: ModerationPolicy, _ reason: ReportGround, _ count: Int, days: Double, minutesApart: Double,
        views: Int64?
    ) -> Bool {
        let now = ModerationScenario.now
        let reports = (0..<count).map { number in
            let at = now.addingTimeInterval(-60 * minutesApart * Double(count - number))
            return FiledReport(
                reporter: "r\(number)", reason: reason, at: at,
                accountSince: at.addingTimeInterval(-86_400 * days))
        }
        let post = ModerationCase(state: .published, views: views, reports: reports)
        return policy.verdict(on: post, at: now).action == .hide
    }

    /// The least number of reports for spam that hides a post; nil if a hundred do not.
    static func least(
        _ preset: PolicyPreset, days: Double, minutesApart: Double, views: Int64?
    ) -> Int? {
        (1...most).first {
            hides(policy(preset), .spam, $0, days: days, minutesApart: minutesApart, views: views)
        }
    }

    /// A row of the table in docs/moderation.md for each kind of reporter and number of views.
    static let rows = reporters.flatMap { reporter in
        views.map { views in
            let cells = PolicyPreset.allCases.map { preset in
                least(preset, days: reporter.days, minutesApart: reporter.minutesApart, views: views)
                    .map(String.init) ?? "never"
            }
            return
                "| \(reporter.name) | \(views.map(String.init) ?? "unknown") | \(cells.joined(separator: " | ")) |"
        }
    }

    static let values = PolicyParameter.all.filter { PolicyPreset.parameters.contains($0.name) }.map {
        parameter in
        let cells = PolicyPreset.allCases.map { preset -> String in
            switch parameter.value {
            case .number(let path): "\(policy(preset)[keyPath: path])"
            case .span(let path): "\(policy(preset)[keyPath: path].components.seconds / 86_400) d"
            default: "?"
            }
        }
        return "| `\(parameter.name)` | \(cells.joined(separator: " | ")) |"
    }

    @Test("hide a post by the number of reporters that the documentation says")
    func documented() throws {
        let bytes = try #require(FileManager.default.contents(atPath: Checkout.root + "/docs/moderation.md"))
        let text = String(decoding: bytes, as: UTF8.self)
        let missing = (Self.values + Self.rows).filter { !text.contains($0) }
        #expect(missing.isEmpty, "the tables should have:\n\(missing.joined(separator: "\n"))")
    }

    @Test(
        "let three who report for the first time hide a post at launch, for any reason",
        arguments: ReportGround.allCases)
    func launch(reason: ReportGround) {
        for minutes in [0, 0.05, 20] {
            for views: Int64? in [nil, 1, 3, 20, 30_000] {
                let hidden = (1...3).map {
                    Self.hides(Self.policy(.launch), reason, $0, days: 0, minutesApart: minutes, views: views)
                }
                #expect(hidden[2] && !hidden[0], "\(minutes) minutes apart, \(views ?? -1) views")
            }
        }
    }

    @Test(
        "never let one reporter hide a post, nor let more reporters hide less",
        arguments: PolicyPreset.allCases)
    func monotonous(preset: PolicyPreset) {
        let policy = Self.policy(preset)
        for reason in ReportGround.allCases {
            for reporter in Self.reporters {
                for views in (Self.views + [0, 1, 2, 50, 1_000_000]).every(4) {
                    let hidden = (1...Self.most).map {
                        Self.hides(
                            policy, reason, $0, days: reporter.days, minutesApart: reporter.minutesApart,
                            views: views)
                    }
                    #expect(!hidden[0], "\(reason), \(reporter.name), \(views ?? -1) views")
                    #expect(hidden == hidden.sorted { !$0 && $1 }, "\(reason), \(reporter.name)")
                }
            }
        }
    }

    @Test(
        "let a hundred old accounts hide any post, however many have seen it",
        arguments: PolicyPreset.allCases)
    func cap(preset: PolicyPreset) {
        for views: Int64 in [100_000, 2_000_000, 1_000_000_000] {
            #expect(
                Self.hides(Self.policy(preset), .spam, 100, days: 365, minutesApart: 20, views: views))
        }
    }

    @Test(
        "let no gang hide a post, nor keep one hidden, however many it are and have seen the post",
        arguments: PolicyPreset.allCases)
    func gang(preset: PolicyPreset) {
        let policy = Self.policy(preset)
        for views in Self.views {
            for state in [PostState.published, .hidden] {
                let post = ModerationCase(
                    state: state, views: views, reports: ModerationScenario.plain(50, group: 1))
                let verdict = policy.verdict(on: post, at: ModerationScenario.now)
                #expect(verdict.action == (state == .hidden ? .show : .keep), "\(views ?? -1) views")
            }
        }
    }

    @Test("set what they name and nothing else, and city is the default")
    func parameters() {
        for preset in PolicyPreset.allCases {
            var policy = ModerationPolicy(version: 1)
            for parameter in PolicyParameter.all {
                switch parameter.value {
                case .number(let path): policy[keyPath: path] = 0.123
                case .span(let path): policy[keyPath: path] = .seconds(123)
                default: break
                }
            }
            let before = policy
            preset.apply(to: &policy)
            for parameter in PolicyParameter.all {
                let isKept =
                    switch parameter.value {
                    case .number(let path): policy[keyPath: path] == before[keyPath: path]
                    case .span(let path): policy[keyPath: path] == before[keyPath: path]
                    default: true
                    }
                #expect(isKept == !PolicyPreset.parameters.contains(parameter.name), "\(parameter.name)")
            }
        }
        #expect(Self.policy(.city) == ModerationPolicy(version: 1))
    }
}
