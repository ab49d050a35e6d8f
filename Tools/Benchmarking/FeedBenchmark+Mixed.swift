import FoundationEssentials
import Postgres

extension FeedBenchmark {
    private struct Kind {
        var name: String
        /// How often it comes, in relation to the others.
        var weight: Int
        var script: String
    }

    private static let reader = """
        \\set post random(1, :posts)
        select latitude, longitude from darkroom.posts where post_id = :post \\gset

        """

    private static let kinds = [
        Kind(name: "publish", weight: 2, script: publishing),
        Kind(
            name: "vote", weight: 8,
            script: """
                \\set post random(1, :posts)
                \\set person random(1, 1000000000)
                select darkroom.vote_on_post(:post, 'voter-' || :person, 'like');
                """),
        Kind(
            name: "nearest", weight: 20,
            script: reader + "select count(*) from darkroom.nearest_posts(:latitude, :longitude);"),
        Kind(
            name: "near-and-good", weight: 10,
            script: reader + "select count(*) from darkroom.near_and_good_posts(:latitude, :longitude);"),
        Kind(
            name: "board", weight: 5,
            script:
                "select count(*) from darkroom.top_posts('wilson', published_since => now() - interval '7 days');"
        ),
        Kind(
            name: "map", weight: 5,
            script: reader + """
                select count(*) from darkroom.map_clusters(
                    greatest(-90, :latitude - 0.03), greatest(-180, :longitude - 0.08), least(90, :latitude + 0.03),
                    least(180, :longitude + 0.08), 14);
                """),
    ]

    /// Publishes, votes and reads over 8 connections, while the tally runs each second, and reports the tails of each.
    func mixed(_ database: BenchmarkDatabase) async throws {
        let posts = Int(try await database.number("select max(post_id)::float8 as value from darkroom.posts"))
        let seconds = options.mixedSeconds
        progress("publishing, voting and reading for \(seconds) s")
        let (times, tallies) = try await withThrowingTaskGroup(
            of: [Double].self, returning: ([String: [Double]], [Double]).self
        ) { group in
            group.addTask {
                var tallies: [Double] = []
                do {
                    while true {
                        let began = ContinuousClock.now
                        try await database.pool.query("select darkroom.tally_counters()")
                        try await database.pool.query("select darkroom.tally_map()")
                        tallies.append((ContinuousClock.now - began) / .milliseconds(1))
                        try await Task.sleep(for: .seconds(1))
                    }
                } catch is CancellationError {
                    // The load is over.
                }
                return tallies
            }
            let times = try await tools.pgbench(
                Self.kinds.map { ($0.name, $0.weight, $0.script) }, url: database.url, connections: 8,
                seconds: seconds, variables: ["posts": posts])
            group.cancelAll()
            let tallies = try await group.next() ?? []
            return (times, tallies)
        }
        for (name, values) in Self.kinds.map({ ($0.name, times[$0.name] ?? []) }) + [("tally", tallies)] {
            func rounded(_ share: Double) -> Double { (quantile(values, share) * 100).rounded() / 100 }
            report(
                BenchmarkLine(
                    "mixed-\(name)", "ms p99", [quantile(values, 0.99)], lowerIsBetter: true,
                    note:
                        "\(values.count) in \(seconds) s: p50 \(rounded(0.5)) ms, p99.9 \(rounded(0.999)) ms, worst \(rounded(1)) ms"
                ))
        }
    }
}
