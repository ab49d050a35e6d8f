import HTTPServer

extension Route {
    /// All routes that call one function. The first that matches counts, so those without parameters come first.
    static let all: [Route] = lists + map + posts + drafts + comments + activities + people

    private static let lists = [
        Route(
            .get, "/posts", "latest_posts", "The newest posts", callers: ["viewer"], hasPositions: true,
            maxAge: 5),
        Route(
            .get, "/posts/nearest", "nearest_posts", "The posts nearest to a position", callers: ["viewer"],
            hasPositions: true, maxAge: 5),
        Route(
            .get, "/posts/within", "posts_within", "The posts within a circle, newest first",
            callers: ["viewer"],
            hasPositions: true, maxAge: 5),
        Route(
            .get, "/posts/near-and-good", "near_and_good_posts",
            "The best posts nearby, by votes, age and distance",
            callers: ["viewer"], hasPositions: true, maxAge: 5),
        Route(
            .get, "/posts/top", "top_posts", "A board: posts in the order of their votes",
            callers: ["viewer"],
            hasPositions: true, maxAge: 5),
    ]

    private static let map = [
        Route(
            .get, "/map/clusters", "map_clusters", "How many posts there are where", callers: ["viewer"],
            hasPositions: true, maxAge: 10),
        Route(
            .get, "/map/photos", "map_photos", "The best photo of each part of the map", callers: ["viewer"],
            hasPositions: true, maxAge: 10),
        Route(
            .get, "/map/clusters/{cluster_id}/posts", "cluster_posts", "The posts of a cluster",
            callers: ["viewer"],
            hasPositions: true, maxAge: 5),
        Route(
            .get, "/map/clusters/{cluster_id}/location", "cluster_location",
            "Where a new post must be to be in a cluster", reply: .one, maxAge: 60),
    ]

    private static let posts = [
        Route(
            .post, "/views", "count_views", "Count that posts were seen", access: .person, reply: .none()),
        Route(
            .get, "/posts/by-id", "posts_by_id", "The posts with these numbers, in their order",
            callers: ["viewer"],
            hasPositions: true, maxAge: 5),
        Route(
            .get, "/venues/{venue_id}/posts", "venue_posts", "The album of a venue: the newest posts first",
            callers: ["viewer"], hasPositions: true, maxAge: 5),
        Route(
            .get, "/posting-rules", "posting_rules", "What may be posted here", reply: .one, maxAge: 60),
        Route(
            .get, "/posts/{post_id}", "post_details", "One post", reply: .one, callers: ["viewer"],
            hasPositions: true, maxAge: 5),
        Route(
            .put, "/posts/{post_id}/text", "edit_post",
            "Change headline, caption and category of one's own post",
            access: .person, reply: .value("state"), callers: ["uploader"],
            nulls: ["headline", "caption", "category"]),
        Route(
            .delete, "/posts/{post_id}", "delete_post", "Delete one's own post", access: .person,
            reply: .none(orNotFound: true), callers: ["uploader"]),
        Route(
            .put, "/posts/{post_id}/vote", "vote_on_post",
            "Vote for or against a post, or take the vote back",
            access: .person, reply: .none(), callers: ["voter"]),
        Route(
            .post, "/posts/{post_id}/reports", "report_post", "Report a post", access: .person,
            reply: .value("is_new"), callers: ["reporter"], since: "reporter_since"),
        Route(
            .post, "/posts/{post_id}/appeals", "appeal_post",
            "Ask for a second look at what became of one's post",
            access: .person, reply: .value("appeal_id"), callers: ["uploader"], status: 201),
    ]

    private static let drafts = [
        Route(
            .post, "/uploads/{job_id}/publish", "publish_draft", "Publish a draft of one's own",
            access: .person,
            reply: .none(orNotFound: true), callers: ["uploader"],
            fixed: ["queue": nil, "priority": nil, "run_at": nil])
    ]

    private static let comments = [
        Route(
            .get, "/posts/{post_id}/comments", "post_comments", "The comments on a post", callers: ["viewer"],
            maxAge: 5),
        Route(
            .post, "/posts/{post_id}/comments", "add_comment", "Comment on a post", access: .person,
            reply: .value("comment_id"), callers: ["author"], status: 201),
        Route(
            .post, "/posts/{post_id}/comments/check", "check_comment", "What is wrong with a comment",
            access: .person,
            callers: ["author"]),
        Route(
            .get, "/comments/{comment_id}", "comment_details", "One comment", reply: .one,
            callers: ["viewer"],
            maxAge: 5),
        Route(
            .delete, "/comments/{comment_id}", "delete_comment",
            "Delete one's own comment, or one on one's own post", access: .person,
            reply: .none(orNotFound: true),
            callers: ["person"]),
        Route(
            .put, "/comments/{comment_id}/vote", "vote_on_comment",
            "Vote for or against a comment, or take the vote back", access: .person, reply: .none(),
            callers: ["voter"]),
        Route(
            .post, "/comments/{comment_id}/reports", "report_comment", "Report a comment", access: .person,
            reply: .value("is_new"), callers: ["reporter"], since: "reporter_since"),
        Route(
            .post, "/comments/{comment_id}/appeals", "appeal_comment",
            "Ask for a second look at what became of one's comment",
            access: .person, reply: .value("appeal_id"), callers: ["author"], status: 201),
    ]

