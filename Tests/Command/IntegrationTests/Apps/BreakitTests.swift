import ChildProcess
import Postgres
import TestKit
import Testing

/// Breakit: headlines with photos, albums of places, votes as percentages, and news of one's own posts.
@Suite("Breakit", .timeLimit(.minutes(15)))
struct BreakitTests {
    @Test("wants a headline, has an album of each place, and tells people what became of their posts")
    func headline() async throws {
        try await AppServer.with { (app: AppServer) async throws -> Void in
            try await app.darkroom.command([
                "policy", "posting", "set", "--headline", "required", "--note", "news",
            ])
            .runSuccessfully()
            func arguments(_ headline: String) -> PostgresQuery {
                "uploader => 'ada', headline => \(headline), venue_id => '4b05', venue_name => 'Pier 62', credit => 'Ada', licence => 'CC-BY-4.0', caption => 'At noon', latitude => 47.6, longitude => -122.3, anonymous => false"
            }
            #expect(
                try await app.rows(
                    "select argument, reason from darkroom.check_upload(\(arguments(" ")), has_photo => false)"
                )
                    == ["headline headline_missing"])
            #expect(
                try await app.refusal("select darkroom.enqueue_upload(\(arguments(" ")))")?.constraint
                    == "headline_missing")
            #expect(
                try await app.rows(
                    "select reason from darkroom.check_upload(\(arguments("Bridge")), has_photo => false)"
                )
                .isEmpty)
            try await app.call("select darkroom.enqueue_upload(\(arguments("Bridge")))")
            try await app.work()

            #expect(
                try await app.rows(
                    "select place_name, place_geonameid, city_geonameid from darkroom.post_details(1)")
                    == ["Seattle 5809844 5809844"])
            func album() async throws -> [String] {
                try await app.rows(
                    "select headline from darkroom.latest_posts(in_place => ('city', 5809844))")
            }
            #expect(try await album() == ["Bridge"])
            #expect(
                try await app.rows(
                    "select venue_id, venue_name, credit, licence from darkroom.venue_posts('4b05')")
                    == ["4b05 Pier 62 Ada CC-BY-4.0"])
            for (voter, vote) in [("bob", "like"), ("cai", "like"), ("dan", "dislike")] {
                try await app.call("select darkroom.vote_on_post(1, \(voter), \(vote))")
            }
            try await app.call(
                "select darkroom.add_comment(1, 'bob', 'When?')", "select darkroom.count_views('{1}', '{9}')")
            try await app.work()
            #expect(
                try await app.rows(
                    """
                    select round(100.0 * likes / (likes + dislikes)) || ' %', my_vote
                    from darkroom.near_and_good_posts(47.61, -122.31, viewer => 'dan')
                    """) == ["67 % dislike"])
            #expect(
                try await app.rows(
                    "select posts, likes, dislikes, comments, views from darkroom.uploader_statistics('ada')")
                    == ["1 2 1 1 9"])
            #expect(
                try await app.rows(
                    "select likes, dislikes, comments, views from darkroom.uploader_posts('ada')")
                    == ["2 1 1 9"])
            #expect(
                try await app.rows("select event, times from darkroom.inbox('ada') order by number")
                    == ["published 1", "commented 1", "liked 2"])
            #expect(try await app.rows("select darkroom.count_unread('ada')") == ["3"])
            try await app.call(
                "select darkroom.read_inbox('ada', (select max(number) from darkroom.inbox('ada')))")
            #expect(try await app.rows("select darkroom.count_unread('ada')") == ["0"])

            #expect(try await app.rows("select darkroom.delete_post(1, 'ada')") == ["t"])
            #expect(try await album().isEmpty)
            #expect(try await app.rows("select post_id from darkroom.uploader_posts('ada')").isEmpty)
            #expect(try await app.rows("select posts from darkroom.uploader_statistics('ada')") == ["0"])
        }
    }
}
