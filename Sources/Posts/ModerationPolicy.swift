/// States of a post. Raw values are those of the type `darkroom.post_state`.
package enum PostState: String, CaseIterable, Sendable {
    case published
    /// Waits for review before it has been seen.
    case held
    /// Taken out of sight by reports, until a review.
    case hidden
    case removed, expired
}

/// When reports hide a post: the rule, without its effects.
package struct ModerationPolicy: Sendable, Equatable {
    package let version: Int
    /// Distinct reporters at which a published post is hidden; at least 1.
    package let hideThreshold: Int

    package init(version: Int, hideThreshold: Int) {
        self.version = version
        self.hideThreshold = hideThreshold
    }

    package enum Verdict: String, Sendable, Equatable { case keep, hide }

    /// Only a published post can be hidden: one that is hidden waits for a person, and one that is
    /// gone stays gone.
    package func verdict(state: PostState, distinctReporters: Int) -> Verdict {
        state == .published && distinctReporters >= hideThreshold ? .hide : .keep
    }
}
