package import FoundationEssentials

/// What a person decides on a post.
package enum ReviewAction: Sendable, Equatable {
    /// Held or hidden: readers may see it. Its reporters were wrong.
    case approve
    /// It is taken away, or stays so. Its reporters were right.
    case remove(RemovalGround)
    /// Removed: readers may see it again, and the removal never counted.
    case restore

    package var kind: DecisionKind {
        switch self {
        case .approve: .approve
        case .remove: .remove
        case .restore: .restore
        }
    }
}

/// What a review finds: the post as it is once it is locked.
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

    /// What becomes of the rows of a post.
    package enum Keeping: Sendable, Equatable {
        case kept
        /// They are being erased, as the uploader deleted the post or its time was over long ago.
        ///
        /// `isRemoved`: a removal stands, from before.
        case leaving(isRemoved: Bool)
    }

    package var state: PostState
    package var isAppealed: Bool
    /// Its time is over, so that readers would not see it.
    package var isOver: Bool
    package var keeping: Keeping
    package var latest: Latest?

    package init(
        state: PostState, isAppealed: Bool = false, isOver: Bool = false, keeping: Keeping = .kept,
        latest: Latest? = nil
    ) {
        self.state = state
        self.isAppealed = isAppealed
        self.isOver = isOver
        self.keeping = keeping
        self.latest = latest
    }
}

/// Why a review decided nothing.
package struct ReviewError: Error, CustomStringConvertible, Equatable {
    package enum Code: Sendable, Equatable {
        /// Another person decided meanwhile.
        case decidedMeanwhile(by: String, decision: Int64, secondsAgo: Int)
        /// The decision makes no sense for a post in that state.
        case notApplicable(PostState)
        /// It is being erased, and nothing of it comes back.
        case leaving
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
                + "and give --seen \(decision) to decide nevertheless"
        case .notApplicable(.published):
            "post \(post) is published: it can be removed, and there is nothing to approve or restore"
        case .notApplicable(.removed):
            "post \(post) is removed: it can be restored, and removed again only where its uploader has appealed"
        case .leaving:
            "post \(post) was deleted and is being erased: it cannot come back, but the photo can be uploaded again"
        case .notApplicable(let state):
            "post \(post) is \(state.rawValue): 'darkroom review show \(post)' says what may be decided"
        }
    }
}

extension ReviewCase {
    /// For so long, in seconds, another person's decision stands against one that does not say to have seen it.
    package static let conflictWindow = 300.0

    /// The state that an action leads to: where readers would see a post again whose time is over, it is expired at once.
    ///
    /// - Parameter seen: the latest decision that the reviewer knows of; nil for none in particular.
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
        return outcome
    }

    /// What a person may decide on the post as it is, no matter who has decided before.
    package var applicable: [DecisionKind] {
        [.approve, .remove, .restore].filter { outcome(of: $0) != nil }
    }

    /// The latest decision, where it still stands against one that does not say to have seen it.
    package func fresh(at now: Date) -> Latest? {
        latest.flatMap { now.timeIntervalSince($0.at) < Self.conflictWindow ? $0 : nil }
    }

    /// The state that a decision leads to; nil where it makes no sense.
    private func outcome(of decision: DecisionKind) -> PostState? {
        switch (decision, state) {
        case (.approve, .held), (.approve, .hidden): isOver ? .expired : .published
        case (.restore, .removed) where keeping == .kept: isOver ? .expired : .published
        case (.remove, .held), (.remove, .hidden), (.remove, .published): .removed
        case (.remove, .removed) where isAppealed && keeping != .leaving(isRemoved: false): .removed
        default: nil
        }
    }
}
