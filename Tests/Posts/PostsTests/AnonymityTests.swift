import JobStore
import Postgres
import Posts
import TestKit
import Testing

/// What readers can learn of who wrote a post.
@Suite("Anonymous posts", .timeLimit(.minutes(15)))
struct AnonymityTests {
    private struct Author: Hashable {
        var uploader: String?
        var name: String?
        var handle: String
    }

    /// Who wrote each post, as the feed says.
    private static func authors(_ pool: PostgresPool) async throws -> [Int64: Author] {
        let rows = try await pool.query(
            "select post_id, uploader, display_name, author_handle from darkroom.latest_posts(100)")
        return try Dictionary(
            uniqueKeysWithValues: rows.map { row in
                (
                    try row.decode("post_id", as: Int64.self),
                    Author(
                        uploader: try row.decode("uploader", as: String?.self),
                        name: try row.decode("display_name", as: String?.self),
                        handle: try row.decode("author_handle", as: String.self))
                )
            })
    }

    /// Posts of ada, named ones first and then anonymous ones, with the category and activity given; and one of bob.
    private static func publish(_ database: QueueDatabase) async throws {
        try await database.pool.query(
            """
            with wanted (number, person, category, activity, anonymous) as (
                values (1, 'ada', 'food', 'fair', false), (2, 'ada', null, null, false), (3, 'ada', 'food', 'fair', true),
                       (4, 'ada', 'food', 'walk', true), (5, 'ada', 'art', 'fair', true), (6, 'bob', 'food', 'fair', true)),
            uploads as (
                insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes, category)
                select person, -number, 'originals/' || number, sha256('x'), 1, category from wanted order by number
                returning upload_id, job_id)
            insert into darkroom.posts (
                upload_id, uploader, category, activity, anonymous, latitude, longitude, location_source, width, height, format)
            select upload_id, person, category, activity, anonymous, 47.6, -122.3, 'exif', 1, 1, 'jpeg'
            from wanted join uploads on job_id = -number order by number
            """)
        try await database.pool.query("select darkroom.set_display_name('ada', 'Ada')")
    }

