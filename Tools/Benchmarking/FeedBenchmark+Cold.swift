import FoundationEssentials
import Glibc
import Postgres

extension FeedBenchmark {
    /// Calls each feed for a few readers right after the caches were emptied.
    ///
    /// The server's buffers are overwritten by reading a table that is larger than them. The system's cache can only be
    /// dropped by root on the server's machine; otherwise the notes say that it was not.
    func cold(_ database: BenchmarkDatabase) async throws {
        try await database.pool.withConnection { try await $0.execute(Self.stopwatch) }
        progress("creating a table larger than the server's buffers")
        try await database.pool.query("create extension if not exists pg_prewarm with schema public")
        try await database.pool.query(
            """
            create table if not exists public.bench_filler as
            select repeat(md5(n::text), 60) as text
            from generate_series(1, (select setting::bigint * 5 from pg_settings where name = 'shared_buffers')) n
            """)
        for feed in Self.measured {
            try Task.checkCancellation()
            progress("\(feed.name), cold")
            var values: [Double] = []
            var isDropped = false
            for run in 0..<options.runs {
                isDropped = try await emptyCaches(database)
                let rows = try await database.pool.query(
                    """
                    select ours from public.bench_measure(\("select * from " + feed.call), null, 20, \(run))
                    """)
                values += try rows[0].decode("ours", as: [Double].self)
            }
            report(
                BenchmarkLine(
                    "\(feed.name)-cold", "ms p50", [quantile(values, 0.5)], lowerIsBetter: true,
                    note: "worst \((quantile(values, 1) * 10).rounded() / 10) ms; "
                        + (isDropped ? "no caches" : "the system's cache was not dropped")))
        }
        try await database.pool.query("drop table public.bench_filler")
    }

    /// Returns whether the system's cache was dropped too.
    private func emptyCaches(_ database: BenchmarkDatabase) async throws -> Bool {
        try await database.pool.query("checkpoint")
        try await database.pool.query("select public.pg_prewarm('public.bench_filler', 'buffer')")
        sync()
        let file = open("/proc/sys/vm/drop_caches", O_WRONLY)
        guard file >= 0 else { return false }
        defer { close(file) }
        return write(file, "3", 1) == 1
    }
}
