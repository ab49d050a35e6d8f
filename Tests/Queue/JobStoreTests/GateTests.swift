import Postgres
import TestKit
import Testing

@Suite("The gate of texts", .timeLimit(.minutes(10)))
struct GateTests {
    /// A character is reordered if it comes before one of the highest class (U+0345, 240), or after one of a lower (U+0316).
    @Test("knows every character that PostgreSQL reorders, of all that there are")
    func combining() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let rows = try await database.pool.withConnection { (session: PostgresConnection) async throws in
                try await session.execute(
                    """
                    create function pg_temp.is_refused(content text) returns boolean language plpgsql as $$
                    begin perform content::darkroom.written; return false;
                    exception when check_violation then return true; end $$
                    """)
                return try await session.query(
                    """
                    select count(*) as marks,
                           coalesce(string_agg('U+' || upper(to_hex(c)), ', ' order by c)
                                    filter (where not pg_temp.is_refused(repeat(chr(c), 31))), '') as unknown,
                           count(*) filter (where pg_temp.is_refused(repeat(chr(c), 30))) as early
                    from (select c, normalize(chr(c), nfd) as d from generate_series(1, 1114111) c
                          where c not between 55296 and 57343) x
                    where normalize('a' || chr(837) || d, nfd) <> 'a' || chr(837) || d
                       or starts_with(normalize('a' || d || chr(790), nfd), 'a' || chr(790))
                    """)
            }
            #expect(try rows[0].decode("marks", as: Int.self) > 900)
            let unknown = try rows[0].decode("unknown", as: String.self)
            #expect(unknown == "", "add these to the domain written")
            #expect(try rows[0].decode("early", as: Int.self) == 0)
        }
    }
}