    @Test("have neither uploader nor name, and a handle that is no named post's")
    func handles() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.publish(database)
            let found = try await Self.authors(database.pool)
            #expect(found.count == 6)
            for post in [Int64(1), 2] {
                #expect(found[post]?.uploader == "ada" && found[post]?.name == "Ada")
            }
            #expect(found[1]?.handle == found[2]?.handle)
            for post in Int64(3)...6 {
                #expect(found[post]?.uploader == nil && found[post]?.name == nil)
                #expect(found[post]?.handle != found[1]?.handle)
            }
            #expect(found.values.allSatisfy { $0.handle.wholeMatch(of: #/[0-9a-f]{24}/#) != nil })
            #expect(found[6]?.handle != found[3]?.handle, "another person")
        }
    }

    @Test(
        "have one handle for a person within what the settings say",
        arguments: [
            ("post", [3, 4, 5]), ("activity", [3, 4, 3]), ("category", [3, 3, 5]), ("app", [3, 3, 3]),
        ])
    func scopes(within: String, alike: [Int64]) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.settings set anonymous_within = \(within)")
            try await Self.publish(database)
            let found = try await Self.authors(database.pool)
            for (post, other) in zip(Int64(3)...5, alike) {
                for candidate in Int64(3)...5 {
                    let sameGroup = alike[Int(candidate - 3)] == other
                    #expect(
                        (found[post]?.handle == found[candidate]?.handle) == sameGroup,
                        "\(post) and \(candidate) within \(within)")
                }
            }
        }
    }

    @Test("keep their handle when they are edited or the settings change")
    func edited() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.publish(database)
            try await database.pool.query("select darkroom.add_comment(5, 'ada', 'mine')")
            let before = try await Self.authors(database.pool)
            // A reader who saw it before and after would know that both handles are one person's.
            try await database.pool.query("select darkroom.edit_post(5, 'ada', null, null, 'Food')")
            let after = try await Self.authors(database.pool)
            #expect(before == after && before[5]?.handle != before[3]?.handle)
            #expect(
                try await database.texts("select author_handle from darkroom.post_comments(5)") == [
                    before[5]?.handle
                ])
            try await database.pool.query(
                "update darkroom.uploads u set category = ' FOOD' from darkroom.posts p where p.upload_id = u.upload_id and post_id = 4"
            )
            try await database.pool.query("update darkroom.posts set activity = 'FAIR' where post_id = 3")
            try await database.pool.query("update darkroom.settings set anonymous_within = 'activity'")
            #expect(try await Self.authors(database.pool) == before)
        }
    }

    @Test("are not found by uploader, and do not count in an uploader's statistics, also after a rebuild")
    func searches() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.publish(database)
            for _ in 0..<2 {
                let rows = try await database.pool.query(
                    "select post_id from darkroom.latest_posts(by_uploader => 'ada')")
                #expect(try rows.map { try $0.decode("post_id", as: Int64.self) } == [2, 1])
                let statistics = try await database.pool.query(
                    "select posts from darkroom.uploader_statistics('ada')")
                #expect(try statistics[0].decode("posts", as: Int.self) == 2)
                let own = try await database.texts(
                    "select posts::text from darkroom.uploader_statistics('ada', with_anonymous => true)")
                #expect(own == ["5"])
                let moved = try await database.pool.query(
                    "update darkroom.posts set latitude = latitude + 0.001, published_at = published_at returning 1 as n"
                )
                #expect(moved.count == 6)
                try await database.pool.query("select darkroom.rebuild_feeds()")
            }
            try await database.pool.query("select darkroom.tally_map()")
            #expect(try await database.inconsistencies() == [])
        }
    }

    @Test("keep their uploader anonymous in the comments below them, but nobody else")
    func comments() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.publish(database)
            try await database.pool.query(
                """
                select darkroom.add_comment(p, a, a) from unnest(array[1, 3]) p, unnest(array['ada', 'bob']) a
                """)
            let posts = try await Self.authors(database.pool)
            func comments(_ post: Int64) async throws -> [String: Author] {
                let rows = try await database.pool.query(
                    "select author, body, author_handle from darkroom.post_comments(\(post))")
                return try Dictionary(
                    uniqueKeysWithValues: rows.map { row in
                        (
                            try row.decode("body", as: String.self),
                            Author(
                                uploader: try row.decode("author", as: String?.self), name: nil,
                                handle: try row.decode("author_handle", as: String.self))
                        )
                    })
            }
            let (named, anonymous) = (try await comments(1), try await comments(3))
            #expect(named["ada"]?.uploader == "ada" && named["ada"]?.handle == posts[1]?.handle)
            #expect(anonymous["ada"]?.uploader == nil && anonymous["ada"]?.handle == posts[3]?.handle)
            #expect(anonymous["bob"]?.uploader == "bob" && anonymous["bob"] == named["bob"])
        }
    }

    @Test("and all others give readers handles in place of identifiers, and no role but the owner the key")
    func roles() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.publish(database)
            try await database.makeLogins()
            try await database.pool.query("select darkroom.add_comment(1, 'bob', 'Hello')")
            let expected = try await Self.authors(database.pool)
            for role in [InstallationRole.api, .reader] {
                let url = try await database.url(as: role)
                let pool = PostgresPool(
                    PostgresConfiguration(url: url, applicationName: "anonymity"), size: 1)
                let found = try await Self.authors(pool)
                let details = try await pool.query("select uploader from darkroom.post_details(1)")
                let uploader = try details[0].decode("uploader", as: String?.self)
                let counted = try await pool.query(
                    "select posts from darkroom.uploader_statistics('ada', with_anonymous => true)")[0]
                #expect(try counted.decode("posts", as: Int.self) == (role == .api ? 5 : 2))
                let comments = try await pool.query(
                    "select author, author_handle from darkroom.post_comments(1)")
                let author = try comments[0].decode("author", as: String?.self)
                await pool.close()
                #expect(found.mapValues(\.handle) == expected.mapValues(\.handle))
                #expect(found[1]?.name == "Ada", "names stay")
                #expect(found[1]?.uploader == (role == .api ? "ada" : nil))
                #expect(uploader == (role == .api ? "ada" : nil))
                #expect(author == (role == .api ? "bob" : nil))
            }
            for role in [InstallationRole.api, .reader, .worker, .operator] {
                let url = try await database.url(as: role)
                let pool = PostgresPool(
                    PostgresConfiguration(url: url, applicationName: "anonymity"), size: 1)
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.query("select inner_pad from darkroom.handle_keys")
                }
                #expect(error?.sqlState == .insufficientPrivilege, "\(role.rawValue)")
                await pool.close()
            }
        }
    }

    /// Computed with Python's hmac module for a key of 32 bytes of 1.
    @Test("have the handles of HMAC-SHA-256, with a key that is another one in each database")
    func keys() async throws {
        func key(_ database: QueueDatabase) async throws -> String {
            try await database.pool.query(
                "select encode(inner_pad, 'hex') || encode(outer_pad, 'hex') as key from darkroom.handle_keys"
            )[0]
            .decode("key", as: String.self)
        }
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let row = try await database.pool.query(
                """
                select darkroom.author_handle(
                    decode(repeat('37', 32) || repeat('36', 32), 'hex'), decode(repeat('5d', 32) || repeat('5c', 32), 'hex'),
                    'category food', 'ada') as handle
                """)[0]
            #expect(try row.decode("handle", as: String.self) == "cd76fb7ba7bc056aaf3d7c9d")
            let key = try await key(database)
            #expect(key.count == 256 && Set(key.prefix(64)).count > 4)
            #expect(key.dropFirst(64).prefix(64) == Substring(String(repeating: "36", count: 32)))
            #expect(key.suffix(64) == Substring(String(repeating: "5c", count: 32)))
        }
    }

    @Test("are asked for at enqueue, alone or in bulk")
    func enqueue() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                """
                select darkroom.enqueue_upload('ada', 'originals/a', repeat('ab', 32), 1),
                       darkroom.enqueue_upload('ada', 'originals/a', repeat('ab', 32), 1, anonymous => true),
                       darkroom.enqueue_uploads((
                           select jsonb_agg(u || jsonb_build_object(
                               'uploader', 'ada', 'original_key', 'o', 'original_sha256', repeat('ab', 32), 'original_bytes', 1))
                           from unnest(array['{}', '{"anonymous": true}', '{"anonymous": false}']::jsonb[]) u))
                """)
            let rows = try await database.pool.query(
                "select anonymous from darkroom.uploads order by upload_id")
            #expect(
                try rows.map { try $0.decode("anonymous", as: Bool.self) } == [
                    false, true, false, true, false,
                ])
        }
    }
}
