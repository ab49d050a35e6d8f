package import FoundationEssentials

/// A report and what was known about its reporter when it was filed.
package struct FiledReport: Sendable, Equatable {
    package var reporter: String
    package var reason: ReportGround
    package var at: Date
    /// When the reporter's account was created or first seen.
    package var accountSince: Date
    /// Past reports of this reporter with which reviews agreed or disagreed.
    package var agreed: Int
    package var disagreed: Int
    /// The same number for reporters who report the same posts together; nil for all others.
    package var group: Int?
    /// Whether a review has judged it.
    package var isJudged = false
    /// The same counts as `agreed` and `disagreed`, but of now; nil if nothing is known of the reporter any more.
    package var recordNow: ReporterRecord?
    /// How many reports of this reporter no review has judged, this one included; counted to 1,000.
    package var undecided = 1

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

/// How many reports of a reporter reviews agreed and disagreed with.
package struct ReporterRecord: Sendable, Equatable {
    package var agreed: Int
    package var disagreed: Int

    package init(agreed: Int, disagreed: Int) {
        self.agreed = agreed
        self.disagreed = disagreed
    }
}

/// The input of a verdict: a post and its reports, one per reporter.
package struct ModerationCase: Sendable, Equatable {
    /// What people have decided about the post.
    package enum Standing: Sendable, Equatable {
        /// No person has decided.
        case open
        /// A person approved or restored it.
        case approved(at: Date)
        /// Only a person may change its state, because a person removed it or must review it first.
        case reserved
    }

    package var state: PostState
    package var standing: Standing
    /// How often it was viewed; nil if views are not counted.
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

/// What happens to a post, and why.
package struct ModerationVerdict: Sendable, Equatable {
    package enum Action: String, Sendable { case keep, hide, show }

    /// Raw values are those of `darkroom.moderation_decisions.cause`.
    package enum Cause: String, Sendable {
        /// It stays visible to readers.
        case belowThreshold = "below_threshold"
        case score
        /// An urgent reason from a reporter with a good record.
        case urgentReport = "urgent_report"
        /// The score of a hidden post has fallen to the share of the threshold at which it is shown again.
        case scoreFell = "score_fell"
        /// It stays hidden until a person has reviewed it.
        case waitsForReview = "waits_for_review"
        /// Readers cannot see it anyway.
        case notShown = "not_shown"
    }

    package let action: Action
    package let cause: Cause
    /// The total weight of the reports.
    package let score: Double
    /// The score at which the post is hidden.
    package let threshold: Double
    /// One for each report, in the order of the reports.
    package let evidence: [ReportWeight]
}

extension ModerationPolicy {
    /// Weighs the reports on a post at a given time.
    ///
    /// A published post is hidden if its score reaches the threshold or if one report is urgent. A hidden post is shown
    /// again if its score is at most `restoreShare` of the threshold, and of `hideThreshold`, unless only a person may do
    /// that. All others stay.
    package func verdict(on post: ModerationCase, at now: Date) -> ModerationVerdict {
        let evidence = weigh(post, at: now)
        // Rounded to nine decimals, so that shares add up to the whole.
        let score = (evidence.reduce(0) { $0 + $1.counted } * 1e9).rounded() / 1e9
        let isApproved = if case .approved = post.standing { true } else { false }
        let threshold = threshold(views: post.views, isApproved: isApproved)
        // That few have seen the post makes it easier to hide, but no harder to show again: a group that counts `groupCap`
        // keeps nothing hidden.
        let ordinary = max(threshold, self.threshold(views: nil, isApproved: isApproved))
        let isLow = score < threshold && score <= ordinary * restoreShare
        // The person who approved a post has seen what the urgent reports are about.
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
            case .hidden where post.standing != .reserved && !isUrgent && isLow:
                (.show, .scoreFell)
            case .hidden: (.keep, .waitsForReview)
            case .held, .removed, .expired: (.keep, .notShown)
            }
        return ModerationVerdict(
            action: action, cause: cause, score: score, threshold: threshold, evidence: evidence)
    }
}
