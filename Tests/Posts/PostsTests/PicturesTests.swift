import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Pictures in a post's row", .timeLimit(.minutes(15)))
struct PicturesTests {
    static let formats = ["jpeg", "webp"]

    static func renditions(_ names: [String], bytes: Int64 = 4321) -> [PostRendition] {
        zip(1..., names).map { number, name in
            PostRendition(
                name: name, mediaKey: "renditions/\(name)-\(bytes)",
                sha256: String(repeating: "0a", count: 32),
                width: 320 * (number % 3 + 1), height: 200, byteCount: bytes + Int64(number),
                format: formats[number % 2])
        }
    }

    /// The names of the first post's pictures as readers get them, and how many posts have wrong copies of renditions.
    static func shown(_ database: QueueDatabase) async throws -> (names: [String], wrong: Int) {
        let rows = try await database.pool.query(
            """
            select (select array_agg(p.picture ->> 'name' order by number)
                    from darkroom.latest_posts() l, jsonb_array_elements(l.pictures) with ordinality as p (picture, number)
                    where l.post_id = (select min(post_id) from darkroom.posts)) as names,
                   (select count(*) from darkroom.posts where pictures is distinct from darkroom.pictures_of(post_id)) as wrong
            """)
        return (
            try rows[0].decode("names", as: [String]?.self) ?? [], try rows[0].decode("wrong", as: Int.self)
        )
    }

    @Test("are complete after two concurrent writes of one post's renditions")
    func together() async throws {
        try await QueueDatabase.with(FeedFixture(1)) { (database: QueueDatabase) async throws -> Void in
            func insert(_ name: String) -> PostgresQuery {
                """
                insert into darkroom.renditions (post_id, name, media_key, sha256, width, height, bytes)
                select post_id, \(name), 'renditions/' || \(name), sha256('a'), 10, 10, 5 from darkroom.posts
                """
            }
            try await database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                try await first.run("begin")
                try await first.run(insert("large"))
                let other = try await second.start(insert("small"))
                try await first.run("commit")
                try await other.value
            }
            let shown = try await Self.shown(database)
            #expect(shown.names == ["large", "small"] && shown.wrong == 0)
        }
    }

    @Test("are written with the post, so that its row is not written twice")
    func published() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("alter table darkroom.renditions disable trigger user")
            try await database.enqueue()
            let claimed = try await database.claimOne()
            var post = PublishingTests.post(upload: claimed.subject)
            post.renditions = Self.renditions(["b", "a", "large", "c", "medium"])
            let ready = post
            _ = try await database.pool.withTransaction {
                try await PublishingStore.publish(ready, in: $0)
            }
            let (names, wrong) = try await Self.shown(database)
            #expect(names == ["a", "medium", "b", "c", "large"] && wrong == 0)
        }
    }

    @Test("follow the renditions, also of many posts at once")
    func followed() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            let other = try await PublishingTests.publish(in: database)
            #expect(try await Self.shown(database).names == ["square"])
            try await database.pool.query(
                """
                insert into darkroom.renditions (post_id, name, media_key, sha256, width, height, bytes)
                select p, n, 'renditions/' || n, sha256('x'), 100, 100, 1
                from unnest(\([post, other])::bigint[]) p, unnest('{one,two}'::text[]) n
                """)
            #expect(try await Self.shown(database) == (["square", "one", "two"], 0))
            try await database.pool.query(
                "update darkroom.renditions set width = 5000, media_key = 'renditions/new' where name = 'two'"
            )
            #expect(try await Self.shown(database) == (["two", "square", "one"], 0))
            try await database.pool.query("delete from darkroom.renditions where name <> 'one'")
            #expect(try await Self.shown(database) == (["one"], 0))
            try await database.pool.query("delete from darkroom.renditions where post_id = \(post)")
            #expect(try await Self.shown(database) == ([], 0))
            try await database.pool.query("delete from darkroom.posts where post_id = \(other)")
            let left = try await database.pool.query("select from darkroom.renditions")
            #expect(left.isEmpty)
        }
    }

    @Test("are replaced when a post is rendered again")
    func replaced() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            for names in [["square", "large"], ["large", "tiny"]] {
                try await database.pool.withTransaction { transaction in
                    try await RerenderingStore.replacePictures(
                        of: post, by: Self.renditions(names, bytes: Int64(names[0].count)), placeholder: nil,
                        perceptualHash: nil, renderedWith: 7, in: transaction)
                }
                let (shown, wrong) = try await Self.shown(database)
                #expect(shown == names.reversed() && wrong == 0)
            }
        }
    }
}
