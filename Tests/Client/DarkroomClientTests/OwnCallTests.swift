import DarkroomClient
import FoundationEssentials
import Postgres
import TestKit
import Testing

@Suite("The Swift library's texts, checks, edits and own posts", .timeLimit(.minutes(10)))
struct OwnCallTests {
    private static var text: UploadDetails {
        var details = UploadDetails(uploader: "ada")
        details.headline = "Lost: a bike"
        details.coordinates = (47.6, -122.3)
        return details
    }

    @Test("a text needs no photo, alone or among photos")
    func texts() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            let job = try await scene.client.enqueue(text: Self.text)
            #expect(try await scene.client.status(of: job)?.state == .waiting)
            let photo = try await scene.client.store(bytes: [1, 2, 3])
            let jobs = try await scene.client.enqueue([
                (photo, UploadDetails(uploader: "ada")), (nil, Self.text),
            ])
            #expect(jobs.count == 2)
            #expect(
                try await scene.number("select count(*) from darkroom.jobs where kind = 'ingest_text'") == 2)
            var nowhere = Self.text
            nowhere.coordinates = nil
            let refused = await failure { _ = try await scene.client.enqueue(text: nowhere) }
            #expect(refused.code == .invalidUpload)
            #expect(refused.constraint == "upload_without_a_photo_says_where_it_is")
        }
    }

    @Test("a check tells what enqueueing would refuse")
    func check() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            var details = Self.text
            #expect(try await scene.client.check(details, hasPhoto: false) == [])
            try await scene.execute(
                """
                insert into darkroom.posting_policies (
                    headline_required, caption_required, category_required, link, accuracy_at_most_m, note)
                values (true, true, false, 'optional', 100, 'test')
                """)
            details.accuracyMetres = 150
            details.link = "ftp://example.org"
            details.takenAt = Date(timeIntervalSince1970: 1e10)
            let found = try await scene.client.check(details)
            #expect(found.map(\.argument) == ["taken_at", "link", "link", "caption", "accuracy_m"])
            #expect(
                found.last?.reason == "location_too_inaccurate"
                    && found.last?.message.contains("150 m") == true)
            let refused = await failure { _ = try await scene.client.enqueue(text: Self.text) }
            #expect(refused.code == .invalidUpload && refused.constraint == "caption_missing")
        }
    }

    @Test("an uploader sees how much is left of a quota, and when there is more")
    func quota() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            #expect(try await scene.client.quota(ofUploader: "ada").photosADay == nil)
            try await scene.execute(
                """
                insert into darkroom.posting_policies (
                    headline_required, caption_required, category_required, link, photos_a_day, bytes_a_day, note)
                values (false, false, false, 'optional', 1, 1000, 'test')
                """)
            _ = try await scene.client.enqueue(text: Self.text)
            let quota = try await scene.client.quota(ofUploader: "ada")
            #expect(quota.photosADay == 1 && quota.photosLeft == 0)
            #expect(quota.bytesADay == 1000 && quota.bytesLeft == 1000)
            #expect(quota.moreAt.map { $0 > Date.now + 86_000 } == true)
            let found = try await scene.client.check(Self.text, hasPhoto: false)
            #expect(found.map(\.reason) == ["too_many_photos_today"])
            #expect(found.first?.retryAfter.map { $0 > 86_000 } == true)
            let refused = await failure { _ = try await scene.client.enqueue(text: Self.text) }
            #expect(refused.code == .invalidUpload && refused.constraint == "too_many_photos_today")
        }
    }

    @Test("an uploader edits a post, and sees all uploads with their states")
    func own() async throws {
        try await Scene.with(posts: 40) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let first = try #require(try await client.latestPosts().items.first)
            let uploader = try #require(first.uploader)
            let state = try await client.edit(
                post: first.id, of: uploader, headline: "New", caption: nil, category: "art")
            #expect(state == .published)
            let details = try #require(try await client.details(of: first.id))
            #expect(details.headline == "New" && details.category == "art")
            try await client.vote(.like, onPost: first.id, by: "zoe")
            try await client.vote(.dislike, onPost: first.id, by: "yan")
            try await scene.execute("select darkroom.tally_counters()")
            let stranger = await failure {
                try await client.edit(post: first.id, of: "eve", headline: "x", caption: nil, category: nil)
            }
            #expect(stranger.code == .notFound)
            var waiting = Self.text
            waiting.uploader = uploader
            let job = try await client.enqueue(text: waiting)
            let own = try await scene.all {
                try await client.ownPosts(of: uploader, atMost: 1, after: $0)
            }
            #expect(own.first?.job == job && own.first?.state == .waiting && own.first?.post == nil)
            #expect(own.dropFirst().allSatisfy { $0.state == .published && $0.publishedAt != nil })
            #expect(own.contains { $0.post == first.id && $0.headline == "New" })
            let all = try await client.statistics(ofUploader: uploader)
            let likes = own.reduce(0) { $0 + $1.likes }
            let dislikes = own.reduce(0) { $0 + $1.dislikes }
            #expect(likes == all.likes && dislikes == all.dislikes && likes > 0 && dislikes > 0)
            let stored = try await scene.number(
                "select count(*) from darkroom.uploads where uploader = \(uploader)")
            #expect(own.count == stored && stored > 2)
        }
    }
}
