/// The kinds of decisions on posts. Raw values are those of `darkroom.moderation_decisions.decision`.
package enum DecisionKind: String, Sendable {
    /// Decisions of rules: the post stays as it is, is hidden, is shown again, or waits for review before publication.
    case keep, hide, show, hold
    /// Decisions of people.
    case approve, remove, restore
}

/// What a removal rests on.
package enum RemovalGround: Sendable, Equatable {
    /// The law, with the provision.
    case law(String)
    /// The terms of the service, with the clause; nil for the policy's ground.
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
