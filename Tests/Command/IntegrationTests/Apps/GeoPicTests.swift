import ChildProcess
import JobStore
import Postgres
import TestKit
import Testing

/// GeoPic: what is within 100 m, reported by those who are there, and reviewed.
@Suite("GeoPic", .timeLimit(.minutes(15)))
struct GeoPicTests {
    @Test("hides a post at the third report, and a moderator brings it back for good")
    func reported() async throws {
        try await AppServer.with { (app: AppServer) async throws -> Void in
            try await app.darkroom.command(["policy", "use", "launch"]).runSuccessfully()
            try await app.call(
                "select darkroom.enqueue_upload('ada', headline => 'Here', latitude => 47.6, longitude => -122.3)"
            )
            try await app.work()
            func around(_ latitude: Double) async throws -> [String] {
                try await app.rows(
                    """
                    select post_id, round(distance_m) <= 100 from darkroom.nearest_posts(\(latitude), -122.3, radius_m => 100)
                    union all select post_id, true from darkroom.posts_within(\(latitude), -122.3, radius_m => 100)
                    """)
            }
            #expect(try await around(47.6008) == ["1 t", "1 t"])
            #expect(try await around(47.6011).isEmpty, "farther away than 100 m")

            for reporter in ["bob", "cai", "dan"] {
                #expect(try await around(47.6).count == 2)
                #expect(try await app.rows("select darkroom.report_post(1, \(reporter), 'spam')") == ["t"])
                #expect(try await app.rows("select darkroom.report_post(1, \(reporter), 'spam')") == ["f"])
                try await app.work()
            }
            #expect(try await around(47.6).isEmpty)
            #expect(
                try await app.refusal("select darkroom.vote_on_post(1, 'eve', 'like')")?.sqlState == "P0002")
            #expect(
                try await app.rows("select state, reason from darkroom.uploader_posts('ada')") == [
                    "hidden score"
                ])
            #expect(try await app.rows("select decision from darkroom.report_decisions('bob')") == ["hidden"])
            try await app.call("select darkroom.appeal_post(1, 'ada', 'I took it myself.')")

            try await app.darkroom.database.connected(as: .moderator) {
                (moderator: PostgresConnection) async throws -> Void in
                let listed = try await moderator.query(
                    "select post_id, report_count from darkroom.posts_to_review(in_state => 'hidden')")
                #expect(try listed.map { try $0.decode("report_count", as: Int.self) } == [3])
                try await moderator.query(
                    "select darkroom.decide_on_post(1, 'approve', moderator => 'olga', note => 'It is harmless')"
                )
            }
            #expect(try await around(47.6).count == 2)
            try await app.call("select darkroom.report_post(1, 'eve', 'spam')")
            try await app.work()
            #expect(try await around(47.6).count == 2, "one more report does not hide it again")
            #expect(
                try await app.rows("select decision, is_automatic from darkroom.report_decisions('bob')") == [
                    "kept f"
                ])
            #expect(
                try await app.rows("select event from darkroom.inbox('ada') order by number")
                    == ["published", "hidden", "restored", "appeal_answered"])
        }
    }
}
