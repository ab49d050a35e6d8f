import Ingestion
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit

/// Something that a person or a worker does in a scene.
struct Act: Sendable {
    let name: String
    /// Nil for what takes more than a statement.
    let statement: String?
    /// Who acts, if it can be one person only: `a`, `b`.
    let person: String?
    private let body: @Sendable (Scene, PostgresPool) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (Scene, PostgresPool) async throws -> Void) {
        self.name = name
        statement = nil
        person = nil
        self.body = body
    }

    init(_ name: String, by person: String? = nil, _ statement: String) {
        self.name = name
        self.statement = statement
        self.person = person
        body = { (scene: Scene, pool: PostgresPool) async throws -> Void in
            try await pool.query(PostgresQuery(unescaped: scene.fill(statement)))
        }
    }

    func run(_ scene: Scene, _ pool: PostgresPool) async throws { try await body(scene, pool) }

    /// What an app does for people, each a public function that writes. Only these transactions may stay open for long.
    static let ofApps = [
        Act("vote_on_post", "select darkroom.vote_on_post(:mine, :n, 'like')"),
        Act("vote_on_post again", "select darkroom.vote_on_post(:mine, :v, 'dislike')"),
        Act("vote_on_comment", "select darkroom.vote_on_comment(:comment_of_b, :n, 'like')"),
        Act("vote_on_comment again", "select darkroom.vote_on_comment(:comment_of_b, :v, 'none')"),
        Act("add_comment", "select darkroom.add_comment(:mine, :n, 'hello')"),
        Act("delete_comment", by: "b", "select darkroom.delete_comment(:comment_of_b, :b)"),
        Act("delete_comment under a post", by: "a", "select darkroom.delete_comment(:comment_of_b, :a)"),
        Act("delete_comment hidden", by: "a", "select darkroom.delete_comment(:comment_of_a, :a)"),
        Act(
            "appeal_comment", by: "a",
            "select darkroom.appeal_comment(:comment_of_a, :a, 'It is a quotation.')"),
        Act("report_comment", "select darkroom.report_comment(:comment_of_b, :n, 'spam')"),
        Act(
            "count_views", "select darkroom.count_views(cast(array[:mine, :theirs] as bigint[]), array[2, 3])"
        ),
        Act("report_post", "select darkroom.report_post(:mine, :n, 'illegal')"),
        Act(
            "report_post again",
            "select darkroom.report_post(:theirs, :v, 'spam', reporter_since => '2020-01-01')"),
        Act("appeal_post", by: "a", "select darkroom.appeal_post(:hidden, :a, 'It is mine.')"),
        Act("delete_post", by: "a", "select darkroom.delete_post(:mine, :a)"),
        Act("delete_post hidden", by: "a", "select darkroom.delete_post(:hidden, :a)"),
        Act("edit_post", by: "a", "select darkroom.edit_post(:mine, :a, 'edited', null, 'art')"),
        Act("edit_post hidden", by: "a", "select darkroom.edit_post(:hidden, :a, 'edited', 'twice', 'food')"),
        Act("set_display_name", by: "a", "select darkroom.set_display_name(:a, 'Name of ' || :a)"),
        Act("erase_person", by: "b", "select darkroom.erase_person(:b, requested_by => :b)"),
        Act("enqueue_upload", "select darkroom.enqueue_upload(:n, 'originals/new', repeat('ab', 32), 1)"),
        Act(
            "enqueue_upload text",
            "select darkroom.enqueue_upload(:n, headline => 'Lost', latitude => 47.6, longitude => -122.3)"),
        Act(
            "enqueue_uploads",
            """
            select darkroom.enqueue_uploads(jsonb_build_array(jsonb_build_object(
                'uploader', :n, 'original_key', 'originals/y', 'original_sha256', repeat('ab', 32), 'original_bytes', 1)))
            """),
        Act(
            "create_activity",
            "select darkroom.create_activity('by ' || :n, 47.6, -122.3, 100, aliases => array['also by ' || :n])"
        ),
        Act(
            "update_activity", by: "a",
            "select darkroom.update_activity('of ' || :a, ends_at => now() + interval '1 day', aliases => '{}')"
        ),
        Act(
            "read_inbox", by: "a",
            "select darkroom.read_inbox(:a, coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0))"),
        Act(
            "choose_inbox_events", by: "a",
            "select darkroom.choose_inbox_events(:a, array['liked', 'commented'])"),
        Act("block_author", by: "a", "select darkroom.block_author(:a, darkroom.handle_of(:b))"),
        Act("unblock_author", by: "a", "select darkroom.unblock_author(:a, repeat('1', 24))"),
        Act(
            "follow", by: "a",
            "select darkroom.follow(:a, latitude => 47.6, longitude => -122.3, radius_m => 500 + random() * 100)"
        ),
        Act("unfollow", by: "a", "select darkroom.unfollow(0, :a)"),
        Act("bar_person", "select darkroom.bar_person('barred ' || :n, 'olga', 'No.')"),
        Act("lift_bar", "select darkroom.lift_bar('barred ' || :n, 'olga')"),
        Act("publish_draft", by: "a", "select darkroom.publish_draft(:job, :a, headline => 'Now')"),
        Act("cancel_job", by: "a", "select darkroom.cancel_job(:job, :a)"),
        Act(
            "read_events", "select count(*) from darkroom.read_events('push'), darkroom.ack_events('push', 0)"
        ),
    ]

    /// What workers and operators do: each ends by itself.
    static let ofWorkers = [
        Act("enqueue_backlogs", "select darkroom.enqueue_backlogs()"),
        Act("tally_counters", "select darkroom.tally_counters()"),
        Act("notify_of_likes", "select darkroom.tally_counters(), darkroom.notify_of_likes()"),
        Act("tally_map", "select darkroom.tally_map()"),
        Act("number_events", "select darkroom.notify_of_events()"),
        Act("move_activities", "select darkroom.move_activities()"),
        Act("fill_inboxes", "select darkroom.notify_of_events(), darkroom.fill_inboxes()"),
        Act("moderate") { scene, pool in
            for post in [scene.mine, scene.hidden] {
                _ = try await pool.withTransaction { try await ModerationStore.moderate(post, in: $0) }
            }
        },
        Act("moderate_comment") { scene, pool in
            for comment in [scene.commentOfA, scene.commentOfB] {
                _ = try await pool.withTransaction {
                    try await ModerationStore.moderate(comment, as: .comment, in: $0)
                }
            }
        },
        Act("erase_post", "select darkroom.erase_post_rows(:mine)"),
        Act(
            "erase_person",
            """
            with ordered as materialized (select darkroom.erase_person(:b) as erasure),
            cancelled as materialized (select erasure, darkroom.erase_person_jobs(erasure) from ordered),
            erased as materialized (select erasure, darkroom.erase_person_post(erasure) from cancelled)
            select darkroom.erase_person_reactions(erasure) from erased
            """),
        Act("erase_person_record", "select darkroom.erase_person_record(darkroom.erase_person(:b))"),
        Act("erase_leftovers", "select darkroom.erase_leftovers(:removed)"),
        Act("expire") { scene, pool in
            try await pool.query(
                """
                update darkroom.posts set expires_at = now() where state = 'published' and post_id in (
                    select post_id from darkroom.posts where post_id = \(scene.mine) for update skip locked)
                """
            )
            try await pool.query("select darkroom.expire_posts()")
        },
        Act("retire_originals", "select * from darkroom.retire_originals('-infinity', 0)"),
        Act("prune_history", "select darkroom.prune_history()"),
        Act("weigh_again", "select darkroom.weigh_again()"),
        Act("replace pictures") { scene, pool in
            let picture = PostRendition(
                name: "large", mediaKey: "renditions/again\(scene.mine)",
                sha256: String(repeating: "ab", count: 32),
                width: 20, height: 20, byteCount: 1, format: "jpeg")
            try await pool.withTransaction {
                try await RerenderingStore.replacePictures(
                    of: scene.mine, by: [picture], placeholder: nil, perceptualHash: nil, renderedWith: 7,
                    in: $0)
            }
        },
        Act("publish") { scene, pool in
            try await pool.withTransaction { (transaction: PostgresConnection) async throws -> Void in
                let rows = try await transaction.query(
                    "select upload_id from darkroom.uploads where job_id = \(scene.job)")
                guard let row = rows.first else { return }
                _ = try await PublishingStore.publish(
                    PhotoLibrary.post(upload: try row.decode("upload_id", as: Int64.self), renditions: []),
                    in: transaction)
            }
        },
        Act("relocate") { scene, pool in
            try await pool.withTransaction { (transaction: PostgresConnection) async throws -> Void in
                var moved: [NewLocation] = []
                for post in [scene.mine, scene.theirs].sorted() {
                    let known = try await RelocationStore.location(of: post, in: transaction)
                    let place = PostPlace(
                        country: .init(code: "US", name: "United States", geonameid: post),
                        division: .init(code: "US.WA", name: "Washington", geonameid: post + 1),
                        city: .init(geonameid: post + 2, name: "Seattle"), place: known.place.place)
                    moved.append(
                        NewLocation(
                            post: post, exactLatitude: known.exactLatitude,
                            exactLongitude: known.exactLongitude,
                            privacy: known.privacy, policy: 1, locatedBy: 7, latitude: known.latitude + 0.001,
                            longitude: known.longitude, place: place, timeZone: nil))
                }
                try await RelocationStore.relocate(moved, in: transaction)
            }
        },
        Act("approve", "select darkroom.decide_on_post(:hidden, 'approve', 'olga', seen => 1000000)"),
        Act("remove", "select darkroom.decide_on_posts(array[:mine], 'remove', 'piet')"),
        Act(
            "approve a comment",
            "select darkroom.decide_on_comment(:comment_of_a, 'approve', 'olga', seen => 1000000)"),
        Act("remove a comment", "select darkroom.decide_on_comment(:comment_of_b, 'remove', 'piet')"),
        Act("restore", "select darkroom.decide_on_post(:removed, 'restore', 'quinn', seen => 1000000)"),
        Act(
            "activity's end",
            "insert into darkroom.activities values ('picnic', now() + interval '1 day') on conflict (activity) do update set ends_at = excluded.ends_at"
        ),
        Act("enqueue_rerenders", "select * from darkroom.enqueue_rerenders(9, 0, 1000, null, null, false)"),
        Act("claim_jobs") { _, pool in
            let store = JobStore(pool: pool)
            let worker = try await store.register(
                host: "test", pid: 1, version: "test", queues: [ServedQueue(name: "default", concurrency: 2)])
            _ = try await store.claim(limit: 2, worker: worker)
        },
        Act("promote_due", "select darkroom.promote_due()"),
        Act("prune_paces", "select darkroom.prune_paces()"),
    ]
}
