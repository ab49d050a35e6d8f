import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("A post that a review shows again", .timeLimit(.minutes(10)))
struct RestorationTests {
    static func removedPost(in database: QueueDatabase) async throws -> Int64 {
        let post = try await ReviewTests.hiddenPost(in: database)
        _ = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
        return post
    }

    @Test("has expired, if its activity has ended while it was removed", arguments: [true, false])
    func ended(isNewEnd: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await ReviewTests.hiddenPost(in: database)
            for statement in [
                "update darkroom.posts set activity = 'fair'",
                "insert into darkroom.expiry_policies (activity, ends_with_activity, note) values ('fair', true, '')",
                isNewEnd ? "select" : "insert into darkroom.activities values ('fair', '2100-01-01')",
            ] {
                try await database.pool.query(PostgresQuery(unescaped: statement))
            }
            _ = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
            try await database.pool.query(
                """
                insert into darkroom.activities values ('fair', now() - interval '1 hour')
                on conflict (activity) do update set ends_at = excluded.ends_at
                """)
            #expect(try await database.reviews.review(post, .restore, by: "olga").state == .expired)
            #expect(try await database.events(of: post) == ["published", "hidden", "removed", "expired"])
        }
    }

    @Test("expires by the policy in force now, counted from its publication", arguments: [1, 30])
    func policy(days: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.removedPost(in: database)
            try await database.pool.query(
                "update darkroom.posts set published_at = now() - interval '2 days'")
            try await database.pool.query(
                "insert into darkroom.expiry_policies (lifetime, note) values (make_interval(days => \(days)), 'test')"
            )
            let state = try await database.reviews.review(post, .restore, by: "olga").state
            #expect(state == (days == 1 ? .expired : .published))
            #expect(
                try await database.texts(
                    "select extract(day from expires_at - published_at)::text from darkroom.posts")
                    == ["\(days)"])
        }
    }

    @Test("no longer expires, if the policy that said so is no longer in force")
    func lenient() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.removedPost(in: database)
            try await database.pool.query("update darkroom.posts set expires_at = now() - interval '1 hour'")
            #expect(try await database.reviews.review(post, .restore, by: "olga").state == .published)
            #expect(try await database.number("select count(*) from darkroom.latest_posts()") == 1)
        }
    }

    /// A policy that is set after the publication; the level at which the post was published; whether a person has
    /// corrected its place; and whether the post may be shown without a relocation.
    static let policies: [(String, String, Bool, Bool)] = [
        ("privacy, minimum_population) values ('', 'grid_1km', 0", "grid_10m", false, false),
        ("privacy, minimum_population) values ('', 'grid_1km', 0", "grid_1km", false, true),
        ("privacy, minimum_population) values ('', 'grid_1km', 0", "grid_10m", true, true),
        ("privacy, minimum_population) values ('', 'grid_10m', 500", "grid_10m", false, false),
        ("privacy, minimum_population) values ('', 'exact', 0", "grid_10m", false, true),
        ("category, privacy) values ('', 'home', 'place'", "grid_10m", false, false),
        ("category, privacy) values ('', 'other', 'place'", "grid_10m", false, true),
        ("activity, minimum_population) values ('', 'fair', 1", "grid_10m", false, false),
    ]

    @Test(
        "must be relocated first, if a stricter location policy came while it was removed",
        arguments: policies)
    func location(policy: String, level: String, isCorrected: Bool, isShown: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.removedPost(in: database)
            try await database.pool.query(
                """
                update darkroom.posts set category = 'home', activity = 'fair',
                    location_privacy = \(level)::darkroom.location_privacy,
                    place_source = \(isCorrected ? "person" : "gazetteer")
                """)
            try await database.pool.query(
                "insert into darkroom.location_policies (note, \(unescaped: policy))")
            guard !isShown else {
                #expect(try await database.reviews.review(post, .restore, by: "olga").state == .published)
                return
            }
            let error = await #expect(throws: ReviewError.self) {
                try await database.reviews.review(post, .restore, by: "olga")
            }
            #expect(error?.description.contains("'darkroom posts relocate --post \(post)'") == true)
            #expect(try await database.state(ofPost: post) == .removed)

            // A relocation finds the removed post.
            let scope = RelocationScope(gazetteer: 7, post: post)
            let store = RelocationStore(pool: database.pool)
            #expect(try await store.countStale(scope) == 1)
            try await database.pool.withTransaction { (transaction) async throws -> Void in
                var cursor = RelocationCursor.start
                let found = try await RelocationStore.stale(
                    scope, from: &cursor, limit: 10, locking: .skipping, in: transaction)
                let known = try #require(found.first)
                try await RelocationStore.relocate(
                    [
                        NewLocation(
                            post: post, exactLatitude: known.exactLatitude,
                            exactLongitude: known.exactLongitude,
                            privacy: known.policy.privacy(atLeast: known.privacy),
                            policy: known.policy.version, locatedBy: 7, latitude: known.latitude,
                            longitude: known.longitude, place: known.place, timeZone: known.timeZone)
                    ], in: transaction)
            }
            #expect(try await store.countStale(scope) == 0)
            #expect(try await database.reviews.review(post, .restore, by: "olga").state == .published)
        }
    }

    @Test("is not relocated while it is being erased")
    func deleted() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            #expect(try await database.erasure.delete(post, of: "ada"))
            let store = RelocationStore(pool: database.pool)
            #expect(try await store.countStale(RelocationScope(gazetteer: 7)) == 0)
        }
    }
}
