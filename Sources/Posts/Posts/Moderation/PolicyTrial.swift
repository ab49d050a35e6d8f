package import FoundationEssentials

/// Replays what a policy would have done with a post, report by report.
package enum PolicyTrial {
    /// A past decision of a person.
    package enum Ruling: Sendable, Equatable { case approved, removed }

    /// A reported post with its history.
    package struct Subject: Sendable {
        package let post: Int64
        package let views: Int64?
        /// Oldest first.
        package var reports: [FiledReport]
        /// Oldest first.
        package let rulings: [(at: Date, ruling: Ruling)]

        package init(
            post: Int64, views: Int64?, reports: [FiledReport], rulings: [(at: Date, ruling: Ruling)]
        ) {
            self.post = post
            self.views = views
            self.reports = reports
            self.rulings = rulings
        }
    }

    /// When a policy would first have hidden a post, and why.
    package struct Hiding: Sendable, Equatable {
        package let at: Date
        package let cause: ModerationVerdict.Cause
        package let reports: Int
        package let score: Double
        package let threshold: Double
    }

    /// The most verdicts on one post. With more reports, only every second, third and so on gets a verdict.
    package static let mostVerdicts = 400

    /// When `policy` would first have hidden the post at or after `since` if it had always been in force.
    ///
    /// The post is moderated after each report, with its current views. It counts as published until then. Approvals by
    /// people take effect at their time, and after a removal nothing more happens.
    package static func hiding(of subject: Subject, by policy: ModerationPolicy, since: Date) -> Hiding? {
        let step = max(1, (subject.reports.count + mostVerdicts - 1) / mostVerdicts)
        for last in subject.reports.indices where subject.reports[last].at >= since {
            guard (last + 1) % step == 0 || last == subject.reports.indices.last else { continue }
            let now = subject.reports[last].at
            let past = subject.rulings.last { $0.at < now }
            if past?.ruling == .removed { return nil }
            let post = ModerationCase(
                state: .published, standing: past.map { .approved(at: $0.at) } ?? .open, views: subject.views,
                reports: Array(subject.reports[...last]))
            let verdict = policy.verdict(on: post, at: now)
            if verdict.action == .hide {
                return Hiding(
                    at: now, cause: verdict.cause, reports: last + 1, score: verdict.score,
                    threshold: verdict.threshold)
            }
        }
        return nil
    }
}

/// The results of a trial so far.
package struct PolicyTrialResult: Sendable, Equatable {
    package struct Example: Sendable, Equatable {
        package let post: Int64
        package let hiding: PolicyTrial.Hiding
        /// The last decision of a person on the post.
        package let ruling: PolicyTrial.Ruling?
    }

    /// Posts that one policy would have hidden but not the other.
    package struct Difference: Sendable, Equatable {
        package private(set) var count = 0
        /// How many of these posts people approved or removed in the end.
        package private(set) var approved = 0
        package private(set) var removed = 0
        /// The first few.
        package private(set) var examples: [Example] = []

        fileprivate mutating func add(_ example: Example, most: Int) {
            count += 1
            if example.ruling == .approved { approved += 1 }
            if example.ruling == .removed { removed += 1 }
            if examples.count < most { examples.append(example) }
        }
    }

    /// Posts with a report in the period examined.
    package private(set) var posts = 0
    package private(set) var reports = 0
    package private(set) var hiddenByBoth = 0
    package private(set) var onlyByCandidate = Difference()
    package private(set) var onlyByInForce = Difference()
    private let mostExamples: Int

    package init(mostExamples: Int = 10) {
        self.mostExamples = mostExamples
    }

    /// Adds what both policies would have done with a post.
    package mutating func add(
        _ subject: PolicyTrial.Subject, byCandidate new: PolicyTrial.Hiding?,
        byInForce old: PolicyTrial.Hiding?,
        since: Date
    ) {
        posts += 1
        reports += subject.reports.count { $0.at >= since }
        func example(_ hiding: PolicyTrial.Hiding) -> Example {
            Example(post: subject.post, hiding: hiding, ruling: subject.rulings.last?.ruling)
        }
        switch (new, old) {
        case (_?, _?): hiddenByBoth += 1
        case (let new?, nil): onlyByCandidate.add(example(new), most: mostExamples)
        case (nil, let old?): onlyByInForce.add(example(old), most: mostExamples)
        case (nil, nil): break
        }
    }
}
