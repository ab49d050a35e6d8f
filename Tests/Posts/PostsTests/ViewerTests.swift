import JobStore
import Postgres
import TestKit
import Testing

/// The viewer's own vote in rows.
@Suite("The viewer's own vote", .timeLimit(.minutes(15)))
struct ViewerTests {
    /// Every list of posts, without its closing bracket, that has all posts of a town.
    static let lists = [
        "nearest_posts(47.6062, -122.3321, 100", "posts_within(47.6062, -122.3321, 100000, 100",
        "posts_within(47.6062, -122.3321, 100000, 100, in_category => 'shown'",
        "near_and_good_posts(47.6062, -122.3321, 9000, 100", "latest_posts(100", "top_posts('likes', 100",
        "top_posts('hot', 100, in_category => 'shown'",
        "top_posts('likes', 100, latitude => 47.6062, longitude => -122.3321, radius_m => 9000",
        "map_photos(47.6, -122.34, 47.62, -122.32, 18, 100",
        "cluster_posts((select c.cluster_id from darkroom.map_clusters(47, -123, 48, -122, 4) c limit 1), 100",
    ]

    @Test("is taken by every function that returns posts or comments")
    func everyList() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let without = try await database.texts(
                """
                select p.proname::text from pg_proc p
                where p.pronamespace = 'darkroom'::regnamespace and p.prosecdef
                  and p.prorettype in ('darkroom.feed_post'::regtype, 'darkroom.feed_comment'::regtype)
                  and not 'viewer' = any (p.proargnames)
                """)
            #expect(without == [])
            let listed = try await database.texts(
                """
                select p.proname::text from pg_proc p
                where p.pronamespace = 'darkroom'::regnamespace and p.prosecdef and p.prorettype = 'darkroom.feed_post'::regtype
                """)
            let tested = Set(Self.lists.map { String($0.prefix { $0 != "(" }) })
            #expect(
                Set(listed.compactMap(\.self))
                    == tested.union([
                        "post_details", "posts_by_id", "voted_posts", "venue_posts", "followed_posts",
                    ]))
        }
    }

    @Test("is in every list for those who act for people, and for nobody else")
    func lists() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let ids = try await VisibilityTests.five(database)
            for (id, vote) in zip(ids, ["like", "dislike", "like", "none"]) {
                try await database.pool.query("select darkroom.vote_on_post(\(id), 'ada', 'like')")
                try await database.pool.query("select darkroom.vote_on_post(\(id), 'ada', \(vote))")
            }
            try await database.tally()
            let votes: [Int64: String] = [ids[0]: "like", ids[1]: "dislike", ids[2]: "like"]
            try await database.makeLogins()
            for role in [InstallationRole.api, .reader] {
                try await database.connected(as: role) { (app: PostgresConnection) async throws -> Void in
                    let everyOne = "posts_by_id('{\(ids.map(String.init).joined(separator: ","))}'"
                    for list in Self.lists + [everyOne] + ids.map({ "post_details(\($0)" }) {
                        func seen(by viewer: String) async throws -> [Int64: String] {
                            let rows = try await app.query(
                                PostgresQuery(
                                    unescaped:
                                        "select post_id, my_vote from darkroom.\(list), viewer => \(viewer))")
                            )
                            #expect(!rows.isEmpty, "\(list)")
                            let pairs = try rows.compactMap { row in
                                try row.decode("my_vote", as: String?.self).map {
                                    (try row.decode("post_id", as: Int64.self), $0)
                                }
                            }
                            return Dictionary(uniqueKeysWithValues: pairs)
                        }
                        let expected =
                            role == .reader
                            ? [:]
                            : list.hasPrefix("post_details")
                                ? votes.filter { list == "post_details(\($0.key)" } : votes
                        #expect(try await seen(by: "'ada'") == expected, "\(list) \(role)")
                        #expect(try await seen(by: "'bob'") == [:], "\(list)")
                        #expect(try await seen(by: "null") == [:], "\(list)")
                    }
                }
            }
        }
    }
}
