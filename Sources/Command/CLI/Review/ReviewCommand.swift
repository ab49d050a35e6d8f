import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import Posts

enum ReviewCommand {
    static let command = Command(
        "review", "Review held, hidden and reported posts, and decide on them.",
        discussion: """
            Every reported post is listed. Reports can hide posts, and screening holds photos, until a person has looked at \
            them. Every decision is recorded \
            with its reviewer and its evidence. Nobody can change it afterwards, but another decision can follow.
            """,
        subcommands: [
            list, ReviewShow.command, ReviewDecisions.approve, ReviewDecisions.remove,
            ReviewDecisions.restore,
            ReviewDecisions.appeal, ReviewComments.command, ReviewStatement.command, ReviewExport.command,
            ReviewHashes.command,
        ])

    private static let list = Command(
        "list", "List the posts that are held, hidden, appealed for or reported, most urgent first.",
        discussion: """
            Sorts by the most severe reason of the reports (9 for illegal or minors, down to 1 for other), then by the weight \
            of the reports, then by waiting time. 'reported' posts can still be seen: their reports are not enough to hide \
            them. 'must decide' means that a person must decide on a report, whatever it counts, as the law wants it. 'deleted' means that the post's uploader has deleted it: it is not seen \
            again, but its erasure waits for your decision, so that the same photo cannot come again unseen.
            """,
        options: [
            .value(
                "state", "STATE",
                "list only published (reported, not hidden), held, hidden, removed or expired posts"),
            .value("limit", "N", "show at most N", default: "50"),
            .value("after", "POSITION", "continue after this position, as printed below the previous page"),
            Settings.json, Settings.database,
        ],
        examples: [
            Example("darkroom review list", "lists the 50 most urgent posts"),
            Example("darkroom review list --state published", "lists what is reported, but not hidden"),
            Example("darkroom review list --json | jq .post_id", "prints only their numbers"),
        ]
    ) { arguments in
        let limit = try arguments.int("limit", in: 1...10_000) ?? 50
        let state = try arguments.choice("state", of: PostState.self)
        let after = try arguments.string("after").map { text in
            guard let position = ReviewItem.Position(text) else {
                throw UsageError("--after \(text) is not a position that 'darkroom review list' printed")
            }
            return position
        }
        let (items, count) = try await Settings.withPool(arguments) { pool in
            let store = ReviewStore(pool: pool)
            let items = try await store.waiting(in: state, after: after, limit: limit)
            let count = try await store.count(in: state)
            return (items, count)
        }
        if arguments.flag("json") {
            for item in items { Output.line(item.json.line) }
            return
        }
        guard let last = items.last else { return Output.note("No posts are waiting for review.") }
        var table = TextTable(columns: [
            .init("POST", .right), .init("STATE"), .init("SEVERITY", .right), .init("SCORE", .right),
            .init("CAUSE"),
            .init("REPORTS", .right), .init("SINCE (UTC)"), .init("UPLOADER"), .init("TITLE"),
        ])
        for item in items {
            table.add([
                String(item.position.post), item.state.rawValue, String(item.position.severity),
                ReviewText.hundredths(item.position.score),
                item.cause + (item.cause == "reported" && item.isBinding ? ", must decide" : "")
                    + (item.appeal == nil ? "" : ", appealed") + (item.isDeleted ? ", deleted" : ""),
                String(item.reportCount), item.position.openedAt.shortStamp, item.uploader, item.title ?? "-",
            ])
        }
        Output.table(table)
        if items.count == limit, count > limit {
            Output.note(
                "\(count) posts are waiting in all. For the next page: darkroom review list --after \(last.position)"
            )
        }
    }
}

extension ReviewItem {
    fileprivate var json: JSON {
        .object([
            ("post_id", .integer(position.post)), ("state", .string(state.rawValue)),
            ("severity", .integer(Int64(position.severity))), ("score", .number(position.score)),
            ("cause", .string(cause)), ("appeal_id", JSON.optional(appeal) { .integer($0) }),
            ("deleted", .bool(isDeleted)), ("must_decide", .bool(isBinding)),
            ("reports", .integer(Int64(reportCount))), ("opened_at", .string(position.openedAt.stamp)),
            ("uploader", .string(uploader)), ("title", JSON.optional(title) { .string($0) }),
            ("position", .string(position.description)),
        ])
    }
}
