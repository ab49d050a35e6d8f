import Arguments
import CommandSupport
import FoundationEssentials
import Posts

/// `darkroom review show`: a post with all that was reported, decided and said.
enum ReviewShow {
    static let command = Command(
        "show", "Show a post with its reports, decisions and appeals.",
        discussion: """
            What each report counts now, by the policy in force: the reporter's record, the account's age, the reason, \
            and the group that it is counted in; every decision so far; and what may be decided now.
            """,
        options: [
            .value("decision", "N", "the evidence of this decision, instead of what counts now"),
            Settings.json,
            Settings.database,
        ],
        positionals: [.required("POST", "the post's number")],
        examples: [
            Example("darkroom review show 17", "what there is to decide on"),
            Example("darkroom review show 17 --decision 88", "what decision 88 rested on"),
        ]
    ) { arguments in
        let id = try ReviewText.post(arguments)
        let decision = try arguments.int("decision", in: 1...Int.max).map(Int64.init)
        try await Settings.withPool(arguments) { pool in
            let decided = DecisionStore(pool: pool)
            let reviews = ReviewStore(pool: pool)
            guard let post = try await ReadingStore(pool: pool).post(id),
                let weighed = try await ReportStore(pool: pool).weigh(id)
            else {
                throw PostError(.noPost(id))
            }
            let decisions = try await decided.decisions(on: id)
            let review = try await reviews.reviewCase(id)
            if let decision, !decisions.contains(where: { $0.id == decision }) {
                throw CommandError(
                    "decision \(decision) is not one on post \(id): leave --decision out to see those")
            }
            let evidence =
                if let decision {
                    try await decided.evidence(of: decision)
                } else {
                    zip(weighed.reports, weighed.verdict.evidence).map(EvidenceRecord.init)
                }
            let appeals = try await reviews.appeals(on: id)
            if arguments.flag("json") {
                Output.line(
                    JSON.object([
                        ("post", post.json), ("score", .number(weighed.verdict.score)),
                        ("threshold", .number(weighed.verdict.threshold)),
                        (
                            "may_decide",
                            .array(review.found.applicable.map { .string($0.rawValue) })
                        ),
                        ("evidence", .array(evidence.map(\.json))),
                        ("decisions", .array(decisions.map(\.json))),
                        ("appeals", .array(appeals.map(\.json))),
                    ]).line)
                return
            }
            Output.line("Post \(id): \(post.state.rawValue), of \(Terminal.printable(post.uploader))")
            for (name, text) in [
                ("headline", post.headline), ("caption", post.caption), ("link", post.link),
                ("place", post.placeText),
                ("picture", post.renditions.first?.mediaKey),
                (
                    "score",
                    "\(ReviewText.hundredths(weighed.verdict.score)) of \(ReviewText.hundredths(weighed.verdict.threshold))"
                ),
                ("decide", choices(review.found, at: review.now)),
            ] {
                guard let text else { continue }
                Output.line(
                    "  \(name)\(String(repeating: " ", count: 10 - name.count))\(Terminal.printable(text))")
            }
            show(evidence)
            show(decisions)
            for appeal in appeals {
                let answer = appeal.decision.map { "answered by decision \($0)" } ?? "open"
                Output.line(
                    "Appeal \(appeal.id), \(appeal.at.shortStamp) UTC, \(answer): \(Terminal.printable(appeal.text))"
                )
            }
        }
    }

    /// `approve or remove; others than olga, who decided 12 s ago, with --seen 88`
    private static func choices(_ found: ReviewCase, at now: Date) -> String {
        guard !found.applicable.isEmpty else { return "nothing can be decided now" }
        let text = found.applicable.map(\.rawValue).joined(separator: " or ")
        guard let latest = found.fresh(at: now) else { return text }
        let seconds = max(0, Int(now.timeIntervalSince(latest.at)))
        return
            "\(text); others than \(latest.reviewer), who decided \(seconds) s ago, with --seen \(latest.decision)"
    }

