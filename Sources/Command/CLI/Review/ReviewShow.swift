import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import Posts

enum ReviewShow {
    static let command = Command(
        "show", "Show a post with its reports, decisions and appeals.",
        discussion: """
            Shows how the policy in force weighs each report: by the reporter's record, the account's age, the reason, \
            and the group that the report belongs to. Also shows every decision so far, and the possible decisions now.
            """,
        options: [
            .value("decision", "N", "show the evidence of this decision, instead of the current reports"),
            Settings.json,
            Settings.database,
        ],
        positionals: [.required("POST", "the post's number")],
        examples: [
            Example("darkroom review show 17", "shows what to decide on"),
            Example("darkroom review show 17 --decision 88", "shows the evidence of decision 88"),
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
                    "there is no decision \(decision) on post \(id): leave out --decision to see its decisions"
                )
            }
            let evidence =
                if let decision {
                    try await decided.evidence(of: decision)
                } else {
                    zip(weighed.reports, weighed.verdict.evidence).map(EvidenceRecord.init)
                }
            let appeals = try await reviews.appeals(on: id)
            let edits = try await ReadingStore(pool: pool).edits(of: id)
            if arguments.flag("json") {
                Output.line(
                    JSON.object([
                        ("post", post.json), ("score", .number(weighed.verdict.score)),
                        ("threshold", .number(weighed.verdict.threshold)),
                        (
                            "may_decide",
                            .array(review.found.applicable.map { .string($0.rawValue) })
                        ),
                        ("deleted", .bool(review.found.isUndecided)),
                        ("located_too_exactly", .bool(review.found.isLocatedTooExactly)),
                        ("evidence", .array(evidence.map(\.json))),
                        ("decisions", .array(decisions.map(\.json))),
                        ("appeals", .array(appeals.map(\.json))), ("edits", .array(edits.map(\.json))),
                    ]).line)
                return
            }
            Output.line("Post \(id): \(post.state.rawValue), of \(Terminal.printable(post.uploader))")
            for (name, text) in post.said + [
                ("place", post.place.text),
                ("picture", post.renditions.first?.mediaKey),
                (
                    "score",
                    "\(ReviewText.hundredths(weighed.verdict.score)) of \(ReviewText.hundredths(weighed.verdict.threshold))"
                ),
                (
                    "deleted",
                    review.found.isUndecided
                        ? "by its uploader: it never comes back, and is erased once you decide" : nil
                ),
                (
                    "location",
                    review.found.isLocatedTooExactly
                        ? "too exact for the policy in force: 'darkroom posts relocate --post \(id)' before you show it"
                        : nil
                ),
                ("decide", choices(review.found, at: review.now)),
            ] {
                guard let text else { continue }
                Output.line(
                    "  \(name)\(String(repeating: " ", count: 10 - name.count))\(Terminal.printable(text))")
            }
            show(evidence)
            show(decisions)
            for edit in edits {
                let texts = [edit.headline, edit.caption, edit.category].map { $0.map { "“\($0)”" } ?? "-" }
                Output.line(
                    Terminal.printable(
                        "Edited \(edit.until.shortStamp) UTC; before: \(texts.joined(separator: ", "))"))
            }
            for appeal in appeals {
                let answer = appeal.decision.map { "decided by decision \($0)" } ?? "open"
                Output.line(
                    "Appeal \(appeal.id), \(appeal.at.shortStamp) UTC, \(answer): \(Terminal.printable(appeal.text))"
                )
            }
        }
    }

    /// `approve or remove; anyone but olga, who decided 12 s ago, needs --seen 88`
    private static func choices(_ found: ReviewCase, at now: Date) -> String {
        guard !found.applicable.isEmpty else { return "nothing can be decided now" }
        let text = found.applicable.map(\.rawValue).joined(separator: " or ")
        guard let latest = found.fresh(at: now) else { return text }
        let seconds = max(0, Int(now.timeIntervalSince(latest.at)))
        return
            "\(text); anyone but \(latest.reviewer), who decided \(seconds) s ago, needs --seen \(latest.decision)"
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

extension PostEdit {
    fileprivate var json: JSON {
        .object([
            ("headline", JSON.optional(headline) { .string($0) }),
            ("caption", JSON.optional(caption) { .string($0) }),
            ("category", JSON.optional(category) { .string($0) }), ("until", .string(until.stamp)),
        ])
    }
}
