import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("The posts of an uploader", .timeLimit(.minutes(15)))
struct OwnPostTests {
    private static func rows(_ library: PhotoLibrary, _ call: String) async throws -> [String?] {
        try await library.texts(
            "select concat_ws(' ', headline, state, reason) as row from darkroom.\(unescaped: call)")
    }

    @Test("are shown in every state with the reason, in pages, without those that the uploader has deleted")
    func states() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let pool = library.pool
            var posts: [String: Int64] = [:]
            for name in ["published", "hidden", "removed", "deleted", "expired", "approved"] {
                posts[name] = try await library.publish(name, [name], uploader: "ada")
                try await pool.query(
                    "update darkroom.posts set headline = \(name) where post_id = \(posts[name])")
            }
            func post(_ name: String) throws -> Int64 { try #require(posts[name]) }
            try await pool.query(
                "update darkroom.posts set expires_at = now() - interval '1 s' where post_id = \(try post("expired"))"
            )
            try await pool.query("select darkroom.delete_post(\(try post("deleted")), 'ada')")
            _ = try await library.reviews.review(try post("removed"), .remove(.terms(nil)), by: "olga")
            for name in ["hidden", "approved"] {
                for reporter in 1...8 {
                    try await pool.query(
                        """
                        select darkroom.report_post(\(try post(name)), \("r\(reporter)"), 'spam', reporter_since => '2020-01-01')
                        """)
                }
                try await library.database.pool.withTransaction { transaction in
                    _ = try await ModerationStore.moderate(try post(name), in: transaction)
                }
            }
            _ = try await library.reviews.review(try post("approved"), .approve, by: "olga")
            try await pool.query("delete from darkroom.jobs where kind <> 'erase_post'")

            let rejected = try await library.enqueue("rejected", uploader: "ada", caption: "rejected")
            let claimed = try await library.claim(rejected.job)
            try await library.database.store.end(
                claimed.lease, as: .rejected(Reason(code: "no_location", message: "Say where.")))
            let held = try await library.enqueue("held", uploader: "ada")
            _ = try await pool.withTransaction { transaction in
                try await PublishingStore.publish(
                    PhotoLibrary.post(upload: held.upload, renditions: []),
                    screening: .held(.uploaderRecord(removals: 3)), in: transaction)
            }
            let lease = try await library.claim(held.job).lease
            try await library.database.store.end(lease, as: .succeeded)
            _ = try await library.enqueue("waiting", uploader: "ada")
            _ = try await library.enqueue("another person's", uploader: "bob")
            let expected = [
                "waiting", "held uploader_record", "rejected no_location", "approved published",
                "expired expired",
                "removed removed review", "hidden hidden score", "published published",
            ]
            #expect(try await Self.rows(library, "uploader_posts('ada')") == expected)
            var paged: [String?] = []
            var after: String?
            repeat {
                let page = try await pool.query(
                    """
                    select concat_ws(' ', headline, state, reason) as row, cursor
                    from darkroom.uploader_posts('ada', 3, \(after))
                    """)
                paged += try page.map { try $0.decode("row", as: String.self) }
                after = try page.last?.decode("cursor", as: String.self)
            } while after != nil
            #expect(paged == expected)
            #expect(
                try await library.texts(
                    "select concat_ws(' ', message, caption) as m from darkroom.uploader_posts('ada') where state = 'rejected'"
                )
                    == ["Say where. rejected"])
            #expect(
                try await library.texts(
                    "select pictures -> 0 ->> 'name' as n from darkroom.uploader_posts('ada', 1, 'own:2')")
                    == ["r0"])
            #expect(
                try await library.texts(
                    "select concat_ws(' ', state, post_state) as s from darkroom.job_status(\(held.job.rawValue), 'ada')"
                )
                    == ["succeeded held"])
            for cursor in ["latest:1~2", "own:", "own:x", "own:1234567890123456789"] {
                let failure = await #expect(throws: PostgresError.self) {
                    try await pool.query("select darkroom.uploader_posts('ada', 1, \(cursor))")
                }
                #expect(failure?.sqlState == .invalidParameterValue)
            }
        }
    }
}