    private static let activities = [
        Route(
            .get, "/activities", "activities", "The activities, or those around a position",
            hasPositions: true,
            maxAge: 30),
        Route(
            .get, "/activities/{activity}", "activity", "One activity, by any of its names", reply: .one,
            hasPositions: true, maxAge: 30),
        Route(
            .post, "/activities", "create_activity", "Make an activity", access: .person,
            reply: .value("activity"),
            status: 201),
        Route(
            .patch, "/activities/{activity}", "update_activity", "Change an activity", access: .person,
            reply: .none(orNotFound: true)),
    ]

    private static let people = [
        Route(
            .get, "/me/posts", "uploader_posts", "One's own uploads and posts, with their states",
            access: .person,
            callers: ["uploader"]),
        Route(
            .get, "/me/comments", "author_comments", "One's own comments, with their states", access: .person,
            callers: ["author"]),
        Route(
            .get, "/me/votes", "voted_posts", "The posts that one has voted on", access: .person,
            callers: ["viewer"], hasPositions: true),
        Route(
            .get, "/me/statistics", "uploader_statistics", "The counters of one's own posts", access: .person,
            reply: .one, callers: ["uploader"]),
        Route(
            .get, "/me/quota", "upload_quota", "How much one may still upload", access: .person, reply: .one,
            callers: ["uploader"]),
        Route(
            .put, "/me/name", "set_display_name", "Choose the name that readers see", access: .person,
            reply: .none(), callers: ["person"], nulls: ["name"]),
        Route(
            .post, "/me/name/check", "check_display_name", "What is wrong with a name", access: .person,
            callers: ["person"], nulls: ["name"]),
        Route(
            .delete, "/me", "erase_person", "Erase everything about oneself", access: .person,
            reply: .value("erasure_id"), callers: ["person", "requested_by"], status: 202),
        Route(
            .get, "/me/inbox", "inbox", "What happened, gathered by post", access: .person,
            callers: ["person"]),
        Route(
            .get, "/me/inbox/unread", "count_unread", "How much is unread", access: .person,
            reply: .value("unread"), callers: ["person"]),
        Route(
            .put, "/me/inbox/read", "read_inbox", "Mark the inbox as read", access: .person, reply: .none(),
            callers: ["person"]),
        Route(
            .get, "/me/inbox/events", "inbox_events", "What one is told of", access: .person,
            reply: .value("events"), callers: ["person"]),
        Route(
            .put, "/me/inbox/events", "choose_inbox_events", "Choose what one is told of", access: .person,
            reply: .none(), callers: ["person"]),
        Route(
            .get, "/me/bar", "bar_of", "Why one may not post, and until when", access: .person,
            callers: ["person"]),
        Route(
            .get, "/me/blocks", "blocked_authors", "Whom one has blocked", access: .person,
            callers: ["person"]),
        Route(
            .put, "/me/blocks/{author_handle}", "block_author", "Block an author", access: .person,
            reply: .none(),
            callers: ["person"]),
        Route(
            .delete, "/me/blocks/{author_handle}", "unblock_author", "End a block", access: .person,
            reply: .none(orNotFound: true), callers: ["person"]),
        Route(
            .get, "/me/follows", "follows", "The places and areas that one follows", access: .person,
            callers: ["person"]),
        Route(
            .post, "/me/follows", "follow", "Follow a place or an area", access: .person,
            reply: .value("follow_id"), callers: ["person"], status: 201),
        Route(
            .delete, "/me/follows/{follow_id}", "unfollow", "End a follow", access: .person,
            reply: .none(orNotFound: true), callers: ["person"]),
        Route(
            .get, "/me/followed-posts", "followed_posts", "What is posted where one follows", access: .person,
            callers: ["viewer"], hasPositions: true),
        Route(
            .get, "/people", "people_by_handle", "The names of authors", callers: ["viewer"], maxAge: 60),
        Route(
            .get, "/me/reports", "report_decisions", "What became of one's reports", access: .person,
            callers: ["reporter"]),
    ]
}
