import ChildProcess
import FoundationEssentials
import Glibc
import Ingestion
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("A worker with only its role's rights", .timeLimit(.minutes(10)))
struct WorkerRoleTests {
    private static func work(_ darkroom: Installation) async throws {
        var command = darkroom.command(["work", "--drain", "--concurrency", "1"])
        command.environment["DATABASE_URL"] = try await darkroom.database.url(as: .worker)
        try await command.runSuccessfully()
    }

    private static func number(_ query: PostgresQuery, _ darkroom: Installation) async throws -> Int {
        let rows = try await darkroom.database.pool.query(query)
        return try rows[0].decode(rows.columns[0], as: Int.self)
    }

    /// Publishes a photo by ada, post 1, and one by bob, post 2.
    private static func publish(_ darkroom: Installation) async throws {
        for (number, uploader) in ["ada", "bob"].enumerated() {
            let photo = PhotoFixture.jpeg(width: 200 + number, height: 150, latitude: 47.6, longitude: -122.3)
            let path = try darkroom.write(photo, to: "\(uploader).jpg")
            _ = try await darkroom.json("enqueue", "--uploader", uploader, path)
            try await work(darkroom)
        }
    }

    /// The whole path of the job: from its schedule, if it has one.
    private static let due: PostgresQuery =
        "update darkroom.schedules set is_enabled = true, next_run_at = now() - interval '1 minute' where kind = "

    /// Statements that give a job of the kind something to do.
    private static func cause(of kind: JobKind) -> [PostgresQuery] {
        switch kind {
        case .ingest: []
        case .ingestText:
            [
                "select darkroom.enqueue_upload('ada', headline => 'Hello', latitude => 47.6, longitude => -122.3)"
            ]
        case .moderate:
            (1...5).map {
                """
                select darkroom.report_post(1, \("r\($0)"), 'spam', reporter_since => now() - interval '1 year')
                """
            }
        case .moderateComment:
            ["select darkroom.add_comment(1, 'bob', 'Hm')"]
                + (1...5).map {
                    """
                    select darkroom.report_comment(
                        (select max(comment_id) from darkroom.comments), \("r\($0)"), 'spam',
                        reporter_since => now() - interval '1 year')
                    """
                }
        case .pruneHistory:
            [
                """
                create table darkroom.finished_jobs_20200101 partition of darkroom.finished_jobs
                for values from ('2020-01-01') to ('2020-01-02')
                """,
                "alter table darkroom.finished_jobs_20200101 owner to darkroom_owner",
                "select darkroom.notify_of_events()",
                "update darkroom.event_log set numbered_at = now() - interval '40 days'",
                "\(due) 'prune_history'",
            ]
        case .tally:
            [
                "select darkroom.vote_on_post(1, 'v1', 'like')",
                "select darkroom.vote_on_post(1, 'v2', 'like')",
                "select darkroom.add_comment(1, 'v1', 'nice')", "\(due) 'tally'",
            ]
        case .expire:
            [
                "update darkroom.settings set expired_days = 0",
                "update darkroom.posts set expires_at = now() - interval '1 minute' where post_id = 1",
                "\(due) 'expire'",
            ]
        case .erasePost: ["select darkroom.delete_post(1, 'ada')"]
        case .erasePerson:
            [
                "select darkroom.vote_on_post(2, 'ada', 'like')",
                "select darkroom.add_comment(2, 'ada', 'nice')",
                "select darkroom.vote_on_comment(1, 'ada', 'like')",
                "select darkroom.report_post(2, 'ada', 'spam', 'no')",
                "select darkroom.set_display_name('ada', 'Ada')",
                "insert into darkroom.fair_keys (fair_key, per_minute) values ('ada', 1000)",
                "insert into darkroom.pauses (kind, drains, paused_by) values ('noop', false, 'ada')",
                """
                insert into darkroom.moderation_decisions (post_id, decision, policy_version, reports, decider)
                values (2, 'approve', 1, 1, 'ada')
                """,
                "select darkroom.erase_person('ada', 'ada')",
            ]
        case .eraseOriginals:
            [
                "update darkroom.uploads set created_at = now() - interval '8 days' where uploader = 'ada'",
                "\(due) 'erase_originals'",
            ]
        case .rerender:
            [
                """
                select darkroom.enqueue_rerenders(
                    (select rendered_with from darkroom.posts where post_id = 1), 0, 10, null, 1, true)
                """
            ]
        case .relocate:
            [
                "insert into darkroom.location_policies (category, privacy, note) values ('home', 'grid_1km', 'x')",
                "select darkroom.edit_post(1, 'ada', 'Our house', null, 'home')",
            ]
        case .sweep: ["\(due) 'sweep'"]
        case .noop: ["select darkroom.enqueue_job('noop', 1, 'somebody')"]
        default: ["select 'add statements here that give a job of this kind something to do'::int"]
        }
    }

