import Postgres

/// `darkroom-dev bench hashes`: looks up photos in a list of known PDQ hashes, next to a comparison with every hash.
package struct HashBenchmark: Sendable {
    package struct Options: Sendable {
        package var hashes: Int
        package var runs = 3
        /// Look-ups per run.
        let lookups: Int

        /// - Parameter scale: the share of the usual size, 0…1.
        package init(scale: Double = 1) {
            hashes = max(1000, Int(1_000_000 * scale))
            lookups = max(10, Int(200 * scale))
        }
    }

    private let server: String
    private let options: Options
    private let progress: @Sendable (String) -> Void
    private let report: @Sendable (BenchmarkLine) -> Void

    /// - Parameter server: a URL of any database on the server; its role must be allowed to create databases.
    package init(
        server: String, options: Options, progress: @escaping @Sendable (String) -> Void,
        report: @escaping @Sendable (BenchmarkLine) -> Void
    ) {
        self.server = server
        self.options = options
        self.progress = progress
        self.report = report
    }

    package func run() async throws {
        try await BenchmarkDatabase.with(server: server) { database in
            progress("making a list of \(options.hashes) hashes")
            try await database.pool.query(
                """
                insert into darkroom.hash_lists (name, action, added_by) values ('bench', 'hold', 'bench')
                """)
            try await database.pool.query(
                """
                insert into darkroom.listed_hashes (list_id, hash)
                select list_id, ('x' || md5(n::text) || md5('second ' || n))::bit(256)
                from darkroom.hash_lists, generate_series(1, \(options.hashes)::bigint) n
                """)
            try await database.pool.query("vacuum analyze darkroom.listed_hashes")
            var near: [(value: Double, reference: Double)] = []
            var far: [(value: Double, reference: Double)] = []
            for _ in 0..<options.runs {
                near.append(try await measure(database, isListed: true))
                far.append(try await measure(database, isListed: false))
            }
            let note = "\(options.hashes) hashes, \(options.lookups) look-ups"
            for (name, pairs) in [("listed-hash", near), ("unlisted-hash", far)] {
                report(
                    BenchmarkLine(
                        name, "ms", pairs, against: "every hash", goal: 0.2, lowerIsBetter: true, note: note))
            }
        }
    }

    /// The milliseconds of one look-up of ours and of the reference, alternately, on one connection.
    ///
    /// - Parameter isListed: whether the sought hashes differ in 31 bits from a listed one, or are like none.
    private func measure(
        _ database: BenchmarkDatabase, isListed: Bool
    ) async throws -> (value: Double, reference: Double) {
        // Two bits of each word of 16, and one of the last: the hardest to find.
        let mask = (0..<256).map { $0 % 16 == 0 || $0 % 16 == 1 && $0 != 241 ? "1" : "0" }.joined()
        return try await database.pool.withConnection { connection in
            var times = (ours: [Double](), reference: [Double]())
            for lookup in 0..<options.lookups {
                let sought: PostgresQuery =
                    isListed
                    ? """
                    select ('x' || md5(n::text) || md5('second ' || n))::bit(256) # \(mask)::bit(256) as hash
                    from (select 1 + \(lookup)::bigint * 7919 % \(options.hashes)::bigint) s (n)
                    """
                    : "select ('x' || md5('none ' || \(lookup)::bigint) || md5('x'))::bit(256) as hash"
                let hash = try await connection.query("select hash::text as hash from (\(sought)) s")[0]
                    .decode("hash", as: String.self)
                var began = ContinuousClock.now
                let found = try await connection.query(
                    "select differing from darkroom.listed_hash(\(hash)::bit(256), 100)")
                times.ours.append((.now - began) / .milliseconds(1))
                began = .now
                let expected = try await connection.query(
                    """
                    select bit_count(h.hash # \(hash)::bit(256))::integer as differing from darkroom.listed_hashes h
                    where bit_count(h.hash # \(hash)::bit(256)) <= 31
                    """)
                times.reference.append((.now - began) / .milliseconds(1))
                guard found.count == expected.count, found.count == (isListed ? 1 : 0) else {
                    throw BenchmarkError(
                        "a look-up found \(found.count) hashes, and a comparison with every hash \(expected.count)"
                    )
                }
            }
            return (median(times.ours), median(times.reference))
        }
    }
}
