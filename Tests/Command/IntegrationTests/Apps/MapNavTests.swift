import DarkroomClient
import JobStore
import Postgres
import TestKit
import Testing

/// MapNav: photos on the map of a campus, with groups that have a map and boards of their own.
@Suite("MapNav", .timeLimit(.minutes(15)))
struct MapNavTests {
    @Test("has a map and three boards for a group, and a map of its picnic day")
    func group() async throws {
        try await AppServer.with { (app: AppServer) async throws -> Void in
            try await app.call(
                """
                select darkroom.create_activity('Hiking club', latitude => 47.655, longitude => -122.308, radius_m => 400,
                                                aliases => array['hikers'])
                """)
            #expect(
                try await app.rows(
                    """
                    select activity, round(distance_m) from darkroom.activities(
                        latitude => 47.655, longitude => -122.3, radius_m => 1000)
                    """) == ["Hiking club 199"])
            let client = try DarkroomClient(
                database: try await app.darkroom.database.url(as: .api), media: app.darkroom.media)
            for (number, activity) in ["hikers", "HIKING CLUB", nil].enumerated() {
                let photo = try await client.store(bytes: PhotoFixture.jpeg(seed: number))
                try await app.call(
                    """
                    select darkroom.enqueue_upload(
                        uploader => 'ada', original_key => \(photo.key), original_sha256 => \(photo.sha256),
                        original_bytes => \(photo.byteCount), activity => \(activity), latitude => 47.655,
                        longitude => -122.308, accuracy_m => 8,
                        taken_at => timestamptz '2026-05-02 12:00-07' + make_interval(days => 7 * (\(number) % 2)))
                    """)
            }
            await client.close()
            try await app.work()

            func onMap(_ filter: String) async throws -> [String] {
                try await app.rows(
                    """
                    select coalesce(sum(c.posts), 0), (
                        select string_agg(post_id || ' ' || (pictures -> 0 ->> 'name'), ', ' order by post_id)
                        from darkroom.map_photos(47.65, -122.32, 47.66, -122.30, 17 \(unescaped: filter)))
                    from darkroom.map_clusters(47.65, -122.32, 47.66, -122.30, 17 \(unescaped: filter)) c
                    """)
            }
            #expect(try await onMap("") == ["3 3 large"])
            #expect(try await onMap(", in_activity => 'hiking club'") == ["2 2 large"])
            let day = "taken_since => '2026-05-02 00:00-07', taken_until => '2026-05-03 00:00-07'"
            #expect(try await onMap(", in_activity => 'hikers', \(day)") == ["1 1 large"])
            #expect(try await onMap(", in_activity => 'hikers', from_hour => 13") == ["0"])

            // Four votes on the first photo, one on the second, many on one that is not of the group.
            for (post, voter, vote) in [
                (1, "bob", "like"), (1, "cai", "like"), (1, "dan", "dislike"), (1, "eve", "dislike"),
                (2, "bob", "like"), (3, "bob", "like"), (3, "cai", "like"), (3, "dan", "like"),
            ] {
                #expect(
                    try await app.rows("select darkroom.vote_on_post(\(post), \(voter), \(vote))") == ["t"])
            }
            #expect(try await app.rows("select darkroom.vote_on_post(2, 'bob', 'like')") == ["f"])
            try await app.work()
            for (board, order) in [
                ("likes", ["1", "2"]), ("wilson", ["2", "1"]), ("weighted", ["2", "1"]),
            ] {
                #expect(
                    try await app.rows(
                        "select post_id from darkroom.top_posts(\(board), in_activity => 'hikers')")
                        == order, "\(board)")
            }
        }
    }
}
