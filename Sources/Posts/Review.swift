package import FoundationEssentials

/// What a person decides on a post.
package enum ReviewAction: Sendable, Equatable {
    /// Held or hidden: readers may see it. Its reporters were wrong.
    case approve
    /// It is taken away, or stays so. Its reporters were right.
    case remove(RemovalGround)
    /// Removed: readers may see it again, and the removal never counted.
    case restore

    var kind: DecisionKind {
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

    package var state: PostState
    package var isAppealed: Bool
    package var latest: Latest?

    package init(state: PostState, isAppealed: Bool = false, latest: Latest? = nil) {
        self.state = state
        self.isAppealed = isAppealed
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
        case .notApplicable(let state):
            "post \(post) is \(state.rawValue): 'darkroom review show \(post)' says what may be decided"
        }
    }
}

extension ReviewCase {
    /// For so long, in seconds, another person's decision stands against one that does not say to have seen it.
    package static let conflictWindow = 300.0

    /// The state that an action leads to.
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
        switch (action, state) {
        case (.approve, .held), (.approve, .hidden), (.restore, .removed): return .published
        case (.remove, .held), (.remove, .hidden), (.remove, .published): return .removed
        case (.remove, .removed) where isAppealed: return .removed
        default: throw ReviewError(code: .notApplicable(state), post: post)
        }
    }
}
