import FoundationEssentials
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Many reports by one person", .timeLimit(.minutes(15)))
struct ReportFloodTests {
    @Test("are never more urgent than fewer of them, nor than their reason, and never without urgency")
    func urgency() {
        for reason in ReportGround.allCases {
            var report = FiledReport(reporter: "r", reason: reason, at: .now, accountSince: .now)
            var last = reason.severity
            for undecided in 1...1000 {
                report.undecided = undecided
                #expect((1...last).contains(report.urgency))
                if undecided <= 10 { #expect(report.urgency == reason.severity) }
                last = report.urgency
            }
            #expect(last == max(1, reason.severity - 7))
        }
    }

    /// Reports a post in the words of an app; nil if it is refused.
    private static func report(
        _ call: String, _ number: Int64, by reporter: String, _ database: QueueDatabase
    ) async throws -> Bool? {
        do {
            return try await database.pool.query(
                "select darkroom.\(unescaped: call)(\(number), \(reporter), 'illegal') as is_new")[0]
                .decode("is_new", as: Bool.self)
        } catch let error as PostgresError where error.constraint == "reports_a_day" {
            #expect(error.sqlState == "53400")
            return nil
        }
    }

    @Test("are limited in 24 hours, with those on comments, while others report and earlier ones are known")
    func limit() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(8)
            let posts = try await database.visiblePosts().map(\.id).sorted()
            let comment = try await database.pool.query(
                "select c from darkroom.add_comment(\(posts[0]), 'bob', 'Hm') c")[0].decode(
                    "c", as: Int64.self)
            try await database.pool.query("update darkroom.settings set reports_a_day = 6")
            for post in posts.prefix(5) {
                #expect(try await Self.report("report_post", post, by: "eve", database) == true)
            }
            #expect(try await Self.report("report_comment", comment, by: "eve", database) == true)
            #expect(try await Self.report("report_post", posts[5], by: "eve", database) == nil)
            #expect(try await Self.report("report_post", posts[0], by: "eve", database) == false)
            #expect(try await Self.report("report_comment", comment, by: "eve", database) == false)
            #expect(try await Self.report("report_post", posts[5], by: "other", database) == true)
            #expect(
                try await database.number("select count(*) from darkroom.reports where reporter = 'eve'") == 6
            )
            try await database.pool.query(
                "update darkroom.reports set created_at = now() - interval '1 day' where comment_id > 0")
            #expect(try await Self.report("report_post", posts[5], by: "eve", database) == true)
            #expect(try await Self.report("report_comment", comment, by: "other", database) == true)
            #expect(try await Self.report("report_post", posts[6], by: "eve", database) == nil)
        }
    }

    @Test("come after those of others in the review list, and are seen and decided together")
    func list() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await database.publishPosts(104)
            let posts = try await database.visiblePosts().map(\.id).sorted()
            for post in posts.prefix(100) {
                #expect(try await Self.report("report_post", post, by: "eve", database) == true)
            }
            // Less grave by itself, but nobody else's reports are behind a hundred of one person.
            try await database.report(posts[102], by: "ria", reason: .violence)
            try await database.report(posts[103], by: "ria", reason: .illegal)
            try await database.moderateAll()
            var listed = try await database.reviews.waiting(limit: 1000)
            #expect(listed.prefix(2).map(\.position.post) == [posts[103], posts[102]])
            #expect(listed.dropFirst(2).map(\.position.severity) == Array(repeating: 5, count: 100))
            // Everybody else's report makes a post as urgent as its reason.
            try await database.report(posts[7], by: "rob", reason: .illegal)
            try await database.moderateAll()
            listed = try await database.reviews.waiting(limit: 1000)
            #expect(Set(listed.prefix(2).map(\.position.post)) == [posts[103], posts[7]])
            #expect(listed.count == 102)

            try await database.connected(as: .moderator) {
                (moderator: PostgresConnection) async throws -> Void in
                let shown = try await moderator.query(
                    "select reports -> 0 ->> 'undecided' as undecided from darkroom.post_to_review(\(posts[3]))"
                )
                #expect(try shown[0].decode("undecided", as: String.self) == "100")
                let together = try await moderator.query(
                    "select post_id from darkroom.posts_to_review(reported_with => \(posts[3]), at_most => 100)"
                ).map { try $0.decode("post_id", as: Int64.self) }
                #expect(Set(together) == Set(posts.prefix(100)))
                let problems = try await moderator.query(
                    "select problem from darkroom.decide_on_posts(\(together)::bigint[], 'approve', 'olga')"
                ).compactMap { try $0.decode("problem", as: String?.self) }
                #expect(problems == [])
                let left = try await moderator.query(
                    "select post_id from darkroom.posts_to_review(reported_with => \(posts[3]))")
                #expect(left.count == 0)
            }
            #expect(
                try await database.texts(
                    "select concat_ws(' ', agreed, disagreed) from darkroom.people where person = 'eve'") == [
                        "0 100"
                    ])
        }
    }
}
