import Ingestion
import JobQueue
import JobStore
import Postgres
import Posts
import Telemetry
import TestKit
import Testing

@Suite("Expiry", .timeLimit(.minutes(15)))
struct ExpiryTests {
    /// A policy's scope and rule, and the hours until a post in the category `deals` and the activity `fair` expires by
    /// it. The activity ends after ten hours.
    struct Rule: Sendable {
        var category: String?
        var activity: String?
        var hours: Int?
        var endsWithActivity = false
    }

    static let cases: [([Rule], Int?)] = [
        ([], nil),
        ([Rule(hours: 5)], 5),
        ([Rule(hours: 5), Rule(hours: nil)], nil),
        ([Rule(hours: 5), Rule(category: "deals", hours: 7)], 7),
        ([Rule(category: "deals", hours: 7), Rule(hours: 5)], 7),
        ([Rule(category: "news", hours: 7), Rule(hours: 5)], 5),
        ([Rule(category: "deals", hours: 7), Rule(activity: "fair", hours: 9)], 9),
        ([Rule(endsWithActivity: true)], 10),
        ([Rule(hours: 12, endsWithActivity: true)], 10),
        ([Rule(hours: 3, endsWithActivity: true)], 3),
        ([Rule(activity: "parade", hours: 1, endsWithActivity: true)], nil),
    ]

