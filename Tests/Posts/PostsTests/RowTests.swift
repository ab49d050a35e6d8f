import Postgres
import TestKit
import Testing

/// What rows and arguments of public functions look like.
@Suite("Rows and arguments of public functions", .timeLimit(.minutes(15)))
struct RowTests {
    @Test("have columns of PostgreSQL's own types alone, so that every driver can read them")
    func columns() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let columns = try await database.texts(
                """
                with functions as (
                    select p.* from darkroom.public_functions() f
                    join pg_proc p on p.proname = f.name and p.pronamespace = 'darkroom'::regnamespace),
                columns as (
                    select f.proname, a.name, a.type from functions f,
                           unnest(f.proallargtypes, f.proargmodes, f.proargnames) as a (type, mode, name)
                    where a.mode in ('o', 't')
                    union all
                    select f.proname, a.attname, a.atttypid from functions f
                    join pg_type t on t.oid = f.prorettype join pg_attribute a on a.attrelid = t.typrelid
                    where a.attnum > 0 and t.typnamespace = 'darkroom'::regnamespace
                    union all
                    select f.proname, 'result', f.prorettype from functions f
                    join pg_type t on t.oid = f.prorettype where t.typtype <> 'c')
                select c.proname || ' ' || c.name || ' ' || c.type::regtype
                       || case when t.typnamespace = 'pg_catalog'::regnamespace and (t.typtype = 'b' or c.type in ('void'::regtype, 'record'::regtype))
                               then '' else ' (not its own)' end
                from columns c join pg_type t on t.oid = c.type
                """)
            #expect(columns.count > 200)
            #expect(columns.filter { $0?.hasSuffix(" (not its own)") ?? true } == [])
            #expect(columns.contains("latest_posts pictures jsonb"))
        }
    }

    @Test("take words as text, not as an enumeration that a driver must know")
    func words() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let enumerations = try await database.texts(
                """
                with recursive arguments (function, type) as (
                    select p.proname, a.type from darkroom.public_functions() f
                    join pg_proc p on p.proname = f.name and p.pronamespace = 'darkroom'::regnamespace,
                    unnest(p.proargtypes) as a (type)
                    union
                    select a.function, coalesce(nullif(t.typelem, 0), nullif(t.typbasetype, 0), c.atttypid)
                    from arguments a join pg_type t on t.oid = a.type left join pg_attribute c on c.attrelid = t.typrelid and c.attnum > 0
                    where t.typelem <> 0 or t.typbasetype <> 0 or c.attnum > 0)
                select distinct a.function::text from arguments a join pg_type t on t.oid = a.type
                where t.typtype = 'e' and a.function <> 'report_post'
                """)
            #expect(enumerations == [])
        }
    }

    /// Calls with a word in the place of %, the words that exist, and whether it may be null.
    static let choices: [(call: String, words: [String], mayBeNull: Bool)] = [
        ("vote_on_post(1, 'ada', %)", ["like", "dislike", "none"], false),
        ("vote_on_comment(1, 'ada', %)", ["like", "dislike", "none"], false),
        ("top_posts(%)", ["likes", "wilson", "weighted", "hot"], false),
        ("post_comments(1, order_by => %)", ["newest", "popular"], false),
        ("report_comment(1, 'ada', %)", reasons, false),
        ("latest_posts(in_place => (%, 1))", ["country", "division", "city", "place"], false),
        (
            "enqueue_upload('ada', 'originals/x', repeat('ab', 32), 1, location_privacy => %)", privacies,
            true
        ),
        (
            """
            enqueue_uploads(jsonb_build_array(jsonb_build_object(
                'uploader', 'ada', 'original_key', 'originals/y', 'original_sha256', repeat('ab', 32),
                'original_bytes', 1, 'location_privacy', %)))
            """, privacies, true
        ),
    ]
    private static let privacies = ["exact", "grid_10m", "grid_100m", "grid_1km", "place"]
    private static let reasons = [
        "explicit", "minors", "violence", "harassment", "spam", "private_information", "illegal", "other",
    ]

    @Test("refuse a word that does not exist, and list those that do", arguments: 0..<8)
    func choice(number: Int) async throws {
        let (call, words, mayBeNull) = Self.choices[number]
        try await QueueDatabase.with(FeedFixture(1)) { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("select darkroom.add_comment(1, 'bob', 'Nice')")
            func run(_ word: String?) async throws {
                let text = call.replacing("%", with: word.map { "'\($0)'::text" } ?? "null::text")
                try await database.pool.query(PostgresQuery(unescaped: "select * from darkroom.\(text)"))
            }
            for word in words { try await run(word) }
            for word in ["", "x", words[0].uppercased(), words[0] + " ", "'' or true --"] {
                let error = await #expect(throws: PostgresError.self) { try await run(word) }
                // The privacy of a location is checked by its type, whose constraint lists the words.
                let isTyped = words == Self.privacies
                #expect(error?.sqlState == (isTyped ? .checkViolation : .invalidParameterValue), "\(word)")
                let told = (isTyped ? error?.constraint : error?.hint) ?? ""
                #expect(words.allSatisfy { told.contains($0) }, "\(told)")
            }
            if mayBeNull {
                try await run(nil)
            } else {
                let error = await #expect(throws: PostgresError.self) { try await run(nil) }
                #expect(error?.sqlState == .invalidParameterValue)
            }
        }
    }

    @Test("number clusters below 2 to the power of 53, each differently, and read each number back")
    func clusterNumbers() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let wrong = try await database.pool.query(
                """
                with corners as (
                    select level, x, y, darkroom.cluster_number(level, x, y) as number
                    from generate_series(2, 20) level,
                         lateral (values (0), (1), ((2 ^ (level - 1))::integer), ((2 ^ level - 1)::integer)) v (x),
                         lateral (values (0), (1), ((2 ^ (level - 1))::integer), ((2 ^ level - 1)::integer)) w (y))
                select from corners where number not between 1 and 9007199254740991
                union all select from corners group by number having count(distinct (level, x, y)) > 1
                """)
            #expect(wrong.isEmpty)
        }
    }

    @Test("round fractional zooms down, and refuse what is no number")
    func zooms() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(200)
            try await database.tally()
            func shown(_ function: String, _ zoom: String) async throws -> [Int64] {
                try await database.pool.query(
                    PostgresQuery(
                        unescaped: "select * from darkroom.\(function)(47.5, -122.5, 47.7, -122.1, \(zoom))")
                ).map { try $0.decode(function == "map_photos" ? "post_id" : "cluster_id", as: Int64.self) }
            }
            for function in ["map_clusters", "map_photos"] {
                for zoom in [0, 7, 11, 13] {
                    let whole = try await shown(function, "\(zoom)")
                    let fraction = try await shown(function, "\(zoom).999")
                    #expect(whole == fraction && !whole.isEmpty, "\(function) \(zoom)")
                }
                #expect(try await shown(function, "-1e300") == shown(function, "0"))
                if function == "map_clusters" {
                    #expect(try await shown(function, "10.5") != shown(function, "11"))
                }
                for zoom in ["'NaN'", "'infinity'", "'-infinity'", "null"] {
                    let error = await #expect(throws: PostgresError.self) { try await shown(function, zoom) }
                    #expect(error?.sqlState == .invalidParameterValue, "\(function) \(zoom)")
                }
            }
        }
    }
}
