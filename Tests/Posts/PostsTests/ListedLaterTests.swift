import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Posts whose hash is listed later", .timeLimit(.minutes(15)))
struct ListedLaterTests {
    @Test("hide posts that were published before, once for each list")
    func check() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 10)
            let hashes = (0..<7).map { _ in KnownHashTests.hash(&random) }
            var posts: [Int64] = []
            for (number, hash) in hashes.enumerated() {
                let known = KnownHashTests.known(hash, quality: number == 5 ? 49 : 100)
                posts.append(
                    try #require(try await KnownHashTests.ingest(database, number == 6 ? nil : known).post))
            }
            try await KnownHashTests.add(
                [1, 4, 5].map { KnownHashTests.known(hashes[$0]) }, to: "list", .refuse, in: database)
            func check(_ batch: Int) async throws -> HashCheck {
                var total = HashCheck()
                var last: Int64 = 0
                while let next = try await database.hashLists.check(
                    after: last, atMost: batch, against: nil, adding: &total)
                {
                    last = next
                }
                return total
            }
            let first = try await check(2)
            #expect(first.examined == 7 && first.listed == 2 && first.hidden == 2)
            for number in 0..<7 {
                let state = try await database.state(ofPost: posts[number])
                #expect(state == ([1, 4].contains(number) ? .hidden : .published), "post \(number)")
            }
            #expect(try await database.events(of: posts[1]) == ["published", "hidden"])
            #expect(try await check(100).listed == 0, "what it has found waits already")
            // What a person approves stays, until another list has it.
            _ = try await database.reviews.review(posts[1], .approve, by: "olga")
            #expect(try await check(100).listed == 0)
            #expect(try await database.state(ofPost: posts[1]) == .published)
            try await KnownHashTests.add([KnownHashTests.known(hashes[1])], to: "another", in: database)
            #expect(try await database.hashLists.remove("list"))
            #expect(try await check(100).hidden == 1)
        }
    }

    @Test("keep a post hidden that reports had hidden, when the reports no longer count")
    func reported() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 11)
            let hash = KnownHashTests.hash(&random)
            let post = try #require(
                try await KnownHashTests.ingest(database, KnownHashTests.known(hash)).post)
            try await KnownHashTests.add([KnownHashTests.known(hash)], to: "list", in: database)
            var total = HashCheck()
            _ = try await database.hashLists.check(after: 0, atMost: 10, against: nil, adding: &total)
            #expect(total.hidden == 1)
            _ = try await database.pool.withTransaction { transaction in
                try await ModerationStore.moderate(post, in: transaction)
            }
            #expect(try await database.state(ofPost: post) == .hidden)
            #expect(try await database.reviews.waiting(limit: 5).map(\.position.post) == [post])
        }
    }
}
