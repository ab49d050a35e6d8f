import DarkroomClient
import JobStore
import Postgres
import TestKit
import Testing

@Suite("The Swift library's votes, comments and views", .timeLimit(.minutes(10)))
struct ReactionCallTests {
    @Test("a vote is set, changed and withdrawn, and its voter can see it")
    func votes() async throws {
        try await Scene.with(posts: 1) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let before = try #require(try await client.details(of: 1, viewer: "ada"))
            #expect(before.viewerVote == nil)
            let steps: [(vote: Vote?, changes: Bool, likes: Int, dislikes: Int)] = [
                (.like, true, 1, 0), (.like, false, 1, 0), (.dislike, true, 0, 1), (nil, true, 0, 0),
                (nil, false, 0, 0), (.like, true, 1, 0),
            ]
            for step in steps {
                let changed = try await client.vote(step.vote, onPost: 1, by: "ada")
                #expect(changed == step.changes)
                let now = try #require(try await client.details(of: 1, viewer: "ada"))
                #expect(now.viewerVote == step.vote)
                #expect(try await client.latestPosts(viewer: "ada").items[0].viewerVote == step.vote)
                #expect(try await client.latestPosts().items[0].viewerVote == nil)
                #expect(now.likes == before.likes + step.likes)
                #expect(now.dislikes == before.dislikes + step.dislikes)
            }
            #expect(try await client.details(of: 1, viewer: "bob")?.viewerVote == nil)
            #expect(try await client.details(of: 1)?.viewerVote == nil)
            #expect(Vote(rawValue: "love") == nil)
        }
    }

    @Test(
        "a vote on, a comment on and a look at an invisible post find nothing", arguments: [true, false])
    func unseen(isKnown: Bool) async throws {
        try await Scene.with(posts: 1) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let comment = try await client.comment("first", onPost: 1, by: "ada")
            try await scene.execute("update darkroom.posts set state = 'hidden'")
            let post: Int64 = isKnown ? 1 : 404
            for error in [
                await failure { try await client.vote(.like, onPost: post, by: "ada") },
                await failure { try await client.vote(nil, onPost: post, by: "ada") },
                await failure { try await client.comment("Hello", onPost: post, by: "ada") },
                await failure { try await client.vote(.like, onComment: isKnown ? comment : 404, by: "ada") },
            ] {
                #expect(error.code == .notFound)
            }
            #expect(try await client.details(of: post) == nil)
            #expect(try await client.comments(ofPost: post).items.isEmpty)
        }
    }

    @Test(
        "an error for a voter, author or text out of range names the constraint",
        arguments: ["", String(repeating: "x", count: 201)])
    func outOfRange(person: String) async throws {
        try await Scene.with(posts: 1) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let comment = try await client.comment("first", onPost: 1, by: "ada")
            let cases: [(String, @Sendable () async throws -> Void)] = [
                ("person_is_1_to_200_characters", { try await client.vote(.like, onPost: 1, by: person) }),
                (
                    "person_is_1_to_200_characters",
                    { try await client.vote(.like, onComment: comment, by: person) }
                ),
                ("person_is_1_to_200_characters", { try await client.comment("x", onPost: 1, by: person) }),
                (
                    "remark_is_at_most_2000_characters",
                    { try await client.comment(String(repeating: "é", count: 2001), onPost: 1, by: "ada") }
                ),
                (
                    "prose_has_at_most_5000_characters_and_no_control_characters",
                    { try await client.comment("a\u{7}b", onPost: 1, by: "ada") }
                ),
                ("comment_is_not_blank", { try await client.comment(" \n", onPost: 1, by: "ada") }),
            ]
            for (constraint, call) in cases {
                let error = await failure(call)
                #expect(error.code == .invalidArgument && error.constraint == constraint)
            }
            let nul = await failure { try await client.comment("a\0b", onPost: 1, by: "ada") }
            #expect(nul.code == .invalidArgument)
            let fits = try await client.comment(String(repeating: "é", count: 2000), onPost: 1, by: "ada")
            #expect(fits > comment)
        }
    }

    @Test(
        "comments are read newest or most popular first, page by page, voted on, reported, and deleted by their authors or the uploader"
    )
    func comments() async throws {
        try await Scene.with(posts: 2) { (scene: Scene) async throws -> Void in
            let client = scene.client
            var written: [Int64] = []
            for number in 1...7 {
                written.append(
                    try await client.comment("No. \(number)\nand more", onPost: 1, by: "user-\(number)"))
            }
            try await client.comment("elsewhere", onPost: 2, by: "ada")
            #expect(try await client.vote(.like, onComment: written[6], by: "ada"))
            #expect(try await client.vote(.dislike, onComment: written[6], by: "ada"))
            #expect(try await !client.vote(.dislike, onComment: written[6], by: "ada"))
            #expect(try await client.vote(.like, onComment: written[6], by: "bob"))
            try await scene.execute("select darkroom.tally_counters()")
            let read = try await scene.all { try await client.comments(ofPost: 1, atMost: 3, after: $0) }
            #expect(read.map(\.id) == written.reversed())
            #expect(read[0].author == "user-7" && read[0].body == "No. 7\nand more")
            #expect(read[0].likes == 1 && read[0].dislikes == 1 && read[1].likes == 0)
            #expect(try await client.details(of: 1)?.comments == 7)

            #expect(try await client.vote(.like, onComment: written[2], by: "ada"))
            try await scene.execute("select darkroom.tally_counters()")
            let popular = try await scene.all {
                try await client.comments(ofPost: 1, by: .popular, atMost: 2, after: $0, viewer: "ada")
            }
            #expect(popular.map(\.id) == [written[2]] + written.reversed().filter { $0 != written[2] })
            #expect(popular.prefix(3).map(\.viewerVote) == [.like, .dislike, nil])
            try await client.setDisplayName(of: "user-3", to: "Zoë")
            let one = try #require(try await client.comment(written[2], viewer: "ada"))
            #expect(one.displayName == "Zoë" && one.viewerVote == .like && one.likes == 1 && one.post == 1)
            #expect(try await client.comment(404) == nil)

            #expect(
                try await client.report(comment: written[1], by: "ada", for: .harassment, details: "Look."))
            #expect(try await !client.report(comment: written[1], by: "ada", for: .spam))
            let unknown = await failure { try await client.report(comment: 404, by: "ada", for: .spam) }
            #expect(unknown.code == .notFound)

            #expect(try await !client.deleteComment(written[0], by: "ada"))
            #expect(try await client.deleteComment(written[0], by: "user-1"))
            #expect(try await !client.deleteComment(written[0], by: "user-1"))
            let uploader = try #require(try await client.details(of: 1)?.uploader)
            #expect(try await client.deleteComment(written[1], by: uploader))
            #expect(try await client.comments(ofPost: 1, atMost: 100).items.map(\.id).count == 5)
            let foreign = await failure {
                _ = try await client.comments(ofPost: 1, after: PageCursor("1.5~7"))
            }
            #expect(foreign.code == .invalidArgument)
        }
    }

    @Test("views are added up, and those of unknown posts are ignored")
    func views() async throws {
        try await Scene.with(posts: 2) { (scene: Scene) async throws -> Void in
            let client = scene.client
            try await client.countViews(of: [1, 2, 404])
            try await client.countViews([1: 10, 2: Int.max, 404: 3])
            try await client.countViews([1: -5])
            #expect(try await client.details(of: 1)?.views == 11)
            #expect(try await client.details(of: 2)?.views == 1_000_001)
        }
    }

    @Test("a reader reads, but neither votes nor sees who voted")
    func reader() async throws {
        try await Scene.with(role: .reader, posts: 3) { (scene: Scene) async throws -> Void in
            let client = scene.client
            try await scene.execute("select darkroom.vote_on_post(1, 'ada', 'like')")
            #expect(try await client.latestPosts().items.count == 3)
            let details = try #require(try await client.details(of: 1, viewer: "ada"))
            #expect(details.likes >= 1 && details.viewerVote == nil)
            for error in [
                await failure { try await client.vote(.like, onPost: 1, by: "ada") },
                await failure { try await client.comment("x", onPost: 1, by: "ada") },
                await failure { try await client.countViews(of: [1]) },
                await failure { try await client.erase(person: "ada") },
                await failure { try await client.delete(post: 1, of: "user-1") },
                await failure { _ = try await client.events(for: "push") },
                await failure { _ = try await client.status(of: 1) },
            ] {
                #expect(error.code == .notPermitted)
            }
        }
    }
}
