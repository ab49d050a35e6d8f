import Postgres
import TestKit
import Testing

/// The lists' texts and times have no domain in the catalogue, because that is slow in each call. Their own checks take its place.
@Suite("Arguments of lists of posts", .timeLimit(.minutes(15)))
struct FilterArgumentTests {
    /// For each argument of a plain type, a value that its rule refuses.
    static let refused: [String: (value: String, rule: String)] = [
        "in_category": ("E'a\\nb'", "word_is_one_line_of_at_most_100_characters"),
        "in_activity": ("repeat('x', 101)", "word_is_one_line_of_at_most_100_characters"),
        "by_uploader": ("repeat('x', 201)", "person_is_1_to_200_characters"),
        "published_since": ("'infinity'", "moment_is_from_1800_to_2199"),
        "published_until": ("'-infinity'", "moment_is_from_1800_to_2199"),
        "taken_since": ("'2200-01-01 00:00+00'", "moment_is_from_1800_to_2199"),
        "taken_until": ("'1799-12-31 00:00+00'", "moment_is_from_1800_to_2199"),
        "in_season": ("repeat('x', 101)", "choice_has_at_most_100_bytes"),
        "after": ("repeat('x', 201)", "cursor_has_at_most_200_bytes"),
    ]

    @Test("of seasons are opposite south of the equator, which is northern itself")
    func seasons() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let rows = try await database.pool.query(
                """
                select darkroom.season_of(make_timestamp(2026, m, 15, 12, 0, 0), 0) as north,
                       darkroom.season_of(make_timestamp(2026, m, 15, 12, 0, 0), -1e-9) as south
                from generate_series(1, 12) m order by m
                """)
            let names = ["winter", "spring", "summer", "autumn"]
            for (month, row) in rows.enumerated() {
                let season = (month + 1) % 12 / 3
                #expect(try row.decode("north", as: String.self) == names[season])
                #expect(try row.decode("south", as: String.self) == names[(season + 2) % 4])
            }
        }
    }

    @Test("are refused by the rule of their kind, in every list")
    func plain() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(10)
            let rows = try await database.pool.query(
                """
                select p.proname::text as list, a.name
                from darkroom.public_functions() f
                join pg_proc p on p.proname = f.name and p.pronamespace = 'darkroom'::regnamespace,
                unnest(p.proargtypes::oid[], p.proargnames[1:p.pronargs]) as a (type, name)
                where 'in_category' = any (p.proargnames) and 'in_season' = any (p.proargnames)
                  and a.type in ('text'::regtype, 'timestamptz'::regtype)
                """)
            var lists: Set<String> = []
            for row in rows {
                let list = try row.decode("list", as: String.self)
                let name = try row.decode("name", as: String.self)
                let (value, rule) = try #require(Self.refused[name], "\(list)(\(name))")
                let call = try #require(
                    (ViewerTests.lists + ["map_clusters(47, -123, 48, -122, 10"]).first {
                        $0.hasPrefix("\(list)(")
                    },
                    "\(list)")
                let error = await #expect(throws: PostgresError.self, "\(list)(\(name))") {
                    try await database.pool.query(
                        "select from darkroom.\(unescaped: call), \(unescaped: name) => \(unescaped: value))")
                }
                #expect(error?.sqlState == .checkViolation, "\(list)(\(name))")
                #expect(error?.constraint == rule, "\(list)(\(name))")
                lists.insert(list)
            }
            #expect(lists.count == 8)
            #expect(rows.count == 8 * 8 + 6)
        }
    }
}
