import FoundationEssentials
import Posts
import TestKit
import Testing

@Suite("The moderation policy")
struct ModerationPolicyTests {
    private static let now = ModerationScenario.now
    private static let policy = ModerationScenario.policy

    @Test("decides each scenario", arguments: ModerationScenario.all)
    func scenario(_ scenario: ModerationScenario) {
        let verdict = Self.policy.verdict(on: scenario.post, at: Self.now)
        #expect(
            verdict.action == scenario.action && verdict.cause == scenario.cause, "score \(verdict.score)")
        #expect(verdict.evidence.count == scenario.post.reports.count)
        let sum = verdict.evidence.reduce(0) { $0 + $1.counted }
        #expect(abs(sum - verdict.score) < 1e-8)
    }

    @Test("is documented with these scenarios")
    func documented() throws {
        let bytes = try #require(FileManager.default.contents(atPath: Checkout.root + "/docs/moderation.md"))
        let text = String(decoding: bytes, as: UTF8.self)
        let missing = ModerationScenario.all.map(\.row).filter { !text.contains($0) }
        #expect(missing.isEmpty, "the table should have:\n\(missing.joined(separator: "\n"))")
    }

    @Test(
        "weighs a record by its smoothed share, within bounds",
        arguments: [
            (0, 0, 1.0), (2, 0, 4.0 / 3), (10, 0, 1.5), (1, 1, 1.0), (0, 2, 2.0 / 3), (0, 20, 1.0 / 6),
            (0, 1000, 0.1),
        ] as [(Int, Int, Double)])
    func record(agreed: Int, disagreed: Int, weight: Double) {
        #expect(abs(Self.policy.recordWeight(agreed: agreed, disagreed: disagreed) - weight) < 1e-12)
    }

    @Test(
        "weighs an account by its age in days",
        arguments: [(-1, 0.2), (0, 0.2), (7, 0.6), (14, 0.8), (21, 0.9), (30, 1), (3000, 1)])
    func account(days: Int, weight: Double) {
        #expect(abs(Self.policy.accountWeight(age: Double(days) * 86_400) - weight) < 1e-12)
    }

    @Test("never lets a single reporter reach the default threshold", arguments: ReportGround.allCases)
    func single(reason: ReportGround) {
        let report = FiledReport(
            reporter: "r", reason: reason, at: Self.now, accountSince: .distantPast, agreed: 1000)
        var policy = Self.policy
        policy.urgentReasons = []
        #expect(
            policy.verdict(on: ModerationCase(state: .published, reports: [report]), at: Self.now).action
                == .keep)
    }

    @Test(
        "disregards what was reported up to the moment of an approval, and nothing later",
        arguments: [(-1.0, true), (0, true), (0.001, false), (1, false)])
    func momentOfApproval(seconds: Double, isDisregarded: Bool) {
        let approval = Self.now.addingTimeInterval(-3600)
        let report = FiledReport(
            reporter: "r", reason: .spam, at: approval.addingTimeInterval(seconds),
            accountSince: .distantPast)
        let post = ModerationCase(
            state: .published, standing: .approved(at: approval), reports: [report])
        let evidence = Self.policy.verdict(on: post, at: Self.now).evidence
        #expect(evidence.map(\.disregarded) == [isDisregarded ? .beforeApproval : nil])
    }

    @Test(
        "gives a group the root of its number, up to the cap", arguments: [1, 2, 4, 6, 7, 500])
    func group(size: Int) {
        let reports = ModerationScenario.plain(size, group: 3)
        let verdict = Self.policy.verdict(
            on: ModerationCase(state: .published, reports: reports), at: Self.now)
        #expect(abs(verdict.score - min(Double(size).squareRoot(), 2.5)) < 1e-9)
    }

    @Test("does not make a strong report weaker because a group has joined it")
    func strongMember() {
        var policy = Self.policy
        policy.groupCap = 0.5
        let reports = ModerationScenario.plain(3, group: 3)
        let verdict = policy.verdict(on: ModerationCase(state: .published, reports: reports), at: Self.now)
        #expect(abs(verdict.score - 1) < 1e-9)
    }

    @Test("finds the bursts that comparing every two reports finds", arguments: 0..<40)
    func bursts(seed: Int) {
        var random = SplitMix(state: UInt64(seed))
        let count = Int.random(in: 0...120, using: &random)
        let spread = Double.random(in: 1...400, using: &random)
        var policy = Self.policy
        policy.burstWindow = .seconds(Double.random(in: 0...6000, using: &random))
        policy.cohortWindow = .seconds(Double.random(in: 0...90_000, using: &random))
        let reports = (0..<count).map { number -> FiledReport in
            // Whole minutes, so that equal times and exact distances occur.
            let minutes = Int.random(in: 0...Int(spread), using: &random)
            let age = Int.random(in: 0...(35 * 24), using: &random)
            let at = Self.now.addingTimeInterval(-60 * Double(minutes))
            return FiledReport(
                reporter: "r\(number)", reason: ReportGround.allCases.randomElement(using: &random)!, at: at,
                accountSince: at.addingTimeInterval(-3600 * Double(age)),
                agreed: Int.random(in: 0...5, using: &random),
                disagreed: Int.random(in: 0...9, using: &random),
                group: Int.random(in: 0...20, using: &random) == 0
                    ? Int.random(in: 0...2, using: &random) : nil)
        }
        let post = ModerationCase(state: .published, reports: reports)
        let found = policy.verdict(on: post, at: Self.now).evidence.map(\.group)
        #expect(found == Self.exhaustiveGroups(reports, policy))
        // Groups never raise a score, even if they join all reporters.
        let everybody = reports.map { report in
            var report = report
            report.group = 0
            return report
        }
        let alone = reports.map { report in
            var report = report
            report.group = nil
            return report
        }
        let scores = [everybody, reports, alone].map {
            policy.verdict(on: ModerationCase(state: .published, reports: $0), at: Self.now).score
        }
        #expect(scores[0] <= scores[1] && scores[1] <= scores[2])
        // The order of the reports does not matter.
        let shuffled = ModerationCase(state: .published, reports: reports.shuffled(using: &random))
        let difference =
            policy.verdict(on: shuffled, at: Self.now).score - policy.verdict(on: post, at: Self.now).score
        #expect(abs(difference) < 1e-8)
    }

    private static func exhaustiveGroups(_ reports: [FiledReport], _ policy: ModerationPolicy) -> [Int?] {
        func isYoung(_ report: FiledReport) -> Bool {
            report.at.timeIntervalSince(report.accountSince) < Double(policy.matureAge.components.seconds)
        }
        func seconds(_ duration: Duration) -> Double {
            Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        }
        func belong(_ a: FiledReport, _ b: FiledReport) -> Bool {
            if let group = a.group, group == b.group { return true }
            return isYoung(a) && isYoung(b)
                && abs(a.at.timeIntervalSince(b.at)) <= seconds(policy.burstWindow)
                && abs(a.accountSince.timeIntervalSince(b.accountSince)) <= seconds(policy.cohortWindow)
        }
        var labels = Array(reports.indices)
        var changed = true
        while changed {
            changed = false
            for a in reports.indices {
                for b in reports.indices where labels[a] < labels[b] && belong(reports[a], reports[b]) {
                    labels[b] = labels[a]
                    changed = true
                }
            }
        }
        var numbers: [Int: Int] = [:]
        return labels.map { label in
            guard labels.count(where: { $0 == label }) > 1 else { return nil }
            if numbers[label] == nil { numbers[label] = numbers.count + 1 }
            return numbers[label]
        }
    }
}

