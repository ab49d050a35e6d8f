/// One number of a policy: its name on the command line, its column, and where it is kept.
package struct PolicyParameter: Sendable {
    package enum Value: Sendable {
        case number(any (WritableKeyPath<ModerationPolicy, Double> & Sendable))
        case whole(any (WritableKeyPath<ModerationPolicy, Int> & Sendable))
        case span(any (WritableKeyPath<ModerationPolicy, Duration> & Sendable))
        case reasons(any (WritableKeyPath<ModerationPolicy, [ReportGround]> & Sendable))
        case text(any (WritableKeyPath<ModerationPolicy, String> & Sendable))
    }

    /// What a parameter decides on.
    package enum Subject: Sendable {
        /// Which reports hide a post; alone of these, it can be tried on what was reported.
        case hiding
        case comingBack, uploads, statements
    }

    /// With dashes, as an option.
    package let name: String
    package let meaning: String
    package let value: Value
    package let subject: Subject

    package var column: String { name.replacing("-", with: "_") }

    private init(_ name: String, _ meaning: String, _ value: Value, of subject: Subject = .hiding) {
        self.name = name
        self.meaning = meaning
        self.value = value
        self.subject = subject
    }

    package static let all: [PolicyParameter] = [
        .init("hide-threshold", "score at which a post is hidden", .number(\.hideThreshold)),
        .init(
            "hide-rate", "score that a post stands for every view, where that is more", .number(\.hideRate)),
        .init(
            "approved-factor", "times the threshold, for a post that a person approved",
            .number(\.approvedFactor)),
        .init(
            "restore-share", "share of the threshold below which a hidden post comes back",
            .number(\.restoreShare), of: .comingBack),
        .init("report-lifetime", "age from which a report counts nothing", .span(\.reportLifetime)),
        .init("prior-agreed", "reports that everybody was right with beforehand", .number(\.priorAgreed)),
        .init(
            "prior-disagreed", "reports that everybody was wrong with beforehand", .number(\.priorDisagreed)),
        .init("record-floor", "least that a bad record leaves of a report", .number(\.recordFloor)),
        .init("record-ceiling", "most that a good record makes of a report", .number(\.recordCeiling)),
        .init("new-account-weight", "what a report of a new account counts", .number(\.newAccountWeight)),
        .init(
            "account-half-life", "time in which half of what a new account lacks comes",
            .span(\.accountHalfLife)),
        .init("mature-age", "age from which accounts are not taken for a cohort", .span(\.matureAge)),
        .init("burst-window", "reports this close together may be one burst", .span(\.burstWindow)),
        .init(
            "cohort-window", "if their accounts were first seen this close together", .span(\.cohortWindow)),
        .init("shared-posts", "posts reported together that make reporters a group", .whole(\.sharedPosts)),
        .init("shared-share", "if they are this share of what either reported", .number(\.sharedShare)),
        .init("group-cap", "most that a burst or group counts", .number(\.groupCap)),
        .init("weight-explicit", "what a report counts, by its reason", .number(\.weightExplicit)),
        .init("weight-violence", "likewise", .number(\.weightViolence)),
        .init("weight-harassment", "likewise", .number(\.weightHarassment)),
        .init("weight-spam", "likewise", .number(\.weightSpam)),
        .init("weight-private-information", "likewise", .number(\.weightPrivateInformation)),
        .init("weight-illegal", "likewise", .number(\.weightIllegal)),
        .init("weight-other", "likewise", .number(\.weightOther)),
        .init(
            "urgent-reasons", "reasons for which one report hides, given a good record",
            .reasons(\.urgentReasons)),
        .init(
            "urgent-record", "the smoothed share of agreed reports that is a good record",
            .number(\.urgentRecord)),
        .init(
            "removals-to-hold", "removed posts from which an uploader's photos are held",
            .whole(\.removalsToHold), of: .uploads),
        .init(
            "removals-within", "if they were removed within this time", .span(\.removalsWithin), of: .uploads),
        .init(
            "look-alike-distance", "bits in which a held photo differs at most from a removed one",
            .whole(\.lookAlikeDistance), of: .uploads),
        .init(
            "terms", "the contractual ground that statements of reasons name", .text(\.terms), of: .statements
        ),
        .init("redress", "what statements of reasons say of redress", .text(\.redress), of: .statements),
    ]
}
