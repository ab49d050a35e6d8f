import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Upgrading a database with reports in it", .timeLimit(.minutes(5)))
struct ReviewUpgradeTests {
    /// A policy, a hidden and a published post, their reports and a decision, as the release before left them.
    private static let before = """
        insert into darkroom.moderation_policies (hide_threshold, note) values (2, 'small community');
        select darkroom.enqueue_upload('ada', 'originals/a', repeat('ab', 32), 1);
        select darkroom.enqueue_upload('ada', 'originals/b', repeat('cd', 32), 1);
        insert into darkroom.posts (upload_id, uploader, latitude, longitude, location_source, width, height, format)
        values (1, 'ada', 0, 0, 'exif', 1, 1, 'jpeg'), (2, 'ada', 0, 0, 'exif', 1, 1, 'jpeg');
        select darkroom.report_post(1, 'ria', 'spam'), darkroom.report_post(1, 'rob', 'illegal'),
               darkroom.report_post(2, 'ria', 'other', 'Again.');
        update darkroom.reports set created_at = now() - interval '100 days' where reporter = 'ria' and post_id = 2;
        update darkroom.posts set state = 'hidden', report_count = 2 where post_id = 1;
        insert into darkroom.moderation_decisions (post_id, decision, policy_version, reports) values (1, 'hide', 2, 2);
        """

    @Test("keeps policies, decisions and reports, knows the people, and lists what is hidden")
    func upgrade() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("drop schema darkroom cascade")
            let connection = try await PostgresConnection.connect(database.configuration)
            _ = try await Migrator(connection).migrate(to: 10)
            try await connection.execute(Self.before)
            _ = try await Migrator(connection).migrate()
            await connection.close()

            let policy = try await database.policies.inForce()
            #expect(policy.version == 2 && policy.hideThreshold == 2 && policy.note == "small community")
            #expect(policy.restoreShare == ModerationPolicy(version: 1).restoreShare)
            #expect(
                try await database.texts(
                    """
                    select concat_ws(' ', person, extract(day from now() - first_seen_at)) from darkroom.people order by 1
                    """) == ["ada 0", "ria 100", "rob 0"])
            let items = try await database.reviews.waiting(limit: 10)
            #expect(items.map(\.position.post) == [1] && items.first?.position.score == 2)

            // ria is known for a hundred days: her old report counts as such.
            let weighed = try #require(try await database.reports.weigh(1))
            #expect(weighed.verdict.evidence.map(\.account) == [1, policy.newAccountWeight])
            let decisions = try await database.decisions.decisions(on: 1)
            #expect(decisions.map(\.kind) == [.hide] && decisions.first?.from == nil)

            let outcome = try await database.reviews.review(1, .approve, by: "olga")
            #expect(outcome.state == .published && outcome.judged == 2)
            // The jobs of then are run too.
            try await database.moderateAll()
            #expect(try await database.state(ofPost: 2) == .published)
            #expect(try await database.decisions.decisions(on: 2).map(\.kind) == [.keep])
        }
    }
}
