import FoundationEssentials
import Postgres

extension ServeBenchmark {
    private struct Call {
        /// As in `requests.lua`.
        let kind: String
        /// The same call of the function, for pgbench.
        let script: String
    }

    private static let calls = [
        Call(
            kind: "nearest",
            script: """
                \\set place random(1, 2000)
                select f.* from public.bench_places b cross join lateral darkroom.nearest_posts(b.latitude, b.longitude) f
                where b.number = :place;
                """),
        Call(
            kind: "clusters",
            script: """
                \\set place random(1, 2000)
                select f.* from public.bench_places b cross join lateral darkroom.map_clusters(
                    greatest(-90, b.latitude - 0.03), greatest(-180, b.longitude - 0.08), least(90, b.latitude + 0.03),
                    least(180, b.longitude + 0.08), 14) f
                where b.number = :place;
                """),
        Call(
            kind: "post",
            script: """
                \\set place random(1, 2000)
                select f.* from public.bench_places b cross join lateral darkroom.post_details(b.post_id) f
                where b.number = :place;
                """),
        Call(
            kind: "vote",
            script: """
                \\set place random(1, 2000)
                \\set person random(1, 1000000000000)
                select darkroom.vote_on_post(b.post_id, 'voter-' || :person, 'like')
                from public.bench_places b where b.number = :place;
                """),
    ]

    /// Calls functions through HTTP, in turn with the same calls by pgbench and by the FastAPI program.
    func calls(_ database: BenchmarkDatabase, in root: String) async throws {
        guard tools.hasWrk(progress) else { return }
        if !tools.measures("fastapi") { progress("fastapi: skipped") }
        let places = try await self.places(database, in: root)
        for call in Self.calls {
            var ours: [WrkFigures] = []
            var cpu: [Double] = []
            var alone: [Double] = []
            var theirs: [BenchmarkTools.Reference] = []
            for run in 1...options.runs {
                try Task.checkCancellation()
                progress("\(call.kind), run \(run) of \(options.runs)")
                alone.append(
                    try await tools.pgbench(
                        call.script, url: database.url, connections: options.connections,
                        seconds: options.seconds))
                try await withServer(database, in: root) { api in
                    let measured = try await tools.wrk(
                        "requests.lua", [call.kind, places, api.key], to: api.address,
                        connections: options.connections, seconds: options.seconds
                    ) { api.figures.cpuSeconds }
                    ours.append(measured.figures)
                    cpu.append(measured.cpuSeconds * 1e6 / Double(measured.figures.requests))
                    if let reference = try await tools.reference(
                        "fastapi", url: database.url,
                        [
                            "--kind", call.kind, "--places", places, "--key", api.key,
                            "--connections", String(options.connections), "--seconds",
                            String(options.seconds),
                        ])
                    {
                        theirs.append(reference)
                    }
                }
            }
            let name = "serve-\(call.kind)"
            report(
                BenchmarkLine(
                    name, "calls/s", zip(ours, alone).map { ($0.rate, $1) }, against: "pgbench", goal: 0.6,
                    note:
                        "\(options.connections) connections; \(Self.times(ours.map { ($0.p50Ms, $0.p99Ms) })); \(Int(median(cpu))) µs of CPU a call in the server"
                ))
            guard !theirs.isEmpty else { continue }
            report(
                BenchmarkLine(
                    "\(name)-over-fastapi", "calls/s", zip(ours, theirs).map { ($0.rate, $1.value) },
                    against: "FastAPI", goal: 3,
                    note:
                        "FastAPI \(Self.times(theirs.map { ($0.detail?.p50Ms ?? 0, $0.detail?.p99Ms ?? 0) }))"
                ))
        }
    }

    static func times(_ times: [(p50: Double, p99: Double)]) -> String {
        func text(_ value: Double) -> String { String((value * 100).rounded() / 100) }
        return "p50 \(text(median(times.map(\.p50)))) ms, p99 \(text(median(times.map(\.p99)))) ms"
    }

    /// Where 2000 posts are, in a table for pgbench and in a file for wrk.
    private func places(_ database: BenchmarkDatabase, in root: String) async throws -> String {
        try await database.pool.query("drop table if exists public.bench_places")
        try await database.pool.query(
            """
            create table public.bench_places as
            select row_number() over ()::integer as number, latitude, longitude, post_id
            from (select latitude, longitude, post_id from darkroom.posts order by md5(post_id::text) limit 2000) p
            """)
        try await database.pool.query("alter table public.bench_places add primary key (number)")
        try await database.pool.query("vacuum analyze public.bench_places")
        let rows = try await database.pool.query(
            "select latitude || e'\\t' || longitude || e'\\t' || post_id as line from public.bench_places")
        let lines = try rows.map { try $0.decode("line", as: String.self) + "\n" }
        try Data(lines.joined().utf8).write(to: URL(filePath: "\(root)/places"))
        return "\(root)/places"
    }
}
