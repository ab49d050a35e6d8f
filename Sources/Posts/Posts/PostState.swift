/// The state of a post. Raw values are those of the type `darkroom.post_state`.
package enum PostState: String, CaseIterable, Sendable {
    case published
    /// Waits for review before readers see it.
    case held
    /// Hidden by reports until a review.
    case hidden
    case removed, expired
}

extension PostState {
    init(name: String) throws {
        guard let state = Self(rawValue: name) else { throw PostError(.unknownState(name)) }
        self = state
    }
}

/// What a reporter says is wrong with a post. Raw values are those of the type `darkroom.report_reason`.
package enum ReportGround: String, CaseIterable, Sendable {
    case explicit
    /// Explicit content that shows minors.
    case minors
    case violence, harassment, spam
    case privateInformation = "private_information"
    case illegal, other

    /// Whether a person decides on every report with this reason, whatever it counts: it says that the law is broken, or
    /// somebody's rights (Regulation (EU) 2022/2065, article 16).
    package var needsPerson: Bool { self == .illegal || self == .minors || self == .privateInformation }

    /// How urgently a person should review it, from 0 to 9. The review list is ordered by this first.
    package var severity: Int {
        switch self {
        case .illegal, .minors: 9
        case .privateInformation, .explicit: 7
        case .violence: 6
        case .harassment: 5
        case .spam: 2
        case .other: 1
        }
    }
}
