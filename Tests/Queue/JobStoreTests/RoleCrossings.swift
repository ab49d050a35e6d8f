import JobStore
import Testing

/// A statement, and the error with which it fails for each role.
struct Crossing: Sendable, CustomTestStringConvertible {
    let statement: String
    let allowed: Set<InstallationRole>

    init(_ statement: String, _ allowed: InstallationRole...) {
        self.statement = statement
        self.allowed = Set(allowed)
    }

    var testDescription: String { statement }
}

extension RoleTests {
    /// Grouped by subject. The owner may run all of them.
    static let crossings: [Crossing] = [
        // Exact coordinates, others' reports, the queue's payloads, uploads.
        Crossing("select * from darkroom.post_exact_locations", .worker, .operator),
        Crossing("select * from darkroom.reports", .worker, .operator),
        Crossing("select count(*) from darkroom.reports where reporter = 'bob'", .worker, .operator),
        Crossing("select * from darkroom.jobs", .worker, .operator),
        Crossing("select * from darkroom.finished_jobs", .worker, .operator),
        Crossing("select * from darkroom.all_jobs", .worker, .operator),
        Crossing("select latitude from darkroom.uploads", .worker, .operator),
        Crossing("select * from darkroom.posts", .worker, .operator),
        Crossing("select * from darkroom.votes", .worker, .operator),
        Crossing("select * from darkroom.people", .worker, .operator),
        Crossing("select * from darkroom.moderation_evidence", .worker, .operator),
        Crossing("select * from darkroom.removed_hashes", .worker, .operator),
        // Writing without the functions.
        Crossing("update darkroom.posts set state = 'published'", .worker, .operator),
        Crossing("insert into darkroom.votes (post_id, voter) values (1, 'eve')", .worker),
        Crossing("delete from darkroom.comments", .worker),
        Crossing("delete from darkroom.reports", .worker, .operator),
        Crossing("select nextval('darkroom.workers_worker_id_seq')", .worker, .operator),
        Crossing("select setval('darkroom.workers_worker_id_seq', 1)", .worker),
        // Rules and records.
        Crossing(
            "insert into darkroom.moderation_policies (hide_threshold, note) values (1000, 'mine')", .operator
        ),
        Crossing("update darkroom.settings set history_days = 1", .operator),
        Crossing("insert into darkroom.fair_keys (fair_key, weight) values ('eve', 1000)", .operator),
        Crossing("update darkroom.fair_keys set weight = 1000", .operator),
        Crossing("delete from darkroom.replays", .worker),
        Crossing("delete from darkroom.schema_files"),
        Crossing("truncate darkroom.counter_changes"),
        // Internal functions.
        Crossing("select darkroom.enqueue_job('noop', 1, 'eve')", .worker, .operator),
        Crossing("select darkroom.finish_jobs('{1}', '{1}', 'succeeded')", .worker, .operator),
        Crossing(
            "select * from darkroom.claim_jobs((1::bigint << 36) + (extract(epoch from clock_timestamp()) * 1000000)::bigint % 68000000000, 'default', '{ingest}', 1)",
            .worker, .operator
        ),
        Crossing("select darkroom.cancel_any_job(1)", .worker, .operator),
        // Workers and operators may read its tables, but not the key of the handles.
        Crossing("select * from darkroom.show_posts('near', '{1}', null, null, null)", .worker, .operator),
        Crossing("select darkroom.handle_of('ada')"),
        Crossing("select darkroom.resolve_review(1, 1, true)", .worker, .operator),
        Crossing("select darkroom.make_lane('eve', 'noop', 0)", .worker, .operator),
        Crossing("select darkroom.prune_history()", .worker, .operator),
        Crossing("select * from darkroom.similar_removed(0, 7)", .worker, .operator),
        Crossing("select * from darkroom.listed_hash(repeat('01', 128)::bit(256), 100)", .worker, .operator),
        Crossing("select * from darkroom.hide_listed(1)", .worker, .operator),
        Crossing(
            "insert into darkroom.hash_lists (name, action, added_by) values ('x', 'hold', 'eve')", .operator),
        Crossing("delete from darkroom.listed_hashes", .operator),
        Crossing("select * from darkroom.hash_refusals", .worker, .operator),
        Crossing("select darkroom.pause_queue('default', null, 'eve')", .operator),
        // Creating objects in the schema.
        Crossing("create table darkroom.mine (x int)"),
        Crossing("create function darkroom.now() returns timestamptz language sql return now()"),
        Crossing("alter function darkroom.job_status(bigint, darkroom.person) security invoker"),
        Crossing("drop function darkroom.job_status(bigint, darkroom.person)"),
        Crossing("alter table darkroom.uploads disable trigger user"),
        Crossing("set role darkroom_owner"),
        // What the roles are for.
        Crossing(
            "select darkroom.enqueue_upload('eve', 'originals/x', repeat('ab', 32), 1)", .api, .worker,
            .operator),
        Crossing(
            "select darkroom.enqueue_uploads(jsonb_build_array(jsonb_build_object('uploader', 'eve', 'original_key', 'originals/x', 'original_sha256', repeat('ab', 32), 'original_bytes', 1)), 'a-new-queue')",
            .api, .worker, .operator),
        Crossing("select * from darkroom.job_status(1, 'ada')", .api, .worker, .operator),
        Crossing("select * from darkroom.upload_quota('ada')", .api, .worker, .operator),
        Crossing("select darkroom.cancel_job(1, 'ada')", .api, .worker, .operator),
        Crossing("select darkroom.report_post(1, 'bob', 'spam')", .api, .worker, .operator),
        Crossing("select darkroom.vote_on_post(1, 'bob', 'like')", .api, .worker, .operator),
        Crossing("select darkroom.add_comment(1, 'bob', 'Nice')", .api, .worker, .operator),
        Crossing("select darkroom.count_views('{1}')", .api, .worker, .operator),
        Crossing("select darkroom.erase_person('bob', 'bob')", .api, .worker, .operator),
        Crossing("select darkroom.votes_for_people()", .worker, .operator),
        Crossing("select * from darkroom.person_traces('bob')", .worker, .operator),
        Crossing("select * from darkroom.latest_posts()", .api, .reader, .worker, .operator),
        Crossing("select * from darkroom.nearest_posts(47.6, -122.3)", .api, .reader, .worker, .operator),
        Crossing("select * from darkroom.posts_within(47.6, -122.3)", .api, .reader, .worker, .operator),
        Crossing(
            "select * from darkroom.near_and_good_posts(47.6, -122.3)", .api, .reader, .worker, .operator),
        Crossing("select * from darkroom.top_posts('hot')", .api, .reader, .worker, .operator),
        Crossing("select * from darkroom.activities()", .api, .reader, .worker, .operator),
        Crossing("select * from darkroom.activity('picnic')", .api, .reader, .worker, .operator),
        Crossing("select * from darkroom.post_details(1)", .api, .reader, .worker, .operator),
        Crossing("select * from darkroom.post_comments(1)", .api, .reader, .worker, .operator),
        Crossing("select * from darkroom.uploader_statistics('ada')", .api, .reader, .worker, .operator),
        Crossing(
            "select * from darkroom.map_clusters(47, -123, 48, -122, 10)", .api, .reader, .worker, .operator),
        Crossing(
            "select * from darkroom.map_photos(47, -123, 48, -122, 10)", .api, .reader, .worker, .operator),
        Crossing(
            "select * from darkroom.cluster_posts((select min(cluster_id) from darkroom.map_clusters(47, -123, 48, -122, 10)))",
            .api, .reader, .worker, .operator),
        Crossing("select * from darkroom.posts_to_review()", .moderator, .worker, .operator),
        Crossing("select * from darkroom.post_to_review(1)", .moderator, .worker, .operator),
        Crossing(
            "select * from darkroom.decide_on_post(1, 'remove', 'olga')", .moderator, .worker, .operator),
        Crossing("select * from darkroom.comments_to_review()", .moderator, .worker, .operator),
        Crossing("select * from darkroom.comment_to_review(1)", .moderator, .worker, .operator),
        Crossing(
            "select * from darkroom.decide_on_comment(1, 'remove', 'olga')", .moderator, .worker, .operator),
        Crossing(
            "select * from darkroom.decide_on_posts('{1}', 'remove', 'olga')", .moderator, .worker, .operator),
        Crossing("select * from darkroom.report_decisions('bob')", .api, .worker, .operator),
        Crossing("listen \"darkroom.events\"", .api, .reader, .moderator, .worker, .operator),
    ]
}
