import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import Posts

enum PolicyTry {
    static let command = Command(
        "try", "Show what a changed policy would have hidden; changes nothing.",
        discussion: """
            Replays past reports in their order, once by the policy in force and once by that policy with your \
            changes. For posts that only one of the two hides, it shows how people decided in the end: a good change \
            hides what they removed and leaves what they approved. Posts count with the views that they have now. \
            Parameters that do not affect which posts reports hide, such as those that hold uploads, cannot be tried.
            """,
        options: PolicyOptions.all + [
            .value("since", "TIME", "replay reports since this time, or within this age", default: "30d"),
            Settings.json, Settings.database,
        ],
        examples: [
            Example(
                "darkroom policy try --hide-threshold 8 --since 30d",
                "shows which posts of last month would have stayed"),
            Example("darkroom policy try --new-account-weight 0 --json", "prints the result for a script"),
        ]
    ) { arguments in
        try PolicyOptions.checkTriable(arguments)
        let changes = try PolicyOptions.changes(arguments)
        guard let since = try JobFilterOptions.moment("since", arguments) else {
            throw UsageError("--since needs a time or an age, such as 30d")
        }
        let progress = ProgressLine(label: "posts")
        let (candidate, result) = try await Settings.withPool(arguments) { pool in
            let policies = ModerationPolicyStore(pool: pool)
            var candidate = try await policies.inForce()
            for change in changes { change(&candidate) }
            let result = try await PolicyOptions.explained {
                try await policies.trial(of: candidate, since: since) { result, last in
                    progress.update(done: result.posts, total: 0, note: "up to post \(last)")
                }
            }
            return (candidate, result)
        }
        progress.finish("")
        if arguments.flag("json") { return Output.line(json(result, candidate, since).line) }
        Output.line(
            "\(result.posts) posts with \(result.reports) reports since \(since.shortStamp) UTC; "
                + "policy \(candidate.version) is in force.")
        Output.line("  \(padded("hidden by both"))\(result.hiddenByBoth)")
        show(result.onlyByCandidate, "hidden only by the tried policy")
        show(result.onlyByInForce, "hidden only by the policy in force")
    }

    private static func show(_ difference: PolicyTrialResult.Difference, _ title: String) {
        var line = "  \(padded(title))\(difference.count)"
        if difference.count > 0 {
            line += ", of which people removed \(difference.removed) and approved \(difference.approved)"
        }
        Output.line(line)
        guard !difference.examples.isEmpty else { return }
        var table = TextTable(columns: [
            .init("POST", .right), .init("AT (UTC)"), .init("CAUSE"), .init("REPORTS", .right),
            .init("SCORE", .right),
            .init("THRESHOLD", .right), .init("IN THE END"),
        ])
        for example in difference.examples {
            table.add([
                String(example.post), example.hiding.at.shortStamp, example.hiding.cause.rawValue,
                String(example.hiding.reports), ReviewText.hundredths(example.hiding.score),
                ReviewText.hundredths(example.hiding.threshold), example.ruling?.text ?? "-",
            ])
        }
        Output.table(table)
    }

    private static func padded(_ title: String) -> String {
        title + String(repeating: " ", count: max(1, 36 - title.count))
    }

    private static func json(
        _ result: PolicyTrialResult, _ candidate: ModerationPolicy, _ since: Date
    ) -> JSON {
        .object([
            ("since", .string(since.stamp)), ("policy_in_force", .integer(Int64(candidate.version))),
            ("posts", .integer(Int64(result.posts))), ("reports", .integer(Int64(result.reports))),
            ("hidden_by_both", .integer(Int64(result.hiddenByBoth))),
            ("only_by_candidate", json(result.onlyByCandidate)),
            ("only_by_in_force", json(result.onlyByInForce)),
        ])
    }

    private static func json(_ difference: PolicyTrialResult.Difference) -> JSON {
        .object([
            ("count", .integer(Int64(difference.count))), ("removed", .integer(Int64(difference.removed))),
            ("approved", .integer(Int64(difference.approved))),
            (
                "examples",
                .array(
                    difference.examples.map { example in
                        .object([
                            ("post_id", .integer(example.post)), ("at", .string(example.hiding.at.stamp)),
                            ("cause", .string(example.hiding.cause.rawValue)),
                            ("reports", .integer(Int64(example.hiding.reports))),
                            ("score", .number(example.hiding.score)),
                            ("threshold", .number(example.hiding.threshold)),
                            ("ruling", JSON.optional(example.ruling) { .string($0.text) }),
                        ])
                    })
            ),
        ])
    }
}

extension PolicyTrial.Ruling {
    fileprivate var text: String {
        switch self {
        case .approved: "approved"
        case .removed: "removed"
        }
    }
}