    private static func show(_ evidence: [EvidenceRecord]) {
        guard !evidence.isEmpty else { return }
        var table = TextTable(columns: [
            .init("REPORTER"), .init("REASON"), .init("AT (UTC)"), .init("ACCOUNT SINCE"),
            .init("RIGHT", .right),
            .init("WRONG", .right), .init("RECORD", .right), .init("ACCOUNT", .right),
            .init("WEIGHT", .right),
            .init("GROUP", .right), .init("COUNTS", .right),
        ])
        for one in evidence {
            table.add([
                one.reporter, one.reason, one.at.shortStamp, String(one.accountSince.shortStamp.prefix(10)),
                String(one.agreed), String(one.disagreed), ReviewText.hundredths(one.record),
                ReviewText.hundredths(one.account), ReviewText.hundredths(one.weight),
                one.group.map(String.init) ?? "-",
                one.disregarded ?? ReviewText.hundredths(one.counted),
            ])
        }
        Output.table(table)
    }

    private static func show(_ decisions: [DecisionRecord]) {
        guard !decisions.isEmpty else { return }
        var table = TextTable(columns: [
            .init("DECISION", .right), .init("AT (UTC)"), .init("WHAT"), .init("BY"), .init("CAUSE"),
            .init("REPORTS", .right), .init("SCORE", .right), .init("POLICY", .right), .init("NOTE"),
        ])
        for one in decisions {
            table.add([
                String(one.id), one.at.shortStamp, one.kind.rawValue, one.decider ?? "a rule", one.causeText,
                String(one.reports), one.score.map(ReviewText.hundredths) ?? "-", String(one.policy),
                one.note ?? "-",
            ])
        }
        Output.table(table)
    }
}

extension EvidenceRecord {
    fileprivate var json: JSON {
        .object([
            ("reporter", .string(reporter)), ("reason", .string(reason)), ("reported_at", .string(at.stamp)),
            ("account_since", .string(accountSince.stamp)), ("agreed", .integer(Int64(agreed))),
            ("disagreed", .integer(Int64(disagreed))), ("record_weight", .number(record)),
            ("account_weight", .number(account)), ("reason_weight", .number(weight)),
            ("group", JSON.optional(group) { .integer(Int64($0)) }), ("counted", .number(counted)),
            ("disregarded", JSON.optional(disregarded) { .string($0) }),
        ])
    }
}

extension DecisionRecord {
    fileprivate var causeText: String {
        if let similar { return "like post \(similar.post), \(similar.distance) bits apart" }
        if let uploaderRemovals { return "\(uploaderRemovals) posts removed before" }
        return cause ?? "-"
    }

    fileprivate var json: JSON {
        .object([
            ("decision_id", .integer(id)), ("decision", .string(kind.rawValue)),
            ("cause", JSON.optional(cause) { .string($0) }),
            ("from_state", JSON.optional(from) { .string($0.rawValue) }),
            ("to_state", JSON.optional(to) { .string($0.rawValue) }),
            ("decider", JSON.optional(decider) { .string($0) }),
            ("note", JSON.optional(note) { .string($0) }), ("policy", .integer(Int64(policy))),
            ("reports", .integer(Int64(reports))), ("score", JSON.optional(score) { .number($0) }),
            ("threshold", JSON.optional(threshold) { .number($0) }),
            ("views", JSON.optional(views) { .integer($0) }),
            ("similar_to", JSON.optional(similar) { .integer($0.post) }),
            ("similar_distance", JSON.optional(similar) { .integer(Int64($0.distance)) }),
            ("uploader_removals", JSON.optional(uploaderRemovals) { .integer(Int64($0)) }),
            ("appeal_id", JSON.optional(appeal) { .integer($0) }), ("decided_at", .string(at.stamp)),
        ])
    }
}

extension AppealRecord {
    fileprivate var json: JSON {
        .object([
            ("appeal_id", .integer(id)), ("text", .string(text)), ("created_at", .string(at.stamp)),
            ("decision_id", JSON.optional(decision) { .integer($0) }),
        ])
    }
}
