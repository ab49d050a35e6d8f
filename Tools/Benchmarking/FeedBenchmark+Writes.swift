import Postgres

extension FeedBenchmark {
    /// Compares the results of feeds with an exhaustive search of all posts.
    func check(_ database: BenchmarkDatabase) async throws {
        try await database.pool.withConnection { try await $0.execute(Self.search) }
        for (name, feed, search) in [
            ("six-nearest", "darkroom.nearest_posts($1, $2, 6)", "nearest"),
            ("near-and-good-5-km", "darkroom.near_and_good_posts($1, $2, 5000)", "good"),
        ] {
            progress("comparing \(name) with a search of all posts")
            let rows = try await database.pool.query(
                """
                select count(*) filter (where same) as same, count(*) as readers
                from public.bench_compare(\("select array_agg(post_id) from " + feed), \(search), 20)
                """)
            let same = try rows[0].decode("same", as: Int.self)
            let readers = try rows[0].decode("readers", as: Int.self)
            report(
                BenchmarkLine(
                    "\(name)-equal", "share", [Double(same) / Double(max(readers, 1))], goal: 1,
                    note: "\(same) of \(readers) results equal those of a search of all posts"))
        }
    }

    private static let search = """
        create or replace function public.bench_compare(call text, search text, wanted integer)
        returns table (same boolean) language plpgsql as $$
        declare
            r record;
            found bigint[];
            truth bigint[];
        begin
            for r in select p.latitude + 0.003 as latitude, p.longitude + 0.002 as longitude
                     from generate_series(1, wanted) i
                     join darkroom.posts p on p.post_id = 1 + i * (select max(post_id) - 1 from darkroom.posts) / wanted
            loop
                execute call into found using r.latitude, r.longitude;
                if search = 'nearest' then
                    select array_agg(post_id) into truth from (
                        select post_id from darkroom.posts
                        order by darkroom.distance_m(r.latitude, r.longitude, latitude, longitude), post_id desc limit 6) n;
                else
                    select array_agg(post_id) into truth from (
                        select p.post_id
                        from darkroom.posts p left join darkroom.post_counters c using (post_id)
                        cross join lateral (
                            select darkroom.distance_m(r.latitude, r.longitude, p.latitude, p.longitude) as m,
                                   coalesce(c.likes, 0) - coalesce(c.dislikes, 0) as lead) d
                        where m <= 5000
                        order by sign(lead) * ln(1 + abs(lead)) / ln(2) + extract(epoch from published_at)::float8 / 86400
                                 - ln(1 + m / 500) / ln(2) desc limit 20) n;
                end if;
                same := found is not distinct from truth;
                return next;
            end loop;
        end $$
        """

    /// A transaction's statements that publish a post, for pgbench.
    static let publishing = """
        \\set luck random(1, 3000)
        \\set north random(-3000, 3000)
        \\set east random(-3000, 3000)
        with u as (insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
                   values ('user-' || :luck, -1, 'originals/x', sha256('x'), 2500000) returning upload_id),
        p as (insert into darkroom.posts (
                  upload_id, uploader, headline, category, latitude, longitude, location_source, country_geonameid,
                  division_geonameid, city_geonameid, place_geonameid, place_name, width, height, format, pictures)
              select u.upload_id, 'user-' || :luck, 'Headline', 'category 1',
                     greatest(-89, least(89, n.latitude + :north / 100000.0)),
                     greatest(-180, least(180, n.longitude + :east / 100000.0)), 'exif', :luck % 50, :luck % 1000, :luck,
                     :luck, 'Town', 4000, 3000, 'jpeg',
                     (select jsonb_agg(jsonb_build_object('name', name, 'media_key', 'renditions/' || name || upload_id, 'format', 'jpeg', 'width', 1, 'height', 1, 'bytes', 1))
                           from (values ('large'), ('medium'), ('square')) v (name))
              from u, (select latitude, longitude from darkroom.posts where post_id = :luck) n
              returning post_id, upload_id),
        r as (insert into darkroom.renditions (post_id, name, media_key, sha256, width, height, bytes)
              select post_id, name, 'renditions/' || name || upload_id, sha256(name::bytea), 1, 1, 1
              from p, (values ('large'), ('medium'), ('square')) v (name) returning post_id)
        insert into darkroom.outbox (post_id, event) select post_id, 'published' from p;
        """