@Suite("Reporters who report the same posts together")
struct CoReportingTests {
    @Test("are a group, and others are not")
    func groups() {
        let histories: [(reporter: String, posts: [Int64])] = [
            ("a", [1, 2, 3, 4]), ("b", [3, 2, 1]), ("c", [1, 2, 3, 4, 5]),
            // Shares three posts, but of too many.
            ("d", [1, 2, 3] + Array(100...120)),
            // Shares too few.
            ("e", [1, 2]), ("f", [7, 8, 9]), ("g", [9, 8, 7]), ("h", []),
        ]
        let groups = CoReporting.groups(histories, sharedPosts: 3, sharedShare: 0.5)
        #expect(groups == ["a": 0, "b": 0, "c": 0, "f": 2, "g": 2])
    }

    @Test("are those that comparing every reporter with each leader finds", arguments: 0..<60)
    func exhaustive(seed: Int) {
        var random = SplitMix(state: UInt64(seed))
        let pool = Int64.random(in: 5...120, using: &random)
        let share = Double.random(in: 0...1, using: &random)
        let least = Int.random(in: 1...5, using: &random)
        let histories = (0..<Int.random(in: 0...80, using: &random)).map { number in
            let posts = (0..<pool).shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random))
            return (reporter: "r\(number)", posts: Array(posts))
        }
        var leaders: [Set<Int64>] = []
        var members: [[String]] = []
        for history in histories where history.posts.count >= least {
            let posts = Set(history.posts)
            let group = leaders.indices.first { leader in
                let both = leaders[leader].intersection(posts).count
                return both >= least && Double(both) >= share * Double(leaders[leader].union(posts).count)
            }
            if let group {
                members[group].append(history.reporter)
            } else {
                leaders.append(posts)
                members.append([history.reporter])
            }
        }
        var expected: [String: Int] = [:]
        for (group, reporters) in members.enumerated() where reporters.count > 1 {
            for reporter in reporters { expected[reporter] = group }
        }
        #expect(CoReporting.groups(histories, sharedPosts: least, sharedShare: share) == expected)
    }

    @Test("are found among many")
    func many() {
        let histories = (0..<2000).map { number -> (reporter: String, posts: [Int64]) in
            let first = Int64(number % 2) * 1000
            return (reporter: "r\(number)", posts: Array(first..<first + 50))
        }
        let groups = CoReporting.groups(histories, sharedPosts: 3, sharedShare: 0.5)
        #expect(groups.count == 2000 && Set(groups.values) == [0, 1])
    }
}