    @Test("is set on publication by the policy in force", arguments: cases)
    func atPublishing(rules: [Rule], hours: Int?) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            try await library.pool.query(
                "insert into darkroom.activities values ('fair', now() + interval '10 hours')")
            for rule in rules {
                try await library.pool.query(
                    """
                    insert into darkroom.expiry_policies (category, activity, lifetime, ends_with_activity, note)
                    values (\(rule.category), \(rule.activity), make_interval(hours => \(rule.hours)), \(rule.endsWithActivity), 'test')
                    """)
            }
            let post = try await library.publish("mine", ["mine"], category: "deals", activity: "fair")
            let found = try await library.texts(
                """
                select round(extract(epoch from expires_at - published_at) / 3600)::int::text
                from darkroom.posts where post_id = \(post)
                """)
            #expect(found == [hours.map(String.init)])
        }
    }

    @Test("follows an activity whose end is moved, and starts again when a held post is approved")
    func moved() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            try await library.pool.query(
                "insert into darkroom.expiry_policies (activity, ends_with_activity, note) values ('fair', true, '')"
            )
            let post = try await library.publish("mine", ["mine"], activity: "fair")
            try await library.pool.query(
                "insert into darkroom.activities values ('fair', now() + interval '30 days')")
            try await library.pool.query(
                "update darkroom.activities set ends_at = now() + interval '60 days'")
            let isMoved: PostgresQuery = """
                select (f.expires_at = e.ends_at and f.expires_at > now() + interval '59 days')::text
                from darkroom.feed f cross join darkroom.activities e where f.post_id = \(post)
                """
            #expect(try await library.texts(isMoved) == ["true"])
            try await library.pool.query(
                "insert into darkroom.expiry_policies (lifetime, note) values ('1 day', 'test')")
            let held = try await library.publish("held", ["held"], uploader: "bob")
            try await library.pool.query(
                "update darkroom.posts set published_at = now() + interval '7 days' where post_id = \(held)")
            let isAnew: PostgresQuery = """
                select (expires_at = published_at + interval '1 day' and expires_at > now() + interval '7 days')::text
                from darkroom.posts where post_id = \(held)
                """
            #expect(try await library.texts(isAnew) == ["true"])
        }
    }

    @Test("follows an activity whose end is moved while the post is published", arguments: [false, true])
    func movedMeanwhile(isMoveFirst: Bool) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            try await library.pool.query(
                "insert into darkroom.expiry_policies (activity, ends_with_activity, note) values ('fair', true, '')"
            )
            try await library.pool.query("insert into darkroom.activities values ('fair', '2030-01-01')")
            let upload = try await library.enqueue("mine", activity: "fair").upload
            try await library.database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                let publishing: @Sendable (PostgresConnection) async throws -> Void = { session in
                    _ = try await PublishingStore.publish(
                        PhotoLibrary.post(upload: upload, renditions: []), in: session)
                }
                let moving: @Sendable (PostgresConnection) async throws -> Void = { session in
                    try await session.query("update darkroom.activities set ends_at = '2031-01-01'")
                }
                try await first.run("begin")
                try await (isMoveFirst ? moving : publishing)(first.session)
                let waiting = try await second.start(isMoveFirst ? publishing : moving)
                try await first.run("commit")
                try await waiting.value
            }
            for table in ["posts", "feed"] {
                #expect(
                    try await library.texts("select expires_at::date::text from darkroom.\(unescaped: table)")
                        == ["2031-01-01"])
            }
        }
    }

    @Test(
        "is the same whatever the time zone of the session",
        arguments: ["UTC", "America/New_York", "Asia/Tokyo"])
    func zones(zone: String) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            try await library.pool.query(
                "insert into darkroom.expiry_policies (lifetime, note) values ('1 month 1 day', '')")
            try await library.pool.withConnection { (session: PostgresConnection) async throws -> Void in
                try await session.query("select set_config('timezone', \(zone), false)")
                // Across the end of daylight saving time in New York, and across the end of a month.
                let rows = try await session.query(
                    "select extract(epoch from darkroom.expiry_for(null, null, '2026-10-31 20:00+00'))::bigint as at"
                )
                #expect(try rows[0].decode("at", as: Int64.self) == 1_796_155_200)
            }
        }
    }

    @Test(
        "expires posts in order of their times, one batch at a time, and erases them long after that"
    )
    func ends() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let expire = ExpireHandler(pool: library.pool, log: .silent, batch: 2)
            var posts: [Int64] = []
            for number in 0..<7 { posts.append(try await library.publish("\(number)", ["\(number)"])) }
            // Expired 4, 3, 2 and 1 hours ago; one still to expire, one that waits for a review, one held.
            for (index, age) in [4, 2, 3, 1, -1, 2, 2].enumerated() {
                try await library.pool.query(
                    """
                    update darkroom.posts set expires_at = now() - make_interval(hours => \(age)),
                           state = \(index == 5 ? "hidden" : index == 6 ? "held" : "published")::darkroom.post_state
                    where post_id = \(posts[index])
                    """)
            }
            try await library.pool.query(
                "insert into darkroom.reviews (post_id, severity, score, cause) values (\(posts[5]), 1, 1, 'score')"
            )
            try await library.pool.query("select darkroom.enqueue_job('expire', 0, 'expire')")
            try await library.run(.expire, expire)
            let order = try await library.texts(
                "select post_id::text from darkroom.outbox where event = 'expired' order by event_id")
            #expect(order == [posts[0], posts[2], posts[1], posts[3]].map { String($0) })
            #expect(
                try await library.texts("select state::text from darkroom.posts order by post_id")
                    == ["expired", "expired", "expired", "expired", "published", "hidden", "held"])
            #expect(
                try await library.number("select count(*) from darkroom.jobs where kind = 'erase_post'") == 0)

            try await library.pool.query(
                "update darkroom.posts set expires_at = now() - interval '30 days' where post_id = \(posts[3])"
            )
            try await library.pool.query("select darkroom.enqueue_job('expire', 0, 'expire')")
            try await library.run(.expire, expire)
            try await library.run(.erasePost, library.erasePost)
            #expect(try await library.reading.post(posts[3]) == nil)
            #expect(
                try await library.texts(
                    "select post_id::text from darkroom.post_erasures where cause = 'expired'")
                    == [String(posts[3])])
            #expect(try await library.files().count == 12)

            try await library.pool.query("update darkroom.settings set expired_days = null")
            try await library.pool.query(
                "update darkroom.posts set expires_at = '2020-01-01' where state = 'expired'")
            #expect(try await library.erasure.eraseExpired(atMost: 10) == 0)
        }
    }
}
