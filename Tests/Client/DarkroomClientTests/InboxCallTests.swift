import DarkroomClient
import Postgres
import TestKit
import Testing

@Suite("The Swift library's inboxes", .timeLimit(.minutes(10)))
struct InboxCallTests {
    @Test("tell what happened, page by page, until they are read")
    func inbox() async throws {
        try await Scene.with(posts: 1) { (scene: Scene) async throws -> Void in
            let client = scene.client
            try await scene.execute("update darkroom.posts set uploader = 'owner'")
            let comment = try await client.comment("Hello", onPost: 1, by: "ada")
            try await scene.execute(
                """
                insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
                values ('owner', 7, 'originals/x', sha256('x'), 1)
                """)
            try await scene.execute(
                """
                insert into darkroom.outbox (post_id, event, job_id, upload_id, reason, likes)
                select null::bigint, 'rejected', 7, u.upload_id, 'no_location', null::integer
                from darkroom.uploads u where u.job_id = 7
                union all select 1, 'liked', null, null, null, 12
                """)
            for event in [
                "published", "held", "hidden", "restored", "removed", "expired", "corrected",
                "appeal_answered",
            ] {
                try await scene.execute(
                    "insert into darkroom.outbox (post_id, event) values (1, \(event))")
            }
            // The author of a comment is told what became of it.
            for outcome in CommentOutcome.allCases {
                try await scene.execute(
                    "insert into darkroom.outbox (post_id, event, comment_id) values (1, \("comment_" + outcome.rawValue), \(comment))"
                )
            }
            try await scene.execute("select darkroom.notify_of_events()")
            try await scene.execute("select darkroom.fill_inboxes()")
            let told = try await client.inbox(of: "ada").items.map(\.event)
            #expect(told == CommentOutcome.allCases.reversed().map { .comment(comment, $0) })
            let entries = try await scene.all { try await client.inbox(of: "owner", atMost: 4, after: $0) }
            #expect(
                entries.map(\.event) == [
                    .appealAnswered, .corrected, .expired, .removed, .restored, .hidden, .held, .published,
                    .liked(times: 12), .rejected(job: 7, reason: "no_location"),
                    .commented(times: 1, latest: comment),
                ])
            #expect(entries.filter { $0.post == nil }.count == 1 && entries.allSatisfy { !$0.isRead })
            #expect(try await client.unread(of: "owner") == entries.count)
            #expect(try await client.readInbox(of: "owner", upTo: entries[1].number))
            #expect(try await !client.readInbox(of: "owner", upTo: entries[1].number))
            #expect(try await client.unread(of: "owner") == 1)
            #expect(try await client.inbox(of: "owner").items.map(\.isRead).filter { !$0 }.count == 1)
            #expect(try await client.inbox(of: "eve").items.isEmpty)
            let future = await failure { try await client.readInbox(of: "owner", upTo: 1_000_000) }
            #expect(future.code == .invalidArgument)
        }
    }

    @Test("hold what their persons have chosen")
    func choice() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            let client = scene.client
            #expect(try await client.inboxEvents(of: "ada").count == 16)
            try await client.chooseInboxEvents(["liked"], of: "ada")
            #expect(try await client.inboxEvents(of: "ada") == ["liked"])
            try await client.chooseInboxEvents([], of: "ada")
            #expect(try await client.inboxEvents(of: "ada") == [])
            try await client.chooseInboxEvents(nil, of: "ada")
            #expect(try await client.inboxEvents(of: "ada").count == 16)
            let wrong = await failure { try await client.chooseInboxEvents(["weather"], of: "ada") }
            #expect(wrong.code == .invalidArgument)
        }
    }
}
