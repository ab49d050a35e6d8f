import Postgres
import TestKit
import Testing

@Suite("Statistics of the planner", .timeLimit(.minutes(10)))
struct PersonStatisticsTests {
    @Test("keep no person's name, words or coordinates, which would outlive their rows")
    func samples() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            _ = try await PersonErasureTests.live(in: library)
            try await library.pool.query("select darkroom.ensure_history_partitions()")
            try await library.pool.query("analyze")
            let seen = try await library.texts(
                """
                select tablename || '.' || attname from pg_stats
                cross join lateral (select concat(most_common_vals::text, histogram_bounds::text) as samples) s
                where schemaname = 'darkroom'
                  and (attname ~ '(latitude|longitude)$' or strpos(samples, \(PersonErasureTests.person)) > 0
                       or strpos(samples, \(PersonErasureTests.words)) > 0 and attname not in ('category', 'activity'))
                order by 1
                """)
            #expect(seen.compactMap(\.self) == [])
        }
    }
}