    /// Posts per second that one connection publishes, in a database with few posts and in the one with many.
    ///
    /// Publishing runs unmeasured for a while first, so that the pages of each place's, tile's and uploader's newest posts
    /// are in memory.
    func publish(_ large: BenchmarkDatabase, nextTo small: BenchmarkDatabase) async throws {
        for database in [large, small] {
            progress("publishing for \(options.secondsBefore) s, unmeasured")
            _ = try await tools.pgbench(
                Self.publishing, url: database.url, connections: 1, seconds: options.secondsBefore)
        }
        let pairs = try await repeated("publish") { run -> (value: Double, reference: Double) in
            let few = try await tools.pgbench(
                Self.publishing, url: small.url, connections: 1, seconds: options.seconds)
            let many = try await tools.pgbench(
                Self.publishing, url: large.url, connections: 1, seconds: options.seconds)
            return (many, few)
        }
        report(
            BenchmarkLine(
                "publish", "posts/s", pairs, against: "10,000 posts", goal: 0.9,
                note: "\(options.posts) posts; the transaction's statements alone, without the photo"))
        let tally = try await large.number(
            """
            with began as materialized (select clock_timestamp() as at), posts as materialized (
                select count(*) as n from darkroom.map_changes),
            done as materialized (select darkroom.tally_map(1000000) from began, posts)
            select posts.n / extract(epoch from clock_timestamp() - began.at)::float8 as value from began, posts, done
            """)
        report(
            BenchmarkLine(
                "tally-of-the-map", "posts/s", [tally], note: "the part of publishing that the tally job does"
            ))
    }

    /// Votes and reports per second by 16 connections, on one post and on a thousand.
    func votes(_ database: BenchmarkDatabase) async throws {
        let kinds = [
            ("votes", "select darkroom.vote_on_post(:post, 'voter-' || :person, 'like');"),
            ("reports", "select darkroom.report_post(:post, 'reporter-' || :person, 'spam');"),
        ]
        let start = try await likes(database)
        for (name, statement) in kinds {
            let pairs = try await repeated(name) { run -> (value: Double, reference: Double) in
                let person = "\\set person random(1, 1000000000)\n"
                let hot = try await tools.pgbench(
                    "\\set post 1\n" + person + statement, url: database.url, connections: 16,
                    seconds: options.seconds)
                let spread = try await tools.pgbench(
                    "\\set post random(2, 1001)\n" + person + statement, url: database.url, connections: 16,
                    seconds: options.seconds)
                return (hot, spread)
            }
            report(
                BenchmarkLine(
                    "\(name)-on-one-post", "\(name)/s", pairs, against: "on a thousand posts", goal: 0.7,
                    note: "16 connections"))
        }
        progress("counting the votes")
        let before = try await database.number(
            """
            with began as materialized (select clock_timestamp() as at), left_over as materialized (
                select count(*) as n from darkroom.counter_changes),
            done as materialized (select darkroom.tally_counters(100000000) from began, left_over)
            select n / extract(epoch from clock_timestamp() - at)::float8 as value from began, left_over, done
            """)
        report(BenchmarkLine("tally-of-votes", "votes/s", [before]))
        let counted = try await likes(database) - start
        let cast = try await database.number(
            "select count(*)::float8 as value from darkroom.votes where vote = 'like'")
        report(
            BenchmarkLine(
                "votes-lost", "votes", [abs(cast - counted)], goal: 0, lowerIsBetter: true,
                note: "\(Int(cast)) cast"))
    }

    private func likes(_ database: BenchmarkDatabase) async throws -> Double {
        try await database.number(
            "select sum(likes)::float8 as value from darkroom.post_counters where post_id <= 1001")
    }

    private func repeated<T>(_ name: String, _ body: (Int) async throws -> T) async throws -> [T] {
        var results: [T] = []
        for run in 1...options.runs {
            try Task.checkCancellation()
            progress("\(name), run \(run) of \(options.runs)")
            results.append(try await body(run))
        }
        return results
    }
}
