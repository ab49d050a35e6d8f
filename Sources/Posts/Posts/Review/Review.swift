package import FoundationEssentials

/// A person's decision on a post.
package enum ReviewAction: Sendable, Equatable {
    /// A held or hidden post becomes visible, unless its uploader has deleted it; a reported one stays so. Its reporters
    /// were wrong.
    case approve
    /// The post is removed or stays removed. Its reporters were right.
    case remove(RemovalGround)
    /// A removed post becomes visible again. The removal no longer counts.
    case restore

    package var kind: DecisionKind {
        switch self {
        case .approve: .approve
        case .remove: .remove
        case .restore: .restore
        }
    }
}

/// What a review of a post finds now. The rules are those of `darkroom.review_outcome`.
package struct ReviewCase: Sendable, Equatable {
    /// The latest decision of a person.
    package struct Latest: Sendable, Equatable {
        package let decision: Int64
        package let reviewer: String
        package let at: Date
    }

    /// What a person may decide on the post now, regardless of earlier decisions.
    package let applicable: [DecisionKind]
    /// Whether a stricter location policy is in force than the one under which its location was published.
    package let isLocatedTooExactly: Bool
    /// Whether its uploader has deleted it, and its erasure waits for a decision.
    package let isUndecided: Bool
    package let latest: Latest?

    /// How long, in seconds, another person's decision blocks a decision that does not name it as seen.
    private static let conflictWindow = 300.0

    /// The latest decision, if it still blocks one that does not name it as seen.
    package func fresh(at now: Date) -> Latest? {
        latest.flatMap { now.timeIntervalSince($0.at) < Self.conflictWindow ? $0 : nil }
    }
}

/// Why a review was refused.
package struct ReviewError: Error, CustomStringConvertible, Equatable {
    package enum Code: Sendable, Equatable {
        /// Another person decided in the meantime.
        case decidedMeanwhile(by: String, decision: Int64, secondsAgo: Int)
        /// The decision does not apply to a post in this state.
        case notApplicable(PostState)
        /// The post is being erased and cannot come back.
        case leaving
        /// A stricter location policy came since its location was published.
        case locatedTooExactly
    }

    package let code: Code
    package let kind: ModeratedKind
    package let id: Int64

    package init(code: Code, _ kind: ModeratedKind = .post, _ id: Int64) {
        self.code = code
        self.kind = kind
        self.id = id
    }

    private var what: String { "\(kind.rawValue) \(id)" }
    private var show: String { "darkroom review \(kind == .post ? "" : "comments ")show \(id)" }

    package var description: String {
        switch code {
        case .decidedMeanwhile(let reviewer, let decision, let seconds):
            "\(what) was decided by \(reviewer) \(seconds) s ago: look again with '\(show)', "
                + "and pass --seen \(decision) to decide anyway"
        case .notApplicable(.published):
            "\(what) is published, and no report waits for a decision: it can be removed, but there is nothing to "
                + "approve or restore"
        case .notApplicable(.removed):
            "\(what) is removed: it can be restored, or removed again if its \(kind == .post ? "uploader" : "author") has appealed"
        case .leaving:
            kind == .post
                ? "\(what) was deleted and is being erased: it cannot come back, but the photo can be uploaded again"
                : "\(what) was deleted and cannot come back"
        case .locatedTooExactly:
            "\(what) would show its location more exactly than the policy in force allows: run "
                + "'darkroom posts relocate --post \(id)', and decide again"
        case .notApplicable(let state):
            "\(what) is \(state.rawValue): '\(show)' lists the possible decisions"
        }
    }
}
