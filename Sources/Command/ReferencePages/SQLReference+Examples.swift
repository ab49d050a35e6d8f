extension SQLReference {
    /// A public function, and how it is called.
    package struct Example: Sendable {
        package let function: String
        /// One statement, which runs as the role `api` against posts and comments with the numbers 1 and up.
        package let sql: String

        init(_ function: String, _ sql: String) {
            self.function = function
            self.sql = sql
        }
    }

    package static let chapters: [(title: String, examples: [Example])] = [
        ("Uploading", uploading), ("What people do", people), ("Events", events), ("Feeds", feeds),
        ("The map", map),
    ]

    private static let uploading = [
        Example(
            "enqueue_upload",
            """
            select darkroom.enqueue_upload(
                uploader => 'user-17', original_key => 'originals/9f/86/9f86d081…', original_bytes => 48213,
                original_sha256 => '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
                caption => 'The ferry at dawn', latitude => 47.6026, longitude => -122.3393,
                idempotency_key => 'upload-1')
            """),
        Example(
            "enqueue_uploads",
            """
            select darkroom.enqueue_uploads(array(
                select jsonb_populate_record(null::darkroom.new_upload, u)
                from jsonb_array_elements('[
                    {"uploader": "user-17", "original_key": "originals/a", "original_bytes": 48213,
                     "original_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
                    {"uploader": "user-18", "original_key": "originals/b", "original_bytes": 51200,
                     "original_sha256": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"}]') u),
                queue => 'default', priority => 10)
            """),
        Example(
            "job_status",
            "select state, reason, message, post_id from darkroom.job_status(1, uploader => 'user-17')"),
        Example("cancel_job", "select darkroom.cancel_job(1, uploader => 'user-17')"),
    ]

    private static let people = [
        Example(
            "report_post",
            """
            select darkroom.report_post(
                post_id => 1, reporter => 'user-9', reason => 'spam', details => 'The same advertisement again',
                reporter_since => timestamptz '2025-09-01')
            """),
        Example(
            "appeal_post",
            "select darkroom.appeal_post(post_id => 2, uploader => 'user-2', text => 'It is my own photo.')"),
        Example("delete_post", "select darkroom.delete_post(post_id => 3, uploader => 'user-3')"),
        Example(
            "erase_person", "select darkroom.erase_person(person => 'user-9', requested_by => 'user-9')"),
        Example(
            "vote_on_post", "select darkroom.vote_on_post(post_id => 1, voter => 'user-9', vote => 'like')"),
        Example(
            "vote_on_comment",
            "select darkroom.vote_on_comment(comment_id => 1, voter => 'user-9', vote => 'dislike')"),
        Example(
            "add_comment",
            "select darkroom.add_comment(post_id => 1, author => 'user-9', body => 'Which pier is it?')"),
        Example("delete_comment", "select darkroom.delete_comment(comment_id => 1, author => 'user-9')"),
        Example("count_views", "select darkroom.count_views(post_ids => '{1,4}', views => '{12,3}')"),
        Example("set_display_name", "select darkroom.set_display_name(person => 'user-9', name => 'Zoë')"),
    ]

    private static let events = [
        Example(
            "read_events",
            "select number, event, post_id, uploader from darkroom.read_events('push', at_most => 100)"),
        Example("ack_events", "select darkroom.ack_events('push', up_to => 1)"),
    ]

    private static let feeds = [
        Example(
            "latest_posts",
            "select post_id, headline, cursor from darkroom.latest_posts(20, in_category => 'food')"),
        Example(
            "nearest_posts",
            "select post_id, distance_m from darkroom.nearest_posts(47.6062, -122.3321, page => 6, max_metres => 20000)"
        ),
        Example(
            "posts_within",
            "select post_id, published_at from darkroom.posts_within(47.6062, -122.3321, radius_m => 2000)"),
        Example(
            "near_and_good_posts",
            "select post_id, score from darkroom.near_and_good_posts(47.6062, -122.3321, half_life => '12 hours')"
        ),
        Example(
            "top_posts",
            "select post_id, likes, dislikes from darkroom.top_posts('wilson', in_event => 'picnic', since => '2025-01-01')"
        ),
        Example(
            "post_details",
            "select (post).headline, (post).likes, my_vote from darkroom.post_details(1, viewer => 'user-9')"),
        Example(
            "post_comments", "select comment_id, author, body from darkroom.post_comments(1, page => 20)"),
        Example(
            "uploader_statistics", "select posts, likes, views from darkroom.uploader_statistics('user-2')"),
    ]

    private static let map = [
        Example(
            "map_clusters",
            "select cluster, posts, latitude, longitude, best from darkroom.map_clusters(47, -123, 48, -122, 10)"
        ),
        Example("map_photos", "select post_id, pictures from darkroom.map_photos(47, -123, 48, -122, 10)"),
        Example(
            "cluster_posts",
            """
            select post_id from darkroom.cluster_posts(
                (select cluster from darkroom.map_clusters(47, -123, 48, -122, 10) order by posts desc limit 1))
            """),
        Example(
            "cluster_location",
            """
            select latitude, longitude from darkroom.cluster_location(
                (select cluster from darkroom.map_clusters(47, -123, 48, -122, 10) order by posts desc limit 1))
            """),
    ]
}
