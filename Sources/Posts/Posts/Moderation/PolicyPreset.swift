import JobStore

/// Values that fit the size of a service: who reports, and how many.
package enum PolicyPreset: String, CaseIterable, Sendable {
    /// Hundreds of people, all of them new: three who report for the first time hide a post.
    case launch
    /// Thousands of people: new accounts count half.
    case town
    /// Many thousands of people, among whom somebody will open accounts to attack others: the defaults.
    case city

    /// The parameters that a preset sets; all others stay as they are.
    package static let parameters = [
        "hide-threshold", "hide-ceiling", "least-threshold", "weight-other", "new-account-weight",
        "account-half-life", "mature-age", "group-cap",
    ]

    package func apply(to policy: inout ModerationPolicy) {
        let defaults = ModerationPolicy(version: policy.version)
        switch self {
        case .launch:
            (policy.hideThreshold, policy.hideCeiling, policy.leastThreshold) = (3, 10, 3)
            (policy.weightOther, policy.groupCap) = (1, 1.5)
            // Every account is mature at once: it counts in full, and is part of no burst.
            (policy.newAccountWeight, policy.matureAge) = (1, .zero)
            policy.accountHalfLife = defaults.accountHalfLife
        case .town:
            (policy.hideThreshold, policy.hideCeiling, policy.leastThreshold) = (4, 15, 3)
            (policy.weightOther, policy.groupCap) = (defaults.weightOther, 2)
            (policy.newAccountWeight, policy.matureAge) = (0.5, .days(7))
            policy.accountHalfLife = .days(2)
        case .city:
            policy.hideThreshold = defaults.hideThreshold
            (policy.hideCeiling, policy.leastThreshold) = (defaults.hideCeiling, defaults.leastThreshold)
            (policy.weightOther, policy.groupCap) = (defaults.weightOther, defaults.groupCap)
            (policy.newAccountWeight, policy.matureAge) = (defaults.newAccountWeight, defaults.matureAge)
            policy.accountHalfLife = defaults.accountHalfLife
        }
    }
}
