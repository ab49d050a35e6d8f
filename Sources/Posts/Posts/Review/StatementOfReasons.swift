package import FoundationEssentials
import PlainText

/// What an uploader is told about a decision against a post.
///
/// It has the parts that Article 17(3) of Regulation (EU) 2022/2065 (Digital Services Act) requires: the restriction
/// with its scope and duration (a), the facts and circumstances and whether notices led to the decision (b), the use
/// of automated means (c), the legal or contractual ground with an explanation (d, e), and the means of redress (f).
package struct StatementOfReasons: Sendable, Equatable {
    package let decision: Int64
    package let subject: ModerationSubject
    package let at: Date
    package let restriction: String
    package let scope: String
    package let duration: String
    package let facts: [String]
    /// Whether notices (reports) led to the decision. If not, it was taken on the operator's own initiative.
    package let isByNotice: Bool
    package let isAutomaticallyDetected: Bool
    package let isAutomaticallyDecided: Bool
    package let ground: RemovalGround
    package let groundText: String
    package let explanation: String
    package let redress: String
    package let record: TransparencyRecord

    /// - Parameters:
    ///   - screening: the decision by which a screening has held or hidden the post before this one, unless a person has shown
    ///     it since.
    ///   - approvedAt: when a person last approved the post before this decision.
    ///   - evidence: the reports that led to the decision.
    /// - Returns: nil for a decision that restricts nothing, such as an approval.
    package init?(
        _ decision: DecisionRecord, screening: DecisionRecord? = nil, approvedAt: Date? = nil,
        evidence: [EvidenceRecord], policy: ModerationPolicy
    ) {
        let what = decision.subject.what
        switch decision.kind {
        case .keep, .show, .approve, .restore: return nil
        // Its uploader had deleted the post.
        case .hide where decision.from == .removed: return nil
        case .hide:
            restriction = "The \(what) was hidden. Only you can see it."
            duration =
                decision.cause == ModerationVerdict.Cause.score.rawValue
                ? "Until a person has reviewed it or the reports on it count for less."
                : "Until a person has reviewed it."
        case .hold:
            restriction = "The \(what) was held before publication. Only you can see it."
            duration = "Until a person has reviewed it."
        case .remove:
            restriction = "The \(what) was removed."
            duration = "Permanently, unless an appeal succeeds."
        }
        self.decision = decision.id
        subject = decision.subject
        at = decision.at
        scope = "Everywhere the service is offered."
        let screening = decision.isScreening ? decision : screening
        isByNotice = decision.reports > 0 && !decision.isScreening
        isAutomaticallyDecided = decision.decider == nil
        isAutomaticallyDetected = screening != nil
        let urgent = decision.cause == "urgent_report" ? policy.urgentReasons(in: evidence) : []
        // Nobody has judged yet whether the report is right, so the ground is what it says.
        let illegal = urgent.filter(\.needsPerson).map(\.contentText)
        ground =
            decision.ground
            ?? (illegal.isEmpty
                ? .terms(nil) : .law("\(policy.law) (reported as \(illegal.joined(separator: ", ")))"))
        groundText = ground.reference ?? policy.terms
        facts = Self.facts(decision, screening, isByNotice: isByNotice, evidence, urgent)
        explanation =
            decision.note
            ?? (isAutomaticallyDecided
                ? Self.automaticExplanation(what, approvedAt: approvedAt)
                : "A reviewer looked at the \(what) and found that it violates the ground named here.")
        redress = policy.redress
        record = TransparencyRecord(
            decision, ground: ground, groundText: groundText, explanation: explanation, facts: facts,
            reasons: evidence.compactMap { ReportGround(rawValue: $0.reason) },
            isByNotice: isByNotice, isAutomaticallyDetected: isAutomaticallyDetected)
    }

    private static func automaticExplanation(_ what: String, approvedAt: Date?) -> String {
        guard let approvedAt else {
            return
                "The rules were applied to these facts automatically. No person has reviewed the \(what) yet."
        }
        return
            "A person approved the \(what) on \(approvedAt.day). The rules were applied automatically to the reports that came "
            + "since then, and no person has looked at these yet."
    }

    private static func facts(
        _ decision: DecisionRecord, _ screening: DecisionRecord?, isByNotice: Bool,
        _ evidence: [EvidenceRecord],
        _ urgent: [ReportGround]
    ) -> [String] {
        var facts: [String] = []
        var reasons: [String: Int] = [:]
        for report in evidence { reasons[report.reason, default: 0] += 1 }
        if isByNotice {
            let named = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                "\($0.key) (\($0.value))"
            }
            facts.append(
                "\(decision.reports) \(decision.reports == 1 ? "reader" : "readers") reported the \(decision.subject.what)"
                    + (named.isEmpty ? "." : ", for these reasons: \(named.joined(separator: ", "))."))
        }
        if let score = decision.score, let threshold = decision.threshold, decision.kind == .hide {
            facts.append(
                decision.cause == "urgent_report"
                    ? "One of them gave an urgent reason (\(urgent.map(\.rawValue).joined(separator: ", "))), and has reported "
                        + "accurately before."
                    : "Weighted by each reporter's record, the reports add up to \(score.fixed(places: 2)). "
                        + "\(decision.subject.what.capitalized)s are hidden at \(threshold.fixed(places: 2)) or more."
            )
        }
        if let similar = screening?.similar {
            facts.append(
                "The photo resembles that of post \(similar.post), which was removed or hidden. Their fingerprints differ "
                    + "in \(similar.distance) of 64 bits.")
        }
        if screening?.listed != nil {
            facts.append(
                "The photo matches one on a list of known photos that this service compares uploads with.")
        }
        if let screening, let removals = screening.uploaderRemovals {
            let act = decision.subject.comment > 0 ? "wrote" : screening.kind == .hold ? "uploaded" : "edited"
            facts.append("\(removals) of your posts had recently been removed when you \(act) this one.")
        }
        if decision.appeal != nil {
            facts.append("Your appeal was considered but did not change the decision.")
        }
        if facts.isEmpty { facts.append("A reviewer found the \(decision.subject.what).") }
        return facts
    }
}

extension ModerationPolicy {
    /// The reasons of those reports that hide a post alone, each once.
    func urgentReasons(in evidence: [EvidenceRecord]) -> [ReportGround] {
        let urgent = evidence.filter {
            $0.disregarded == nil
                && smoothedShare(agreed: $0.agreed, disagreed: $0.disagreed) >= urgentRecord
        }.map(\.reason)
        return urgentReasons.filter { urgent.contains($0.rawValue) }
    }
}

extension ReportGround {
    /// `reported as …`
    fileprivate var contentText: String {
        switch self {
        case .illegal: "illegal content"
        case .minors: "explicit content that shows minors"
        case .privateInformation: "private information"
        default: rawValue
        }
    }
}

extension Date {
    /// The day in UTC: `2026-01-31`.
    var day: String { String(formatted(.iso8601).prefix(10)) }
}
