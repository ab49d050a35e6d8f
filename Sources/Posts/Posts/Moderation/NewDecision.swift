/// What is decided on a post. Raw values are those of `darkroom.moderation_decisions.decision`.
package enum DecisionKind: String, Sendable {
    /// A rule's: the post stays as it is, is hidden, comes back, or waits for review before it is seen.
    case keep, hide, show, hold
    /// A person's.
    case approve, remove, restore
}

/// A row of `darkroom.moderation_decisions` to be.
struct NewDecision {
    var post: Int64
    var kind: DecisionKind
    var cause: String
    var policy: Int
    var reports = 0
    var from: PostState
    var to: PostState
    /// nil: a rule.
    var decider: String?
    var note: String?
    var score: Double?
    var threshold: Double?
    var views: Int64?
    var similar: LookAlike?
    var uploaderRemovals: Int?
    var ground: RemovalGround?
    var appeal: Int64?
}

/// What a removal rests on.
package enum RemovalGround: Sendable, Equatable {
    /// The law; the provision.
    case law(String)
    /// The terms of the service; the clause, or nil for the policy's.
    case terms(String?)

    var name: String {
        switch self {
        case .law: "law"
        case .terms: "terms"
        }
    }

    var reference: String? {
        switch self {
        case .law(let provision): provision
        case .terms(let clause): clause
        }
    }
}
