import Postgres
import TestKit
import Testing

/// The Billboard: anonymous snapshots, the six closest, and clusters of them that people post to.
@Suite("The Billboard", .timeLimit(.minutes(15)))
struct BillboardTests {
    @Test("takes anonymous posts at a billboard, which then hang there, with one handle a person")
    func billboard() async throws {
        try await AppServer.with { (app: AppServer) async throws -> Void in
            func post(_ headline: String, by person: String, _ latitude: Double, _ longitude: Double = -122.3)
                async throws
            {
                try await app.call(
                    """
                    select darkroom.enqueue_upload(
                        \(person), headline => \(headline), category => 'wall', latitude => \(latitude),
                        longitude => \(longitude), anonymous => true)
                    """)
            }
            // A billboard of three, and four posts north of it.
            for step in 0..<3 { try await post("wall \(step)", by: "ada", 47.6000 + 0.0001 * Double(step)) }
            for step in 3...6 { try await post("far \(step)", by: "bob", 47.6000 + 0.01 * Double(step)) }
            try await app.work()
            let closest = try await app.rows(
                """
                select headline, uploader, display_name, anonymous
                from darkroom.nearest_posts(latitude => 47.5999, longitude => -122.3, at_most => 6)
                """)
            #expect(closest == ["wall 0", "wall 1", "wall 2", "far 3", "far 4", "far 5"].map { "\($0) t" })

            func billboards() async throws -> [String] {
                try await app.rows(
                    "select cluster_id, posts from darkroom.map_clusters(47.5, -122.4, 47.605, -122.2, 16)")
            }
            let board = try #require(try await billboards().first { $0.hasSuffix(" 3") })
            #expect(try await billboards().count == 1)
            let cluster = String(board.prefix { $0 != " " })
            let place = try await app.rows(
                "select latitude, longitude from darkroom.cluster_location(\(cluster))")[0]
                .split(separator: " ").compactMap { Double($0) }
            try await post("late 1", by: "ada", place[0], place[1])
            try await post("late 2", by: "bob", place[0], place[1])
            try await app.work()
            #expect(try await billboards() == ["\(cluster) 5"])
            let hanging = try await app.rows(
                "select headline, author_handle from darkroom.cluster_posts(\(cluster))")
            #expect(hanging.map { $0.prefix(6) } == ["late 2", "late 1", "wall 2", "wall 1", "wall 0"])
            let handles = hanging.map { $0.dropFirst(6) }
            #expect(Set(handles).count == 2 && Set(handles.dropFirst()).count == 1, "\(handles)")

            // Nobody finds the posts of a person, and the person sees how they do.
            #expect(
                try await app.rows("select post_id from darkroom.latest_posts(by_uploader => 'bob')").isEmpty)
            try await app.call(
                "select darkroom.vote_on_post(9, 'ada', 'like')",
                "select darkroom.count_views('{9}', '{20}')",
                "select darkroom.add_comment(9, 'ada', 'Who is it?')")
            try await app.work()
            #expect(
                try await app.rows(
                    "select post_id, likes, dislikes, comments, views from darkroom.uploader_posts('bob', at_most => 1)"
                )
                    == ["9 1 0 1 20"])
        }
    }
}
