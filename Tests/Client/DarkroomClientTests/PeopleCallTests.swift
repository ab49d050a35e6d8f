import DarkroomClient
import FoundationEssentials
import JobStore
import Postgres
import TestKit
import Testing

@Suite("The Swift library's reports, appeals, deletions, persons and events", .timeLimit(.minutes(10)))
struct PeopleCallTests {
    @Test("a reporter files one report, with its reason", arguments: ReportReason.allCases)
    func reports(reason: ReportReason) async throws {
        try await Scene.with(posts: 1) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let since = Date(timeIntervalSince1970: 1_700_000_000)
            #expect(
                try await client.report(
                    post: 1, by: "ada", for: reason, details: "Look.", reporterSince: since))
            #expect(try await !client.report(post: 1, by: "ada", for: .other))
            let rows = try await scene.database.pool.query(
                "select reason::text as reason, details, reporter_since from darkroom.reports")
            #expect(rows.count == 1)
            #expect(try rows[0].decode("reason", as: String.self) == reason.rawValue)
            #expect(try rows[0].decode("details", as: String?.self) == "Look.")
            #expect(try rows[0].decode("reporter_since", as: Date.self) == since)
            let unknown = await failure { try await client.report(post: 404, by: "ada", for: reason) }
            #expect(unknown.code == .notFound)
            let long = await failure {
                try await client.report(
                    post: 1, by: "bob", for: reason, details: String(repeating: "x", count: 2001))
            }
            #expect(long.code == .invalidArgument)
            #expect(long.constraint == "remark_is_at_most_2000_characters")
        }
    }

    @Test("a reporter learns what became of each report, page by page")
    func decisions() async throws {
        try await Scene.with(posts: 2) { (scene: Scene) async throws -> Void in
            let client = scene.client
            for post in 1...2 {
                _ = try await client.report(post: Int64(post), by: "ada", for: .privateInformation)
            }
            try await scene.execute(
                """
                select darkroom.decide_on_post(
                    post_id => 1, decision => 'remove', moderator => 'olga', terms => 'section 4')
                """)
            let latest = try await client.decisions(onReportsBy: "ada", atMost: 1)
            #expect(latest.items.map(\.post) == [2] && latest.items.map(\.outcome) == [.waiting])
            let first = try await client.decisions(onReportsBy: "ada", after: latest.next)
            let decision = try #require(first.items.first)
            #expect(first.items.count == 1 && decision.post == 1 && decision.outcome == .removed)
            #expect(decision.reason == .privateInformation && !decision.isAutomatic)
            #expect(decision.decidedAt != nil && decision.redress?.isEmpty == false)
            #expect(try await client.decisions(onReportsBy: "eve").items.isEmpty)
            let foreign = await failure {
                _ = try await client.decisions(onReportsBy: "ada", after: PageCursor("latest:1~2"))
            }
            #expect(foreign.code == .invalidArgument)
        }
    }

    @Test("an uploader can appeal against something, once at a time")
    func appeals() async throws {
        try await Scene.with(posts: 1) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let post = try #require(try await client.latestPosts().items.first)
            let uploader = try #require(post.uploader)
            let nothing = await failure {
                try await client.appeal(post: post.id, by: uploader, "It is mine.")
            }
            #expect(nothing.code == .notPossible)
            try await scene.execute("update darkroom.posts set state = 'hidden'")
            let stranger = await failure { try await client.appeal(post: post.id, by: "eve", "Mine.") }
            #expect(stranger.code == .notFound)
            let empty = await failure { try await client.appeal(post: post.id, by: uploader, "") }
            #expect(empty.code == .invalidArgument && empty.constraint == "appeal_is_not_blank")
            let appeal = try await client.appeal(post: post.id, by: uploader, "It is mine.")
            #expect(try await scene.number("select appeal_id from darkroom.reviews") == Int(appeal))
            let again = await failure { try await client.appeal(post: post.id, by: uploader, "!") }
            #expect(again.code == .conflict && again.constraint == "one_open_appeal")
        }
    }

    @Test("a post is deleted by its uploader, once")
    func deletion() async throws {
        try await Scene.with(posts: 2) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let post = try #require(try await client.latestPosts().items.first)
            let uploader = try #require(post.uploader)
            let stranger = await failure { try await client.delete(post: post.id, of: "eve") }
            #expect(stranger.code == .notFound)
            #expect(try await client.delete(post: post.id, of: uploader))
            #expect(try await client.latestPosts().items.allSatisfy { $0.id != post.id })
            #expect(try await client.details(of: post.id) == nil)
            #expect(try await !client.delete(post: post.id, of: uploader))
            #expect(
                try await scene.number("select count(*) from darkroom.jobs where kind = 'erase_post'") == 1)
        }
    }

    @Test("a person's erasure is ordered once, and the requester is kept")
    func erasure() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            let client = scene.client
            let order = try await client.erase(person: "ada", requestedBy: "support desk")
            #expect(try await client.erase(person: "ada") == order)
            #expect(try await client.erase(person: "bob") != order)
            #expect(
                try await scene.number(
                    """
                    select count(*) from darkroom.person_erasures e
                    join darkroom.jobs j on j.kind = 'erase_person' and j.subject_id = e.erasure_id
                    where e.person = 'ada' and e.requested_by = 'support desk'
                    """) == 1)
            for (person, constraint) in [
                ("", "person_is_1_to_200_characters"), ("*", "person_is_not_the_star_of_all_keys"),
            ] {
                let error = await failure { try await client.erase(person: person) }
                #expect(error.code == .invalidArgument && error.constraint == constraint)
            }
        }
    }

    @Test("a name belongs to one person, and statistics count visible posts")
    func people() async throws {
        try await Scene.with(posts: 40) { (scene: Scene) async throws -> Void in
            let client = scene.client
            try await client.setDisplayName(of: "user-2", to: "Zoë")
            #expect(
                try await client.latestPosts(filter: FeedFilter(uploader: "user-2")).items.first?.displayName
                    == "Zoë")
            let taken = await failure { try await client.setDisplayName(of: "user-3", to: "ZOË") }
            #expect(taken.code == .conflict && taken.constraint == "display_name_is_taken")
            let odd = await failure { try await client.setDisplayName(of: "user-3", to: "a\u{202E}b") }
            #expect(odd.code == .invalidArgument)
            #expect(odd.constraint == "word_is_one_line_of_at_most_100_characters")
            #expect(try await client.checkDisplayName("ZOË", of: "user-2").isEmpty, "it is their own")
            try await client.setDisplayName(of: "user-2", to: nil)
            let told = try await client.checkDisplayName("Zoë", of: "user-3")
            #expect(told.map(\.reason) == ["display_name_was_given_up"] && told[0].argument == "name")
            #expect(told[0].retryAfter.map { (29 * 86400...30 * 86400).contains($0) } == true)
            let kept = await failure { try await client.setDisplayName(of: "user-3", to: "Zoë") }
            #expect(kept.code == .conflict && kept.constraint == "display_name_was_given_up")
            try await client.setDisplayName(of: "user-2", to: "Zoë")

            let posts = try await scene.database.visiblePosts().filter { $0.uploader == "user-2" }
            let (likes, dislikes) = (
                posts.reduce(0) { $0 + $1.likes }, posts.reduce(0) { $0 + $1.dislikes }
            )
            let statistics = try await client.statistics(ofUploader: "user-2")
            #expect(statistics.posts == posts.count && statistics.likes == likes)
            #expect(statistics.dislikes == dislikes && statistics.comments == 0 && statistics.views == 0)
            if likes + dislikes > 0 {
                let share = try #require(statistics.shareOfLikes)
                #expect(abs(share - Double(likes) / Double(likes + dislikes)) < 1e-12)
            }
            let nobody = try await client.statistics(ofUploader: "nobody")
            #expect(nobody.posts == 0 && nobody.shareOfLikes == nil)
        }
    }

    @Test("events for the uploader have their numbers")
    func uploaderEvents() async throws {
        try await Scene.with(posts: 1) { (scene: Scene) async throws -> Void in
            #expect(try await scene.client.events(for: "push").isEmpty, "the consumer is now registered")
            try await scene.execute(
                """
                insert into darkroom.outbox (post_id, event, job_id, reason, likes, comment_id)
                values (1, 'liked', null, null, 12, null), (1, 'appeal_answered', null, null, null, null),
                       (null, 'rejected', 7, 'no_location', null, null), (1, 'corrected', null, null, null, null),
                       (1, 'comment_hidden', null, null, null, 3)
                """)
            try await scene.execute("select darkroom.notify_of_events()")
            let events = try await scene.client.events(for: "push")
            #expect(
                events.map(\.kind) == [
                    .liked(likes: 12), .appealAnswered, .rejected(job: 7, reason: "no_location"),
                    .other("corrected"), .comment(3, .hidden),
                ])
            #expect(events.map(\.post) == [1, 1, nil, 1, 1])
        }
    }

    @Test("events come until they are acknowledged, each with its kind")
    func events() async throws {
        try await Scene.with(posts: 1) { (scene: Scene) async throws -> Void in
            let client = scene.client
            #expect(try await client.events(for: "push").isEmpty, "the consumer is now registered")
            let comment = try await client.comment("Hello", onPost: 1, by: "ada")
            for event in ["published", "held", "hidden", "restored", "removed", "expired"] {
                try await scene.execute(
                    "insert into darkroom.outbox (post_id, event) values (1, \(event))")
            }
            try await scene.execute("select darkroom.notify_of_events()")
            let events = try await client.events(for: "push")
            #expect(
                events.map(\.kind) == [
                    .commented(comment: comment), .published, .held, .hidden, .restored, .removed, .expired,
                ])
            #expect(events.allSatisfy { $0.post == 1 })
            let uploader = try await client.details(of: 1)?.uploader
            #expect(uploader != nil && events.allSatisfy { $0.uploader == uploader })
            #expect(try await client.events(for: "push", atMost: 2) == Array(events.prefix(2)))
            #expect(try await client.acknowledge(eventsUpTo: events[4].number, for: "push"))
            #expect(try await !client.acknowledge(eventsUpTo: events[4].number, for: "push"))
            #expect(try await client.events(for: "push") == Array(events.suffix(2)))
            try await scene.execute("select darkroom.erase_post_rows(1)")
            #expect(try await client.events(for: "push").map(\.uploader) == [nil, nil])
            let future = await failure {
                try await client.acknowledge(eventsUpTo: 1_000_000, for: "push")
            }
            #expect(future.code == .invalidArgument)
            let nameless = await failure { _ = try await client.events(for: "") }
            #expect(nameless.constraint == "consumer_is_1_to_100_characters")
        }
    }
}
