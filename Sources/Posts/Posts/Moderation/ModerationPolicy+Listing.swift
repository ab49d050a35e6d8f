/// How a post stands in the review list because of its reports.
package struct ReviewListing: Sendable, Equatable {
    /// From 0 to 9, see ``ReportGround/severity``.
    package var severity: Int
    package var score: Double
    /// The value of `darkroom.reviews.cause`; nil if the post keeps its place in the list, with the cause that it has.
    package var cause: String?
    /// Whether the post waits for a person: it cannot be deleted without a decision, nor leave the list without one.
    package var isBinding: Bool
}

extension ModerationPolicy {
    /// How a post stands in the review list after a verdict; nil if its reports do not list it.
    ///
    /// Every report that no review has judged lists its post: a hidden post with the verdict's cause, all others as
    /// `reported`. Reports that are older than `reportLifetime` no longer do, unless they need a person. Posts that readers
    /// no longer see are only listed if a person is needed.
    ///
    /// - Parameter state: the state of the post after the verdict.
    package func listing(
        of post: ModerationCase, after verdict: ModerationVerdict, in state: PostState
    ) -> ReviewListing? {
        let pending = zip(post.reports, verdict.evidence).filter { report, weight in
            !report.isJudged && (weight.disregarded == nil || report.reason.needsPerson)
        }
        let severity = pending.map(\.0.urgency).max() ?? 0
        func listing(_ cause: String?, isBinding: Bool) -> ReviewListing {
            ReviewListing(severity: severity, score: verdict.score, cause: cause, isBinding: isBinding)
        }
        if verdict.action == .hide { return listing(verdict.cause.rawValue, isBinding: true) }
        if verdict.cause == .waitsForReview || state == .held { return listing(nil, isBinding: true) }
        let isBinding = pending.contains { $0.0.reason.needsPerson }
        guard isBinding || state == .published && !pending.isEmpty else { return nil }
        return listing(ReviewListing.reported, isBinding: isBinding)
    }

    /// The report as it counts now: with the worse of the reporter's records then and now.
    package func weakened(_ report: FiledReport) -> FiledReport {
        var report = report
        if let now = report.recordNow,
            smoothedShare(agreed: now.agreed, disagreed: now.disagreed)
                < smoothedShare(agreed: report.agreed, disagreed: report.disagreed)
        {
            (report.agreed, report.disagreed) = (now.agreed, now.disagreed)
        }
        return report
    }
}

extension FiledReport {
    /// The severity of its reason, from 0 to 9, less one for each time that the reporter's undecided reports exceed 10, 20,
    /// 40 and so on. So somebody who reports everything does not come before others, but no report is left out.
    package var urgency: Int {
        var urgency = reason.severity
        var most = 10
        while undecided > most, urgency > 1 {
            urgency -= 1
            most *= 2
        }
        return urgency
    }
}

extension ReviewListing {
    static let reported = "reported"
}
