package import FoundationEssentials
import PlainText

/// What an uploader is told of a decision against a post.
///
/// Its parts are those that Article 17(3) of Regulation (EU) 2022/2065 (Digital Services Act) asks for: the restriction
/// with its scope and duration (a), the facts and circumstances and whether notices led to them (b), the use of
/// automated means (c), the legal or contractual ground with its explanation (d, e), and the possibilities of redress (f).
package struct StatementOfReasons: Sendable, Equatable {
    package let decision: Int64
    package let post: Int64
    package let at: Date
    package let restriction: String
    package let scope: String
    package let duration: String
    package let facts: [String]
    /// Whether notices (reports) led to the decision; else it was taken on own initiative.
    package let isByNotice: Bool
    package let isAutomaticallyDetected: Bool
    package let isAutomaticallyDecided: Bool
    package let ground: RemovalGround
    package let groundText: String
    package let explanation: String
    package let redress: String

    /// - Parameters:
    ///   - hold: the decision that held the post back before anybody had seen it, if one did and nobody has shown the
    ///     post since.
    ///   - reasons: how many reports gave each reason.
    /// - Returns: nil for a decision that restricts nothing, such as an approval.
    package init?(
        _ decision: DecisionRecord, hold: DecisionRecord? = nil, reasons: [String: Int],
        policy: ModerationPolicy
    ) {
        switch decision.kind {
        case .keep, .show, .approve, .restore: return nil
        case .hide:
            restriction = "The post was hidden: nobody but you can see it."
            duration = "Until a person has reviewed it, or the reports on it count less."
        case .hold:
            restriction = "The post was held back: nobody but you can see it."
            duration = "Until a person has reviewed it."
        case .remove:
            restriction = "The post was removed."
            duration = "For good, unless an appeal succeeds."
        }
        self.decision = decision.id
        post = decision.post
        at = decision.at
        scope = "Wherever the service is offered."
        isByNotice = decision.reports > 0
        isAutomaticallyDecided = decision.decider == nil
        isAutomaticallyDetected = hold != nil || decision.kind == .hold
        ground = decision.ground ?? .terms(nil)
        groundText = ground.reference ?? policy.terms
        facts = Self.facts(decision, hold ?? decision, reasons)
        explanation =
            decision.note
            ?? (isAutomaticallyDecided
                ? "The rules applied to these facts as they are; a person has not looked at the post yet."
                : "A reviewer looked at the post and found it to be against what is named as the ground.")
        redress = policy.redress
    }

    private static func facts(
        _ decision: DecisionRecord, _ hold: DecisionRecord, _ reasons: [String: Int]
    ) -> [String] {
        var facts: [String] = []
        if decision.reports > 0 {
            let named = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                "\($0.key) (\($0.value))"
            }
            facts.append(
                "\(decision.reports) \(decision.reports == 1 ? "reader" : "readers") reported the post"
                    + (named.isEmpty ? "." : ", for these reasons: \(named.joined(separator: ", "))."))
        }
        if let score = decision.score, let threshold = decision.threshold, decision.kind == .hide {
            facts.append(
                decision.cause == "urgent_report"
                    ? "One of them gave a reason that cannot wait, and was right before."
                    : "Weighed by the record of who reported, they count \(score.fixed(places: 2)); "
                        + "posts are hidden from \(threshold.fixed(places: 2)) on.")
        }
        if let similar = hold.similar {
            facts.append(
                "The photo resembles that of post \(similar.post), which was removed: their fingerprints differ in "
                    + "\(similar.distance) of 64 bits.")
        }
        if let removals = hold.uploaderRemovals {
            facts.append("\(removals) of your posts had been removed lately when you uploaded this one.")
        }
        if decision.appeal != nil {
            facts.append("Your appeal was considered, and did not change the decision.")
        }
        if facts.isEmpty { facts.append("A reviewer came upon the post.") }
        return facts
    }
}
