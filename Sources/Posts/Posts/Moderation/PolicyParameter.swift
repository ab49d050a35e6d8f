/// One value of a policy: its name on the command line, its column and its property.
package struct PolicyParameter: Sendable {
    package enum Value: Sendable {
        case number(any (WritableKeyPath<ModerationPolicy, Double> & Sendable))
        case whole(any (WritableKeyPath<ModerationPolicy, Int> & Sendable))
        case span(any (WritableKeyPath<ModerationPolicy, Duration> & Sendable))
        case reasons(any (WritableKeyPath<ModerationPolicy, [ReportGround]> & Sendable))
        case text(any (WritableKeyPath<ModerationPolicy, String> & Sendable))
    }

    /// What a parameter affects.
    package enum Subject: Sendable {
        /// Which reports hide a post. Only these parameters can be tried on past reports.
        case hiding
        case comingBack, uploads, statements
    }

    /// The option's name, with dashes.
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
            "hide-rate", "threshold per view, used if it gives a higher one", .number(\.hideRate)),
        .init("hide-ceiling", "highest threshold that many views can give", .number(\.hideCeiling)),
        .init("high-rate", "threshold per view of a post with few views", .number(\.highRate)),
        .init("least-threshold", "lowest threshold that few views can give", .number(\.leastThreshold)),
        .init(
            "approved-factor", "factor for the threshold of a post that a person approved",
            .number(\.approvedFactor)),
        .init(
            "restore-share", "share of the threshold to which a score must fall until a post is shown again",
            .number(\.restoreShare), of: .comingBack),
        .init("report-lifetime", "age from which a report no longer counts", .span(\.reportLifetime)),
        .init("prior-agreed", "agreed reports that every reporter starts with", .number(\.priorAgreed)),
        .init(
            "prior-disagreed", "disagreed reports that every reporter starts with", .number(\.priorDisagreed)),
        .init("record-floor", "lowest factor for a bad record", .number(\.recordFloor)),
        .init("record-ceiling", "highest factor for a good record", .number(\.recordCeiling)),
        .init("new-account-weight", "factor for a report of a new account", .number(\.newAccountWeight)),
        .init(
            "account-half-life", "time in which a new account gains half of the weight it lacks",
            .span(\.accountHalfLife)),
        .init("mature-age", "age from which an account no longer counts as new", .span(\.matureAge)),
        .init("burst-window", "time within which reports may form a burst", .span(\.burstWindow)),
        .init(
            "cohort-window", "time within which the accounts of a burst were first seen",
            .span(\.cohortWindow)),
        .init("shared-posts", "posts that two reporters must share to be a group", .whole(\.sharedPosts)),
        .init("shared-share", "least share of these among all that either reported", .number(\.sharedShare)),
        .init("group-cap", "highest weight of a burst or group", .number(\.groupCap)),
        .init("weight-explicit", "weight of a report of explicit content", .number(\.weightExplicit)),
        .init(
            "weight-minors", "weight of a report of explicit content that shows minors",
            .number(\.weightMinors)),
        .init("weight-violence", "weight of a report of violence", .number(\.weightViolence)),
        .init("weight-harassment", "weight of a report of harassment", .number(\.weightHarassment)),
        .init("weight-spam", "weight of a report of spam", .number(\.weightSpam)),
        .init(
            "weight-private-information", "weight of a report of private information",
            .number(\.weightPrivateInformation)),
        .init("weight-illegal", "weight of a report of illegal content", .number(\.weightIllegal)),
        .init("weight-other", "weight of a report for other reasons", .number(\.weightOther)),
        .init(
            "urgent-reasons", "reasons for which one reporter with a good record hides a post",
            .reasons(\.urgentReasons)),
        .init(
            "urgent-record", "smoothed share of agreed reports that makes a good record",
            .number(\.urgentRecord)),
        .init(
            "removals-to-hold", "removals after which an uploader's photos are held; 0 holds every upload",
            .whole(\.removalsToHold), of: .uploads),
        .init(
            "removals-within", "time within which removals count", .span(\.removalsWithin), of: .uploads),
        .init(
            "look-alike-distance", "hold photos that differ from a removed one in at most this many bits",
            .whole(\.lookAlikeDistance), of: .uploads),
        .init(
            "terms", "contractual ground to name in statements of reasons", .text(\.terms), of: .statements
        ),
        .init("law", "legal ground to name when one report hides a post", .text(\.law), of: .statements),
        .init("redress", "redress to name in statements of reasons", .text(\.redress), of: .statements),
    ]
}
