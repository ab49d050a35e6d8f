import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Pictures that may be shown", .timeLimit(.minutes(10)))
struct MayShowTests {
    /// Posts in every state, without an end, over and not over, that have replaced no picture, one in its grace and one
    /// after it. Each has a picture of its own, one that a neighbour has replaced, and some that it shares with others.
    private static let posts = [
        """
        create temporary table kinds as
        select row_number() over () as n, state, hours, grace
        from unnest(enum_range(null::darkroom.post_state)) state, unnest(array[null, -1, 1]) hours,
             unnest(array[null, -1, 1]) grace
        """,
        """
        insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
        select 'ada', n, 'originals/' || n, sha256('a'), 1 from kinds order by n
        """,
        """
        insert into darkroom.posts (
            upload_id, state, uploader, latitude, longitude, location_source, width, height, format, expires_at)
        select upload_id, state, 'ada', 1, 1, 'exif', 1, 1, 'jpeg', now() + make_interval(hours => hours)
        from kinds join darkroom.uploads on job_id = n order by n
        """,
        """
        insert into darkroom.renditions (post_id, name, media_key, sha256, width, height, bytes)
        select post_id, key, 'renditions/' || key, sha256('a'), 1, 1, 1
        from darkroom.posts cross join lateral (
            select 'own ' || post_id as key
            union all
            select 'shared ' || d || ' ' || post_id % d from unnest(array[2, 7, 11, 13, 19, 23, 29]) d) k
        """,
        """
        insert into darkroom.retired_media (media_key, due_at, post_id)
        select key, now() + make_interval(hours => grace), n
        from kinds, unnest(array['renditions/old ' || n, 'renditions/own ' || n + 1]) key where grace is not null
        """,
        "insert into darkroom.retired_media (media_key, due_at) values ('originals/1', now() + interval '1 day')",
        "insert into darkroom.retired_media (media_key, due_at, post_id) values ('renditions/gone', now() + interval '1 day', 9999)",
    ]

    private static let hostile: [String?] = [
        nil, "", " ", "renditions", "renditions/", "renditions/%", "renditions/own _", "renditions/own 1 ",
        "RENDITIONS/OWN 1", "renditions/own 1\n", "renditions/../originals/1",
        "'; drop table darkroom.posts; --",
        "\u{1}", String(repeating: "é", count: 600),
        "renditions/own 1" + String(repeating: " ", count: 10_000_000),
        String(repeating: "\u{10FFFF}", count: 2_000_000),
    ]

