/// A statement of reasons in the fields of the European Commission's DSA Transparency Database.
///
/// Source of the names, values and lengths: https://transparency.dsa.ec.europa.eu/page/api-documentation and the checks of
/// https://github.com/digital-services-act/transparency-database (`Statement.php`, `StatementStoreRequest.php`,
/// `EuropeanCountriesService.php`, revision 69e80a0b).
package struct TransparencyRecord: Sendable, Equatable {
    package let decisionVisibility: String
    package let decisionGround: String
    /// Whether the ground and the explanation belong into the fields of illegal content, or of incompatible content.
    package let isIllegal: Bool
    /// At most 500 characters.
    package let ground: String
    /// At most 2,000 characters.
    package let explanation: String
    package let contentTypes: [String]
    package let category: String
    /// `2026-01-31`, UTC.
    package let contentDate: String
    package let applicationDate: String
    /// At most 5,000 characters.
    package let facts: String
    package let sourceType: String
    package let automatedDetection: String
    package let automatedDecision: String
    package let puid: String

    /// The countries of the European Economic Area: a post is restricted everywhere.
    package static let territorialScope = [
        "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IS", "IT",
        "LI", "LT", "LU", "LV", "MT", "NL", "NO", "PL", "PT", "RO", "SE", "SI", "SK",
    ]

    init(
        _ decision: DecisionRecord, ground: RemovalGround, groundText: String, explanation: String,
        facts: [String], reasons: [ReportGround], isByNotice: Bool, isAutomaticallyDetected: Bool
    ) {
        isIllegal = if case .law = ground { true } else { false }
        decisionVisibility =
            decision.kind == .remove
            ? "DECISION_VISIBILITY_CONTENT_REMOVED" : "DECISION_VISIBILITY_CONTENT_DISABLED"
        decisionGround =
            isIllegal ? "DECISION_GROUND_ILLEGAL_CONTENT" : "DECISION_GROUND_INCOMPATIBLE_CONTENT"
        self.ground = groundText.shortened(to: 500)
        self.explanation = explanation.shortened(to: 2000)
        contentTypes =
            (decision.contentHasPhoto == false ? [] : ["CONTENT_TYPE_IMAGE"])
            + (decision.contentHasText == true ? ["CONTENT_TYPE_TEXT"] : [])
        category = Self.category(of: reasons, isIllegal: isIllegal)
        contentDate = (decision.contentAt ?? decision.at).day
        applicationDate = decision.at.day
        self.facts = facts.joined(separator: " ").shortened(to: 5000)
        sourceType =
            if reasons.contains(where: \.needsPerson) {
                "SOURCE_ARTICLE_16"
            } else {
                isByNotice ? "SOURCE_TYPE_OTHER_NOTIFICATION" : "SOURCE_VOLUNTARY"
            }
        automatedDetection = isAutomaticallyDetected ? "Yes" : "No"
        automatedDecision =
            decision.decider == nil ? "AUTOMATED_DECISION_FULLY" : "AUTOMATED_DECISION_NOT_AUTOMATED"
        puid = "decision-\(decision.id)"
    }

    /// By the reason that most reports give, the more severe one of two.
    private static func category(of reasons: [ReportGround], isIllegal: Bool) -> String {
        var counts: [ReportGround: Int] = [:]
        for reason in reasons { counts[reason, default: 0] += 1 }
        let main = counts.max { ($0.value, $0.key.severity) < ($1.value, $1.key.severity) }?.key
        return switch main {
        case .minors: "STATEMENT_CATEGORY_PROTECTION_OF_MINORS"
        case .violence: "STATEMENT_CATEGORY_VIOLENCE"
        case .harassment: "STATEMENT_CATEGORY_CYBER_VIOLENCE"
        case .privateInformation: "STATEMENT_CATEGORY_DATA_PROTECTION_AND_PRIVACY_VIOLATIONS"
        case .illegal: "STATEMENT_CATEGORY_NOT_SPECIFIED_NOTICE"
        case .explicit, .spam, .other, nil:
            isIllegal ? "STATEMENT_CATEGORY_NOT_SPECIFIED_NOTICE" : "STATEMENT_CATEGORY_OTHER_VIOLATION_TC"
        }
    }
}

extension String {
    fileprivate func shortened(to most: Int) -> String {
        unicodeScalars.count <= most
            ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(most - 1))) + "…"
    }
}
