import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import Posts

enum ReviewComments {
    static let command = Command(
        "comments", "Review held, hidden and reported comments, and decide on them.",
        discussion: """
            Reports on a comment are weighed like those on a post, by the same policy, and comments are held where posts of \
            their authors would be. Every decision is recorded with its reviewer and its evidence.
            """,
        subcommands: [list, show, approve, remove, restore])

    private static let comment = Positional.required("COMMENT", "the comment's number")

    private static let approve = Command(
        "approve", "Let readers see a held or hidden comment, or leave a reported one.",
        options: ReviewDecisions.options, positionals: [comment],
        examples: [
            Example("darkroom review comments approve 3 --note 'a joke'", "shows the comment, or leaves it")
        ]
    ) { try await ReviewDecisions.decide($0, .approve, on: .comment) }

    private static let remove = Command(
        "remove", "Remove a comment, or decline an appeal.",
        options: ReviewDecisions.grounds + ReviewDecisions.options, positionals: [comment],
        examples: [
            Example("darkroom review comments remove 3 --terms 'section 4, insults'", "removes the comment")
        ]
    ) { try await ReviewDecisions.decide($0, .remove(ReviewDecisions.ground($0)), on: .comment) }

    private static let restore = Command(
        "restore", "Let readers see a removed comment again.",
        options: ReviewDecisions.options, positionals: [comment],
        examples: [
            Example(
                "darkroom review comments restore 3 --note 'the appeal is right'", "shows the comment again")
        ]
    ) { try await ReviewDecisions.decide($0, .restore, on: .comment) }

    private static let list = Command(
        "list", "List the comments that are held, hidden, appealed for or reported, most urgent first.",
        options: [
            .value("limit", "N", "show at most N", default: "50"),
            .value("after", "POSITION", "continue after this position, as printed below the previous page"),
            Settings.json, Settings.database,
        ],
        examples: [Example("darkroom review comments list", "lists the 50 most urgent comments")]
    ) { arguments in
        let limit = try arguments.int("limit", in: 1...100) ?? 50
        let items = try await Settings.withPool(arguments) {
            try await ReviewStore(pool: $0).waitingComments(after: arguments.string("after"), limit: limit)
        }
        if arguments.flag("json") {
            for item in items { Output.line(item.json.line) }
            return
        }
        guard let last = items.last else { return Output.note("No comments are waiting for review.") }
        var table = TextTable(columns: [
            .init("COMMENT", .right), .init("STATE"), .init("SEVERITY", .right), .init("SCORE", .right),
            .init("CAUSE"), .init("REPORTS", .right), .init("SINCE (UTC)"), .init("AUTHOR"), .init("TEXT"),
        ])
        for item in items {
            table.add([
                String(item.comment.comment), item.comment.state.rawValue, String(item.severity),
                ReviewText.hundredths(item.score),
                item.cause + (item.cause == "reported" && item.isBinding ? ", must decide" : "")
                    + (item.appeal == nil ? "" : ", appealed") + (item.comment.isDeleted ? ", deleted" : ""),
                String(item.reportCount), item.openedAt.shortStamp, item.comment.author, item.comment.body,
            ])
        }
        Output.table(table)
        if items.count == limit {
            Output.note("For the next page: darkroom review comments list --after \(last.cursor)")
        }
    }

    private static let show = Command(
        "show", "Show a comment with its reports, decisions and appeals.",
        options: [Settings.json, Settings.database], positionals: [comment],
        examples: [Example("darkroom review comments show 3", "shows what to decide on")]
    ) { arguments in
        let id = try ReviewText.number(arguments, of: .comment)
        let found = try await Settings.withPool(arguments) { try await ReviewStore(pool: $0).comment(id) }
        guard let found else { throw PostError(.noComment(id)) }
        if arguments.flag("json") { return Output.line(found.json.line) }
        let comment = found.comment
        Output.line(
            Terminal.printable(
                "Comment \(id) below post \(comment.post): \(comment.state.rawValue), of \(comment.author)"))
        for (name, text) in [
            ("text", comment.body), ("written", "\(found.createdAt.shortStamp) UTC"),
            (
                "author",
                "\(found.authorComments) comments, \(found.authorRemovals) of them removed by a review"
            ),
            (
                "deleted",
                comment.isDeleted ? "nobody sees it again, and its text is erased once you decide" : nil
            ),
            (
                "decide",
                found.mayDecide.isEmpty
                    ? "nothing can be decided now" : found.mayDecide.joined(separator: " or ")
            ),
        ] {
            guard let text else { continue }
            Output.line(
                "  \(name)\(String(repeating: " ", count: 10 - name.count))\(Terminal.printable(text))")
        }
        for report in found.reports {
            let counts =
                report.disregarded ?? report.counted.map { "counts \(ReviewText.hundredths($0))" }
                ?? "not weighed yet"
            Output.line(
                Terminal.printable(
                    "Reported \(report.at.shortStamp) UTC as \(report.reason), \(counts)\(report.details.map { ": \($0)" } ?? "")"
                ))
        }
        for decision in found.decisions {
            Output.line(
                Terminal.printable(
                    "Decision \(decision.id), \(decision.at.shortStamp) UTC: \(decision.kind), by \(decision.decider ?? "a rule")"
                        + (decision.note.map { ": \($0)" } ?? "")))
        }
        for appeal in found.appeals {
            let answer = appeal.decision.map { "decided by decision \($0)" } ?? "open"
            Output.line(
                Terminal.printable(
                    "Appeal \(appeal.id), \(appeal.at.shortStamp) UTC, \(answer): \(appeal.text)"))
        }
    }
}

extension ReviewedComment {
    fileprivate var fields: [(String, JSON)] {
        [
            ("comment_id", .integer(comment)), ("post_id", .integer(post)),
            ("state", .string(state.rawValue)),
            ("author", .string(author)), ("body", .string(body)), ("deleted", .bool(isDeleted)),
            ("seen", .integer(seen)),
        ]
    }
}

extension CommentReviewItem {
    fileprivate var json: JSON {
        .object(
            comment.fields + [
                ("severity", .integer(Int64(severity))), ("score", .number(score)), ("cause", .string(cause)),
                ("must_decide", .bool(isBinding)), ("reports", .integer(Int64(reportCount))),
                ("appeal_id", JSON.optional(appeal) { .integer($0) }), ("opened_at", .string(openedAt.stamp)),
                ("position", .string(cursor)),
            ])
    }
}

extension CommentReview {
    fileprivate var json: JSON {
        .object(
            comment.fields + [
                ("created_at", .string(createdAt.stamp)),
                ("may_decide", .array(mayDecide.map { .string($0) })),
                (
                    "reports",
                    .array(
                        reports.map {
                            .object([
                                ("reason", .string($0.reason)),
                                ("details", JSON.optional($0.details) { .string($0) }),
                                ("reported_at", .string($0.at.stamp)),
                                ("counted", JSON.optional($0.counted) { .number($0) }),
                            ])
                        })
                ),
                (
                    "decisions",
                    .array(
                        decisions.map {
                            .object([
                                ("decision_id", .integer($0.id)), ("decision", .string($0.kind)),
                                ("cause", JSON.optional($0.cause) { .string($0) }),
                                ("decider", JSON.optional($0.decider) { .string($0) }),
                                ("note", JSON.optional($0.note) { .string($0) }),
                                ("decided_at", .string($0.at.stamp)),
                            ])
                        })
                ), ("appeals", .array(appeals.map(\.json))),
            ])
    }
}