    @Test("and, with their post's row in every list, only to those nearby, where the posting policy says so")
    func nearby() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let limits: [String?: Double] = [nil: 100, "food": 100, "secret": 10, "open": 20_040_000]
            for category in [nil, "food", "secret", "open"] {
                let post = try await PublishingTests.publish(in: database)
                try await database.pool.query(
                    "update darkroom.posts set category = \(category), venue_id = 'v-1', latitude = 47.6, longitude = -122.3 where post_id = \(post)"
                )
                try await database.pool.query(
                    "update darkroom.renditions set media_key = media_key || post_id where post_id = \(post)")
            }
            func lists(_ position: String, _ viewer: String) -> [String] {
                [
                    "latest_posts(\(position)viewer => \(viewer))",
                    "posts_by_id(array[1, 2, 3, 4], \(position)viewer => \(viewer))",
                    "post_details(1, \(position)viewer => \(viewer))",
                    "post_details(3, \(position)viewer => \(viewer))",
                    "top_posts('likes', \(position)viewer => \(viewer))",
                    "venue_posts('v-1', \(position)viewer => \(viewer))",
                    "map_photos(47, -123, 48, -122, 10, \(position)viewer => \(viewer))",
                ]
                    + (position.isEmpty
                        ? []
                        : [
                            "nearest_posts(\(position)viewer => \(viewer))",
                            "posts_within(\(position)radius_m => 100000, viewer => \(viewer))",
                            "near_and_good_posts(\(position)radius_m => 100000, viewer => \(viewer))",
                            "top_posts('likes', \(position)radius_m => 100000, viewer => \(viewer))",
                        ])
            }
            /// What is wrong, for a reader so many metres north; nil for one who does not say where they are.
            func wrong(_ metres: Double?, _ viewer: String, isLimited: Bool) async throws -> [String?] {
                let position =
                    metres.map { "latitude => \(47.6 + $0 / 111_195), longitude => -122.3, " } ?? ""
                var found: [String?] = []
                func isShown(_ category: String?) -> Bool {
                    !isLimited || viewer == "'ada'" || limits[category] == 20_040_000
                        || metres.map { $0 <= limits[category] ?? 100 } ?? false
                }
                for call in lists(position, viewer) {
                    for row in try await database.pool.query(
                        PostgresQuery(
                            unescaped:
                                "select category, jsonb_array_length(pictures) as n, placeholder is null as bare from darkroom.\(call)"
                        ))
                    {
                        let isShown = isShown(try row.decode("category", as: String?.self))
                        if try (row.decode("n", as: Int.self) > 0) != isShown
                            || row.decode("bare", as: Bool.self) == isShown
                        {
                            found.append("\(call) \(isShown)")
                        }
                    }
                }
                for row in try await database.pool.query(
                    PostgresQuery(
                        unescaped: """
                            select p.category, darkroom.may_show(r.media_key, \(position)viewer => \(viewer)) as may
                            from darkroom.posts p join darkroom.renditions r using (post_id)
                            """))
                {
                    let category = try row.decode("category", as: String?.self)
                    if try row.decode("may", as: Bool.self) != isShown(category) {
                        found.append("may_show \(category ?? "-")")
                    }
                }
                return found
            }
            let places = [nil, 0, 9, 11, 99, 101, 50_000] as [Double?]
            for metres in places { #expect(try await wrong(metres, "'bob'", isLimited: false) == []) }
            let policies = PostingPolicyStore(pool: database.pool)
            _ = try await policies.set(note: "there") { $0.picturesWithinMetres = 100 }
            for (category, metres) in limits {
                guard let category, category != "food" else { continue }
                _ = try await policies.set(for: category, note: "there") { $0.picturesWithinMetres = metres }
            }
            for viewer in ["'bob'", "null", "'ada'"] {
                for metres in places {
                    let faults = try await wrong(metres, viewer, isLimited: true)
                    #expect(faults == [], "\(viewer), \(metres ?? -1) m")
                }
            }
            // Whoever acts for nobody cannot find out whose post it is.
            try await database.makeLogins()
            try await database.connected(as: .reader) { (reader: PostgresConnection) async throws -> Void in
                let rows = try await reader.query(
                    "select jsonb_array_length(pictures) as n from darkroom.latest_posts(viewer => 'ada') where category = 'food'"
                )
                #expect(try rows.map { try $0.decode("n", as: Int.self) } == [0])
            }
            _ = try await policies.set(note: "anywhere") { $0.picturesWithinMetres = nil }
            #expect(
                try await database.texts(
                    "select category from darkroom.latest_posts() where pictures <> '[]' order by 1") == [
                        "food", "open", nil,
                    ])
        }
    }

    @Test(
        "are those of posts that readers see now, and what these posts have replaced, until the grace is over"
    )
    func wholeDomain() async throws {
        try await QueueDatabase.with(connections: 1) { (database: QueueDatabase) async throws -> Void in
            for statement in Self.posts { try await database.pool.query(PostgresQuery(unescaped: statement)) }
            func keys(_ query: PostgresQuery) async throws -> [(key: String, post: Int64)] {
                try await database.pool.query(query).map {
                    (try $0.decode("media_key", as: String.self), try $0.decode("post_id", as: Int64.self))
                }
            }
            let seen = Set(
                try await database.pool.query(
                    """
                    select post_id from darkroom.posts
                    where state = 'published' and coalesce(expires_at, 'infinity') > now()
                    """
                ).map { try $0.decode("post_id", as: Int64.self) })
            let pictures = try await keys("select media_key, post_id from darkroom.renditions")
            let replaced = try await keys(
                """
                select media_key, coalesce(post_id, 0) as post_id from darkroom.retired_media where due_at > now()
                """)
            let shown = Set((pictures + replaced).filter { seen.contains($0.post) }.map(\.key))
            let known = try await database.texts(
                """
                select media_key from darkroom.renditions union select media_key from darkroom.retired_media
                union select original_key from darkroom.uploads
                """)
            #expect(seen.count == 6 && shown.count > 20 && known.count > shown.count + 100)
            for key in known + Self.hostile {
                var may: Bool? = false
                do {
                    let rows = try await database.pool.query("select darkroom.may_show(\(key)) as may")
                    may = try rows[0].decode("may", as: Bool?.self)
                } catch let error as PostgresError {
                    #expect(error.constraint == "media_key_is_1_to_1024_characters")
                    #expect(key?.isEmpty == true || (key?.count ?? 0) > 1024)
                }
                #expect(may == key.map(shown.contains) ?? false, "\(key?.prefix(50) ?? "null")")
            }
        }
    }

    @Test(
        "are one's own in every state until they are deleted, never those of an author whom one has blocked, and all a moderator's"
    )
    func viewers() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for statement in Self.posts { try await database.pool.query(PostgresQuery(unescaped: statement)) }
            try await database.makeLogins()
            func allowed(_ viewer: String, as role: InstallationRole = .api) async throws -> Set<Int64> {
                var found: Set<Int64> = []
                try await database.connected(as: role) { (app: PostgresConnection) async throws -> Void in
                    let call =
                        role == .moderator
                        ? "may_review('renditions/own ' || i)"
                        : "may_show('renditions/own ' || i, viewer => \(viewer))"
                    found = Set(
                        try await app.query(
                            PostgresQuery(
                                unescaped:
                                    "select i from generate_series(1::bigint, 45) i where darkroom.\(call)")
                        ).map { try $0.decode("i", as: Int64.self) })
                }
                return found
            }
            let everybody = try await allowed("null")
            let all = Set(
                try await database.pool.query("select post_id from darkroom.posts").map {
                    try $0.decode("post_id", as: Int64.self)
                })
            #expect(!everybody.isEmpty && everybody.count < all.count)
            #expect(try await allowed("'bob'") == everybody)
            #expect(try await allowed("'ada'") == all)
            #expect(try await allowed("'ada'", as: .reader) == everybody)
            #expect(try await allowed("", as: .moderator) == all)
            try await database.pool.query("select darkroom.block_author('bob', darkroom.handle_of('ada'))")
            #expect(try await allowed("'bob'") == [])
            #expect(try await allowed("'bob'", as: .reader) == everybody)
            // No other post has ever had this picture.
            #expect(everybody.contains(1))
            try await database.pool.query("select darkroom.delete_post(1, 'ada')")
            #expect(try await allowed("'ada'") == all.subtracting([1]))
        }
    }

    @Test("change with the post in the same transaction, also those that a re-rendering has replaced")
    func moments() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            let old = try #require(try await database.reading.post(post)?.renditions.first).mediaKey
            let new = PicturesTests.renditions(["square"])
            try await database.pool.withTransaction { transaction in
                try await RerenderingStore.replacePictures(
                    of: post, by: new, placeholder: nil, perceptualHash: nil, renderedWith: 1, in: transaction
                )
            }
            func expect(_ isOld: Bool, _ isNew: Bool, _ change: PostgresQuery) async throws {
                try await database.pool.query(change)
                let rows = try await database.pool.query(
                    "select darkroom.may_show(\(old)) as old, darkroom.may_show(\(new[0].mediaKey)) as new")
                #expect(try rows[0].decode("old", as: Bool.self) == isOld, "\(change)")
                #expect(try rows[0].decode("new", as: Bool.self) == isNew, "\(change)")
            }
            try await expect(true, true, "select")
            try await expect(false, false, "update darkroom.posts set state = 'hidden'")
            try await expect(true, true, "update darkroom.posts set state = 'published'")
            try await expect(false, true, "update darkroom.retired_media set due_at = now()")
            try await expect(false, false, "select darkroom.delete_post(\(post), 'ada')")
            try await expect(false, false, "select darkroom.erase_post_rows(\(post))")
        }
    }

    @Test("are found by an index, however many pictures there are")
    func index() async throws {
        try await QueueDatabase.with(connections: 1) { (database: QueueDatabase) async throws -> Void in
            for statement in Self.posts { try await database.pool.query(PostgresQuery(unescaped: statement)) }
            let scans: PostgresQuery = """
                select coalesce(sum(seq_scan), 0)::integer as scans from pg_stat_xact_user_tables
                where schemaname = 'darkroom' and relname in ('renditions', 'posts', 'retired_media')
                """
            try await database.pool.withTransaction { (transaction) async throws -> Void in
                var counts: [Int] = []
                for key in ["renditions/own 1", "renditions/shared 2 0", "renditions/old 2", "nothing"] {
                    let found = try await transaction.query(scans)
                    counts.append(try found[0].decode("scans", as: Int.self))
                    _ = try await transaction.query("select darkroom.may_show(\(key))")
                }
                // The server may not have published what the session did before.
                #expect(Set(counts).count == 1, "\(counts)")
            }
        }
    }
}
