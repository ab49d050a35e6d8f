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

/// What a review finds: the state of the post once it is locked.
package struct ReviewCase: Sendable, Equatable {
    /// The latest decision of a person.
    package struct Latest: Sendable, Equatable {
        package let decision: Int64
        package let reviewer: String
        package let at: Date

        package init(decision: Int64, reviewer: String, at: Date) {
            self.decision = decision
            self.reviewer = reviewer
            self.at = at
        }
    }

    /// What happens to the rows of a post.
    package enum Keeping: Sendable, Equatable {
        case kept
        /// They are being erased, because the uploader deleted the post or it expired long ago.
        ///
        /// `isRemoved`: an earlier removal stands. `isUndecided`: the erasure waits for a person's decision on the post,
        /// because a review was open when the uploader deleted it.
        case leaving(isRemoved: Bool, isUndecided: Bool = false)
    }

    package var state: PostState
    package var isAppealed: Bool
    /// Whether its time is over, so that readers could not see it.
    package var isOver: Bool
    /// Whether a stricter location policy is in force than the one under which its location was published.
    package var isLocatedTooExactly: Bool
    /// Whether the review list has it.
    package var isListed: Bool
    package var keeping: Keeping
    package var latest: Latest?

    package init(
        state: PostState, isAppealed: Bool = false, isOver: Bool = false, isLocatedTooExactly: Bool = false,
        isListed: Bool = false, keeping: Keeping = .kept, latest: Latest? = nil
    ) {
        self.state = state
        self.isAppealed = isAppealed
        self.isOver = isOver
        self.isLocatedTooExactly = isLocatedTooExactly
        self.isListed = isListed
        self.keeping = keeping
        self.latest = latest
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
    package let post: Int64

    package init(code: Code, post: Int64) {
        self.code = code
        self.post = post
    }

    package var description: String {
        switch code {
        case .decidedMeanwhile(let reviewer, let decision, let seconds):
            "post \(post) was decided by \(reviewer) \(seconds) s ago: look again with 'darkroom review show \(post)', "
                + "and pass --seen \(decision) to decide anyway"
        case .notApplicable(.published):
            "post \(post) is published, and no report waits for a decision: it can be removed, but there is nothing to "
                + "approve or restore"
        case .notApplicable(.removed):
            "post \(post) is removed: it can be restored, or removed again if its uploader has appealed"
        case .leaving:
            "post \(post) was deleted and is being erased: it cannot come back, but the photo can be uploaded again"
        case .locatedTooExactly:
            "post \(post) would show its location more exactly than the policy in force allows: run "
                + "'darkroom posts relocate --post \(post)', and decide again"
        case .notApplicable(let state):
            "post \(post) is \(state.rawValue): 'darkroom review show \(post)' lists the possible decisions"
        }
    }
}

extension ReviewCase {
    /// How long, in seconds, another person's decision blocks a decision that does not name it as seen.
    package static let conflictWindow = 300.0

    /// The state after an action. A post that would become visible after its time is over expires at once. A post that
    /// its uploader has deleted stays removed, whatever is decided.
    ///
    /// - Parameter seen: the latest decision that the reviewer has seen; nil if unknown.
    /// - Throws: ``ReviewError``.
    package func state(
        after action: ReviewAction, on post: Int64, by reviewer: String, seen: Int64?, at now: Date
    ) throws(ReviewError) -> PostState {
        if let latest, latest.reviewer != reviewer {
            let age = max(0, now.timeIntervalSince(latest.at))
            let isUnseen = seen.map { latest.decision > $0 } ?? (age < Self.conflictWindow)
            if isUnseen {
                throw ReviewError(
                    code: .decidedMeanwhile(
                        by: latest.reviewer, decision: latest.decision, secondsAgo: Int(age)), post: post)
            }
        }
        guard let outcome = outcome(of: action.kind) else {
            throw ReviewError(code: keeping == .kept ? .notApplicable(state) : .leaving, post: post)
        }
        if outcome == .published, state != .published, isLocatedTooExactly {
            throw ReviewError(code: .locatedTooExactly, post: post)
        }
        return outcome
    }

    /// Whether its uploader has deleted it, and its erasure waits for a decision.
    package var isUndecided: Bool { if case .leaving(_, isUndecided: true) = keeping { true } else { false } }

    /// What a person may decide on the post now, regardless of earlier decisions.
    package var applicable: [DecisionKind] {
        [.approve, .remove, .restore].filter { outcome(of: $0) != nil }
    }

    /// The latest decision, if it still blocks one that does not name it as seen.
    package func fresh(at now: Date) -> Latest? {
        latest.flatMap { now.timeIntervalSince($0.at) < Self.conflictWindow ? $0 : nil }
    }

    /// The state after a decision; nil if the decision does not apply.
    private func outcome(of decision: DecisionKind) -> PostState? {
        switch (decision, state) {
        case (.approve, .held), (.approve, .hidden): isOver ? .expired : .published
        // Its reports are answered, and nothing changes.
        case (.approve, .published) where isListed, (.approve, .expired) where isListed: state
        case (.remove, .expired) where isListed: .removed
        case (.restore, .removed) where keeping == .kept: isOver ? .expired : .published
        case (.remove, .held), (.remove, .hidden), (.remove, .published): .removed
        case (.approve, .removed) where isUndecided: .removed
        case (.remove, .removed) where isUndecided || isAppealed && keeping != .leaving(isRemoved: false):
            .removed
        default: nil
        }
    }
}
