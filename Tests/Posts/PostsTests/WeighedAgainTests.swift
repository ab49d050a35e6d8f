import FoundationEssentials
import Postgres
import Posts
import TestKit
import Testing

@Suite("Reporters who lose weight", .timeLimit(.minutes(15)))
struct WeighedAgainTests {
    @Test("no longer hide their first victims once they are found to be a gang")
    func gang() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var posts: [Int64] = []
            for _ in 0..<4 { posts.append(try await PublishingTests.publish(in: database)) }
            // One post after the other: the gang is known by the fourth.
            for (number, post) in posts.enumerated() {
                for reporter in 0..<7 { try await database.report(post, by: "gang\(reporter)") }
                try await database.moderateAll()
                let found = try await database.texts(
                    "select state::text from darkroom.posts order by post_id")
                let hidden = number < 3 ? number + 1 : 0
                #expect(found.map { $0 == "hidden" } == (0..<4).map { $0 < hidden })
            }
            // Everything is still listed, and nothing goes on being weighed.
            #expect(try await database.texts("select distinct cause from darkroom.reviews") == ["reported"])
            #expect(try await database.reviews.count() == 4)
            #expect(try await database.number("select count(*) from darkroom.moderation_backlog") == 0)
            #expect(
                try await database.events(of: posts[0]) == ["published", "hidden", "restored"])
            // Three independent readers agree with the gang about one post.
            for reporter in 0..<3 { try await database.report(posts[1], by: "reader\(reporter)") }
            try await database.moderateAll()
            #expect(try await database.state(ofPost: posts[1]) == .hidden)
        }
    }

    @Test("no longer hide other posts once a person has found them wrong, but never count more than they did")
    func records() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            // A group would hide nothing anyway.
            _ = try await database.policies.set(note: "no groups") { $0.sharedPosts = 100 }
            var posts: [Int64] = []
            for _ in 0..<4 {
                let post = try await PublishingTests.publish(in: database)
                for reporter in 0..<5 { try await database.report(post, by: "r\(reporter)") }
                posts.append(post)
            }
            try await database.moderateAll()
            func states() async throws -> [String?] {
                try await database.texts("select state::text from darkroom.posts order by post_id")
            }
            #expect(try await states() == ["hidden", "hidden", "hidden", "hidden"])
            // Each approval makes every record worse: 5 × 4/5, 5 × 2/3 and 5 × 4/7 of 5, then below half of it.
            for post in posts[0...1] { _ = try await database.reviews.review(post, .approve, by: "olga") }
            try await database.moderateAll()
            #expect(try await states() == ["published", "published", "hidden", "hidden"])
            let scores = try await database.texts(
                "select round(score::numeric, 2)::text from darkroom.reviews order by post_id")
            #expect(scores == ["3.33", "3.33"])
            _ = try await database.policies.set(note: "shown again sooner") { $0.restoreShare = 0.7 }
            try await database.expire()
            try await database.moderateAll()
            #expect(try await states() == ["published", "published", "published", "published"])

            let weighed = try #require(try await database.reports.weigh(posts[3]))
            #expect(weighed.reports.allSatisfy { $0.agreed == 0 && $0.disagreed == 2 })
            try await database.pool.query("update darkroom.people set agreed = 100")
            let later = try #require(try await database.reports.weigh(posts[3]))
            #expect(later.verdict.evidence.allSatisfy { $0.record == 1 })
        }
    }
}
