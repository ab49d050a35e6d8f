package import FoundationEssentials

/// A report with what was known of its reporter when it was filed.
package struct FiledReport: Sendable, Equatable {
    package var reporter: String
    package var reason: ReportGround
    package var at: Date
    /// When the reporter's account was made, or first seen.
    package var accountSince: Date
    /// Past reports of the reporter that reviews agreed and disagreed with.
    package var agreed: Int
    package var disagreed: Int
    /// Reporters that report the same posts together have the same number; nil for who does not.
    package var group: Int?

    package init(
        reporter: String, reason: ReportGround, at: Date, accountSince: Date, agreed: Int = 0,
        disagreed: Int = 0, group: Int? = nil
    ) {
        self.reporter = reporter
        self.reason = reason
        self.at = at
        self.accountSince = accountSince
        self.agreed = agreed
        self.disagreed = disagreed
        self.group = group
    }
}

/// What a verdict is asked on: a post with its reports, one a reporter.
package struct ModerationCase: Sendable, Equatable {
    /// What people have had to do with the post.
    package enum Standing: Sendable, Equatable {
        /// Nobody has decided on it.
        case open
        /// A person approved or restored it.
        case approved(at: Date)
        /// Only a person may change its state: one took it away, or must look at it first.
        case reserved
    }

    package var state: PostState
    package var standing: Standing
    /// How often it was viewed; nil where that is not counted.
    package var views: Int64?
    package var reports: [FiledReport]

    package init(
        state: PostState, standing: Standing = .open, views: Int64? = nil, reports: [FiledReport] = []
    ) {
        self.state = state
        self.standing = standing
        self.views = views
        self.reports = reports
    }
}

/// What is to become of a post, and why.
package struct ModerationVerdict: Sendable, Equatable {
    package enum Action: String, Sendable { case keep, hide, show }

    /// Raw values are those of `darkroom.moderation_decisions.cause`.
    package enum Cause: String, Sendable {
        /// Readers go on seeing it.
        case belowThreshold = "below_threshold"
        case score
        /// A reason that cannot wait, from a reporter with a good record.
        case urgentReport = "urgent_report"
        /// The score of a hidden post is below the share of the threshold at which it comes back.
        case scoreFell = "score_fell"
        /// It stays hidden until a person has looked.
        case waitsForReview = "waits_for_review"
        /// Readers do not see it anyway.
        case notShown = "not_shown"
    }

    package let action: Action
    package let cause: Cause
    /// What the reports count together.
    package let score: Double
    /// The score at which the post is hidden.
    package let threshold: Double
    /// One for each report, in the order of the reports.
    package let evidence: [ReportWeight]
}

extension ModerationPolicy {
    /// Weighs the reports on a post, at a time.
    ///
    /// A published post is hidden where its score reaches the threshold, or by one urgent report. A hidden one comes back
    /// where its score is below `restoreShare` of the threshold, unless that is reserved for a person. All others stay.
    package func verdict(on post: ModerationCase, at now: Date) -> ModerationVerdict {
        let evidence = weigh(post, at: now)
        // To nine decimals, so that shares of a whole add up to it.
        let score = (evidence.reduce(0) { $0 + $1.counted } * 1e9).rounded() / 1e9
        let isApproved = if case .approved = post.standing { true } else { false }
        let threshold = threshold(views: post.views, isApproved: isApproved)
        // Whoever approved a post saw what is urgent about it.
        let isUrgent =
            !isApproved
            && zip(post.reports, evidence).contains { report, weight in
                weight.disregarded == nil && urgentReasons.contains(report.reason)
                    && smoothedShare(agreed: report.agreed, disagreed: report.disagreed) >= urgentRecord
            }

        let (action, cause): (ModerationVerdict.Action, ModerationVerdict.Cause) =
            switch post.state {
            case .published where isUrgent: (.hide, .urgentReport)
            case .published where score >= threshold: (.hide, .score)
            case .published: (.keep, .belowThreshold)
            case .hidden where post.standing != .reserved && !isUrgent && score < threshold * restoreShare:
                (.show, .scoreFell)
            case .hidden: (.keep, .waitsForReview)
            case .held, .removed, .expired: (.keep, .notShown)
            }
        return ModerationVerdict(
            action: action, cause: cause, score: score, threshold: threshold, evidence: evidence)
    }
}