    /// A condition that is false before the job and true after it.
    private static func effect(of kind: JobKind) -> PostgresQuery {
        switch kind {
        case .ingest: "(select count(*) from darkroom.posts) = 2"
        case .ingestText: "exists (select from darkroom.posts where headline = 'Hello' and format is null)"
        case .moderate:
            """
            (select state from darkroom.posts where post_id = 1) = 'hidden'
            and (select count(*) from darkroom.moderation_evidence) = 5
            """
        case .moderateComment:
            "exists (select from darkroom.comments where state = 'hidden')"
        case .pruneHistory:
            """
            to_regclass('darkroom.finished_jobs_20200101') is null
            and not exists (select from darkroom.event_log where event = 'published')
            """
        case .tally:
            """
            exists (select from darkroom.post_counters where post_id = 1 and likes = 2 and comments = 1)
            and exists (select from darkroom.map_tiles)
            and not exists (select from darkroom.outbox)
            """
        case .expire, .erasePost:
            """
            not exists (select from darkroom.posts where post_id = 1)
            and exists (select from darkroom.post_erasures where post_id = 1 and erased_at is not null)
            """
        case .erasePerson:
            """
            exists (select from darkroom.person_erasures where state = 'finished' and posts = 1 and files > 0)
            and not exists (select from darkroom.person_traces('ada') where "rows" > 0)
            and not exists (select from darkroom.fair_keys) and not exists (select from darkroom.people where person = 'ada')
            and (select paused_by from darkroom.pauses) like 'erased-%'
            and (select decider from darkroom.moderation_decisions where decider is not null) like 'erased-%'
            """
        case .eraseOriginals:
            """
            (select count(*) from darkroom.uploads where original_erased_at is not null) = 1
            and not exists (select from darkroom.retired_media)
            """
        case .rerender: "exists (select from darkroom.posts where post_id = 1 and rendered_with is not null)"
        case .relocate: "(select location_policy from darkroom.posts where post_id = 1) = 2"
        case .sweep, .noop: "true"
        default: "'say here what is so when the job is done'::bool"
        }
    }

    @Test("does every kind of job", arguments: JobDefinition.kinds.every(3))
    func kind(_ kind: JobKind) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.makeLogins()
            let pool = darkroom.database.pool
            try await pool.query("update darkroom.settings set original_grace = '0'")
            try await Self.publish(darkroom)
            let ended: PostgresQuery =
                "select count(*) from darkroom.finished_jobs where kind::text = \(kind.rawValue)"
            let before = kind == .ingest ? 0 : try await Self.number(ended, darkroom)
            let effect: PostgresQuery = "select count(*) from (select) as one where \(Self.effect(of: kind))"
            for cause in Self.cause(of: kind) { try await pool.query(cause) }
            if ![.ingest, .sweep, .noop].contains(kind) {
                #expect(try await Self.number(effect, darkroom) == 0, "no effect yet")
            }
            let unfinished: PostgresQuery =
                "select count(*) from darkroom.jobs where kind::text not in ('noop', 'tally')"
            let faulty: PostgresQuery =
                "select count(*) from darkroom.job_attempts where outcome in ('retry', 'failed', 'crashed', 'rejected')"
            // Some jobs are postponed for a moment, and some are enqueued by others.
            while try await Self.number(faulty, darkroom) == 0 {
                let isDone = try await Self.number(ended, darkroom) > before
                if isDone, try await Self.number(unfinished, darkroom) == 0 {
                    break
                }
                try await Self.work(darkroom)
            }
            let faults = try await pool.query(
                "select concat_ws(': ', reason, message, cause) as fault from darkroom.job_attempts where outcome not in ('succeeded', 'snoozed')"
            )
            #expect(try faults.map { try $0.decode("fault", as: String.self) } == [])
            let others = try await pool.query(
                "select kind::text || ' ' || state::text as job from darkroom.finished_jobs where state <> 'succeeded'"
            )
            #expect(try others.map { try $0.decode("job", as: String.self) } == [])
            #expect(try await Self.number(effect, darkroom) == 1)
        }
    }
}
