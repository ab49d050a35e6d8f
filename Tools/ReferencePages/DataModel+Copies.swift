/// A value that is written twice, because computing it whenever it is read would cost too much.
extension DataModel {
    struct Copy: Sendable {
        /// Where the truth is, as table or table.column.
        let truth: [String]
        /// Where the copy is.
        let copy: [String]
        /// The functions that keep it right.
        let keepers: [String]
        let when: String
    }

    /// The consistency check of the tests (`QueueDatabase.inconsistencies`) compares each with its truth.
    static let copies = [
        Copy(
            truth: ["renditions"], copy: ["posts.pictures"], keepers: ["sync_pictures"],
            when: "at once; publishing writes both"),
        Copy(
            truth: ["posts"],
            copy: [
                "feed.position", "feed.tile", "feed.wide_tile", "feed.country", "feed.category",
                "feed.author_handle", "feed.expires_at",
            ],
            keepers: ["sync_feed", "leave_feed"], when: "at once, for posts that readers see"),
        Copy(
            truth: ["posts.uploader", "comments.author", "people.person", "handle_keys"],
            copy: ["posts.author_handle", "comments.author_handle", "people.author_handle"],
            keepers: ["keep_author_handle"],
            when: "at once; of an anonymous post as `settings.anonymous_within` was when it was published"),
        Copy(
            truth: ["votes", "comments", "counter_changes.views"],
            copy: [
                "post_counters.likes", "post_counters.dislikes", "post_counters.comments",
                "post_counters.views",
            ],
            keepers: ["tally_counters"], when: "each second, from `counter_changes`"),
        Copy(
            truth: ["comment_votes"], copy: ["comments.likes", "comments.dislikes"],
            keepers: ["tally_counters"],
            when: "each second"),
        Copy(
            truth: ["feed", "post_counters"],
            copy: ["ranks.position", "ranks.category", "ranks.likes", "ranks.wilson", "ranks.hot"],
            keepers: ["rank_post"], when: "with the counters, and with the feed's row"),
        Copy(
            truth: ["feed", "ranks"], copy: ["map_tiles.posts", "map_tiles.best"], keepers: ["tally_map"],
            when: "each second, from `map_changes`"),
        Copy(
            truth: ["votes"], copy: ["event_log.likes", "post_counters.likes_told"],
            keepers: ["notify_of_likes"],
            when: "gathered, see `settings.like_gathering`"),
        Copy(
            truth: ["removals", "reports.is_agreed"],
            copy: ["people.removals", "people.agreed", "people.disagreed"],
            keepers: ["resolve_review"], when: "with each decision"),
    ]

    static func section(of copies: [Copy]) -> String {
        func cells(_ names: [String]) -> String { names.map { "`\($0)`" }.joined(separator: ", ") }
        let rows = copies.map {
            "| \(cells($0.truth)) | \(cells($0.copy)) | \(cells($0.keepers)) | \($0.when) |"
        }
        return """

            ## What is written twice

            Some values are copied, because computing them for each list would cost too much. Each has one truth, and functions that
            keep the copy right. After every scenario, the tests compare all of them. `darkroom posts rebuild-feeds` computes the feed,
            the ranks and the map again.

            | truth | copy | kept right by | when |
            |---|---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }
}
