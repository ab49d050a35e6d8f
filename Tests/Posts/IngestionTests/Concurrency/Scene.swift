import Postgres
import TestKit

/// Two people, `a` and `b`, who have voted on, commented on and reported each other's posts.
struct Scene: Sendable {
    let number: Int
    /// A visible post of `a`, with a comment by `b`; a visible post of `b`, with one by `a` that reports have hidden.
    let mine: Int64
    let theirs: Int64
    /// Posts of `a`: one that reports have hidden, and one that a review has removed.
    let hidden: Int64
    let removed: Int64
    let commentOfB: Int64
    let commentOfA: Int64
    /// A waiting upload of `a`.
    let job: Int64

    /// Whether `:v` and `:n` stand for other people than in the first transaction.
    var isSecond = false

    /// The scene as others see it, who act at the same time.
    var second: Scene {
        var copy = self
        copy.isSecond = true
        return copy
    }

    /// Fills in `:mine`, `:b` and so on: posts, comments and people. `:v` has voted before, `:n` is new.
    func fill(_ statement: String) -> String {
        let names: [(String, String)] = [
            (":comment_of_b", "\(commentOfB)"), (":comment_of_a", "\(commentOfA)"), (":mine", "\(mine)"),
            (":theirs", "\(theirs)"), (":hidden", "\(hidden)"), (":removed", "\(removed)"),
            (":job", "\(job)"),
            (":a", "'a-\(number)'"), (":b", "'b-\(number)'"), (":v", "'\(isSecond ? "w" : "v")-\(number)'"),
            (":n", "'\(isSecond ? "m" : "n")-\(number)'"),
        ]
        return names.reduce(statement) { $0.replacing($1.0, with: $1.1) }
    }

    static func prepare(_ database: QueueDatabase) async throws {
        try await database.pool.withConnection { try await $0.execute(functions) }
    }

    static func make(_ number: Int, in database: QueueDatabase) async throws -> Scene {
        let row = try await database.pool.query("select * from public.make_scene(\(number))")[0]
        func id(_ column: String) throws -> Int64 { try row.decode(column, as: Int64.self) }
        return Scene(
            number: number, mine: try id("mine"), theirs: try id("theirs"), hidden: try id("hidden"),
            removed: try id("removed"), commentOfB: try id("comment_of_b"),
            commentOfA: try id("comment_of_a"),
            job: try id("job"))
    }

    private static let functions = """
        create function public.make_post(person text, as_state darkroom.post_state) returns bigint language plpgsql as $$
        declare
            upload bigint;
            made   bigint;
        begin
            insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
            values (person, -nextval('public.numbers'), 'originals/' || currval('public.numbers'), sha256('x'), 1)
            returning upload_id into upload;
            insert into darkroom.posts (
                upload_id, uploader, category, activity, latitude, longitude, location_source, width, height, format, perceptual_hash)
            values (upload, person, 'food', 'picnic', 47.6 + upload % 7 / 100.0, -122.3, 'exif', 10, 10, 'jpeg',
                    hashtextextended(upload::text, 0))
            returning post_id into made;
            insert into darkroom.renditions (post_id, name, media_key, sha256, width, height, bytes)
            values (made, 'large', 'renditions/' || upload, sha256(upload::text::bytea), 10, 10, 1);
            insert into darkroom.post_exact_locations values (made, 47.6, -122.3);
            insert into darkroom.outbox (post_id, event) values (made, 'published');
            if as_state <> 'published' then
                update darkroom.posts set state = as_state where post_id = made;
                insert into darkroom.outbox (post_id, event) values (made, as_state::text);
                insert into darkroom.moderation_decisions (
                    post_id, decision, cause, policy_version, reports, from_state, to_state, decider, ground)
                values (made, case as_state when 'hidden' then 'hide' else 'remove' end,
                        case as_state when 'hidden' then 'score' else 'review' end, 1, 1, 'published', as_state,
                        case as_state when 'removed' then 'olga' end, case as_state when 'removed' then 'terms' end);
            end if;
            if as_state = 'hidden' then
                insert into darkroom.reviews (post_id, severity, score, cause, weighed_by) values (made, 2, 6, 'score', 1);
            elsif as_state = 'removed' then
                insert into darkroom.removals (post_id, uploader) values (made, person);
                insert into darkroom.removed_hashes select made, perceptual_hash from darkroom.posts where post_id = made;
                insert into darkroom.people as p (person, removals) values (person, 1)
                on conflict on constraint people_pkey do update set removals = p.removals + 1;
            end if;
            return made;
        end $$;
        update darkroom.settings set activities_at_most = 30000;
        create sequence public.numbers;
        create function public.make_scene(
            n integer, out mine bigint, out theirs bigint, out hidden bigint, out removed bigint, out comment_of_b bigint,
            out comment_of_a bigint, out job bigint)
        language plpgsql as $$
        declare
            a text := 'a-' || n;
            b text := 'b-' || n;
            v text := 'v-' || n;
        begin
            perform darkroom.create_activity('of ' || a, ends_at => now() + interval '1 hour', aliases => array['also of ' || a]);
            mine := public.make_post(a, 'published');
            theirs := public.make_post(b, 'published');
            hidden := public.make_post(a, 'hidden');
            removed := public.make_post(a, 'removed');
            comment_of_b := darkroom.add_comment(mine, b, 'by b');
            comment_of_a := darkroom.add_comment(theirs, a, 'by a');
            perform darkroom.vote_on_post(p, person, 'like') from unnest(array[mine, theirs]) p, unnest(array[a, b, v, 'w-' || n]) person;
            perform darkroom.vote_on_comment(c, v, 'like') from unnest(array[comment_of_b, comment_of_a]) c;
            insert into darkroom.reports (post_id, comment_id, reporter, reason) values (theirs, comment_of_a, b, 'illegal');
            perform darkroom.add_decision(theirs, 'hide', 'score', 'hidden', reports => 1, of_comment => comment_of_a),
                    darkroom.set_comment_state(comment_of_a, 'hidden'),
                    darkroom.list_for_review(theirs, 'score', 9, 6, of_comment => comment_of_a);
            perform darkroom.report_post(mine, b, 'spam'), darkroom.report_post(theirs, a, 'spam');
            insert into darkroom.reports (post_id, reporter, reason) values (hidden, b, 'illegal');
            insert into darkroom.moderation_backlog (post_id) values (hidden);
            job := darkroom.enqueue_upload(a, 'originals/job' || n, repeat('ab', 32), 1);
        end $$;
        """
}
