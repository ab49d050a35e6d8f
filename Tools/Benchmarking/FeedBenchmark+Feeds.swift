import Postgres

extension FeedBenchmark {
    struct Feed {
        var name: String
        /// A call with $1 and $2 for a reader's coordinate and $3 for the place there.
        var call: String
        /// The limit of the 99th percentile, in milliseconds.
        var goal: Double
        /// The same query in PostGIS, which returns only numbers; or what `against` says.
        var reference: String?
        var against = "PostGIS"
        /// The greatest ratio to the reference.
        var ratio = 1.0
    }

    private static let point = "public.st_makepoint($2, $1)::public.geography"

    static let measured = [
        Feed(
            name: "six-nearest", call: "darkroom.nearest_posts($1, $2, 6)", goal: 2,
            reference:
                "select post_id from public.bench_posts order by place operator(public.<->) \(point) limit 6"),
        Feed(
            name: "within-100-m", call: "darkroom.posts_within($1, $2, 100)", goal: 0.9,
            reference: """
                select post_id from public.bench_posts where public.st_dwithin(place, \(point), 100)
                order by published_at desc limit 20
                """),
        Feed(
            name: "near-and-good-5-km", call: "darkroom.near_and_good_posts($1, $2, 5000)", goal: 8,
            reference: """
                select post_id from public.bench_posts where public.st_dwithin(place, \(point), 5000)
                order by sign(lead) * ln(1 + abs(lead)) / ln(2) + extract(epoch from published_at)::float8 / 86400
                         - ln(1 + public.st_distance(place, \(point)) / 500) / ln(2) desc limit 20
                """),
        Feed(name: "within-5-km-newest", call: "darkroom.posts_within($1, $2, 5000)", goal: 10),
        Feed(name: "latest-100", call: "darkroom.latest_posts(100)", goal: 5),
        Feed(
            name: "latest-100-of-a-viewer", call: "darkroom.latest_posts(100, viewer => 'voter-1')", goal: 5),
        Feed(name: "album", call: "darkroom.latest_posts(20, in_place => ('place', $3))", goal: 5),
        Feed(
            name: "album-of-a-country", call: "darkroom.latest_posts(20, in_place => ('country', $3 % 50))",
            goal: 5),
        Feed(name: "board-wilson", call: "darkroom.top_posts('wilson')", goal: 5),
        Feed(
            name: "board-of-a-place", call: "darkroom.top_posts('weighted', in_place => ('place', $3))",
            goal: 5),
        Feed(
            name: "board-of-a-country",
            call: "darkroom.top_posts('weighted', in_place => ('country', $3 % 50))",
            goal: 5),
        Feed(
            name: "board-of-a-place-and-month",
            call:
                "darkroom.top_posts('likes', in_place => ('place', $3), published_since => now() - interval '30 days')",
            goal: 5),
        Feed(
            name: "board-of-a-day",
            call: "darkroom.top_posts('likes', published_since => now() - interval '1 day')",
            goal: 5),
        Feed(
            name: "board-of-a-category-and-week",
            call:
                "darkroom.top_posts('hot', in_category => 'category 3', published_since => now() - interval '7 days')",
            goal: 5),
        Feed(
            name: "board-within-3-km",
            call: "darkroom.top_posts('wilson', latitude => $1, longitude => $2, radius_m => 3000)", goal: 5),
        map(zoom: 18, 0.002, 0.005), map(zoom: 14, 0.03, 0.08), map(zoom: 10, 0.5, 1.3), map(zoom: 5, 15, 40),
        Feed(name: "map-zoom-2", call: "darkroom.map_clusters(-80, -180, 80, 180, 2)", goal: 20),
        Feed(
            name: "photos-zoom-13",
            call: """
                darkroom.map_photos(greatest(-90, $1 - 0.06), greatest(-180, $2 - 0.16), least(90, $1 + 0.06),
                                    least(180, $2 + 0.16), 13)
                """, goal: 20),
        cluster(level: 6), cluster(level: 12), cluster(level: 20),
        Feed(
            name: "nearest-of-winter", call: "darkroom.nearest_posts($1, $2, in_season => 'winter')", goal: 15
        ),
        Feed(
            name: "latest-winter-nights",
            call: "darkroom.latest_posts(in_season => 'winter', from_hour => 22, to_hour => 6)", goal: 5),
        Feed(
            name: "latest-of-a-category-and-place",
            call: "darkroom.latest_posts(in_category => 'category 3', in_place => ('place', $3))", goal: 5),
        Feed(
            name: "latest-taken-in-a-day",
            call: """
                darkroom.latest_posts(taken_since => now() - interval '60 days', taken_until => now() - interval '59 days')
                """, goal: 20),
        Feed(
            name: "within-5-km-of-an-uploader",
            call: "darkroom.posts_within($1, $2, 5000, by_uploader => 'user-300')", goal: 10),
        Feed(
            name: "board-of-a-category-within-3-km",
            call: """
                darkroom.top_posts('wilson', in_category => 'category 3', latitude => $1, longitude => $2, radius_m => 3000)
                """, goal: 10),
        Feed(
            name: "near-and-good-of-an-activity",
            call: "darkroom.near_and_good_posts($1, $2, 5000, in_activity => 'activity 300')", goal: 8),
        Feed(
            name: "map-of-an-activity",
            call: "darkroom.map_clusters(-80, -180, 80, 180, 2, in_activity => 'activity 300')", goal: 20),
        // Whether to serve one of the pictures, whose key has the number of an upload.
        Feed(name: "may-show", call: "darkroom.may_show('renditions/large' || $3)", goal: 1),
    ]

    /// Lists for a viewer who has blocked 100 authors, next to the same for one who has blocked nobody. The sums of a map are
    /// those of everybody, and taking out the posts of 100 authors takes as long at every zoom: a millisecond or two.
    private static let withBlocks = measured.filter {
        [
            "six-nearest", "within-5-km-newest", "near-and-good-5-km", "latest-100", "board-wilson",
            "map-zoom-10", "map-zoom-2",
            "photos-zoom-13", "cluster-of-level-12",
        ].contains($0.name)
    }.map { feed in
        func call(by viewer: String) -> String { feed.call.dropLast() + ", viewer => '\(viewer)')" }
        return Feed(
            name: feed.name + "-with-100-blocks", call: call(by: "blocker"), goal: feed.goal,
            reference: feed.call.contains("darkroom.map_") ? nil : "select * from " + call(by: "voter-1"),
            against: "without blocks", ratio: 1.2)
    }

    /// The posts of the cluster around the reader, of some 600 km, 10 km and 40 m at the equator.
    private static func cluster(level: Int) -> Feed {
        Feed(
            name: "cluster-of-level-\(level)",
            call: """
                darkroom.cluster_posts((
                    select darkroom.cluster_number(\(level), (t >> 26)::integer, (t & 67108863)::integer)
                    from darkroom.tile_at(darkroom.plane_x($2), darkroom.plane_y($1), \(level)) t))
                """, goal: 20)
    }

    /// About what a screen of 1920 by 1080 pixels shows.
    private static func map(zoom: Int, _ tall: Double, _ wide: Double) -> Feed {
        Feed(
            name: "map-zoom-\(zoom)",
            call: """
                darkroom.map_clusters(greatest(-90, $1 - \(tall)), greatest(-180, $2 - \(wide)), least(90, $1 + \(tall)),
                                      least(180, $2 + \(wide)), \(zoom))
                """, goal: 20)
    }

    /// Calls each feed for readers located where posts are, in turn with its reference, and times it by the server's clock.
    func feeds(_ database: BenchmarkDatabase, hasReference: Bool) async throws {
        try await database.pool.withConnection { try await $0.execute(Self.stopwatch) }
        for feed in Self.measured + Self.withBlocks {
            try Task.checkCancellation()
            progress(feed.name)
            let reference = hasReference || feed.against != "PostGIS" ? feed.reference : nil
            var ours: [[Double]] = []
            var theirs: [[Double]] = []
            for run in 0..<options.runs {
                let rows = try await database.pool.query(
                    """
                    select ours, theirs from public.bench_measure(
                        \("select * from " + feed.call), \(reference), \(options.readers), \(run))
                    """)
                ours.append(try rows[0].decode("ours", as: [Double].self))
                theirs.append(try rows[0].decode("theirs", as: [Double].self))
            }
            let pages = try await database.pool.query(
                "select pages from public.bench_pages(\("select * from " + feed.call))")
            let middle = median(ours.map { quantile($0, 0.5) })
            report(
                BenchmarkLine(
                    feed.name, "ms p99", ours.map { quantile($0, 0.99) }, goal: feed.goal,
                    lowerIsBetter: true,
                    note:
                        "p50 \(rounded(middle)) ms, \(try pages[0].decode("pages", as: Int.self)) pages in a dense town"
                ))
            if reference != nil {
                report(
                    BenchmarkLine(
                        "\(feed.name)-p50", "ms",
                        zip(ours, theirs).map { (value: quantile($0, 0.5), reference: quantile($1, 0.5)) },
                        against: feed.against, goal: feed.ratio, lowerIsBetter: true))
                report(
                    BenchmarkLine(
                        "\(feed.name)-p99", "ms",
                        zip(ours, theirs).map { (value: quantile($0, 0.99), reference: quantile($1, 0.99)) },
                        against: feed.against, goal: feed.ratio, lowerIsBetter: true))
            }
        }
    }

    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    static let stopwatch = """
        create or replace function public.bench_readers(wanted integer, run integer)
        returns table (latitude float8, longitude float8, place bigint) language plpgsql as $$
        begin
            perform setseed(run / 100.0);
            return query
            select p.latitude + (random() - 0.5) * 0.02, greatest(-180, least(180, p.longitude + (random() - 0.5) * 0.02)),
                   p.place_geonameid
            from (select 1 + floor(random() * (select max(post_id) from darkroom.posts))::bigint as id
                  from generate_series(1, wanted)) r
            join darkroom.posts p on p.post_id = r.id;
        end $$;
        create or replace function public.bench_measure(
            call text, reference text, wanted integer, run integer, out ours float8[], out theirs float8[])
        language plpgsql as $$
        declare
            r record;
            began timestamptz;
        begin
            ours := '{}'; theirs := '{}';
            for r in select b.*, row_number() over () % 2 = 0 as is_first from public.bench_readers(wanted, run) b loop
                -- What comes second finds the pages in the processor's cache.
                for turn in 1..2 loop
                    began := clock_timestamp();
                    if r.is_first = (turn = 1) then
                        execute call using r.latitude, r.longitude, r.place;
                        ours := ours || extract(epoch from clock_timestamp() - began)::float8 * 1000;
                    elsif reference is not null then
                        execute reference using r.latitude, r.longitude, r.place;
                        theirs := theirs || extract(epoch from clock_timestamp() - began)::float8 * 1000;
                    end if;
                end loop;
            end loop;
        end $$;
        create or replace function public.bench_pages(call text, out pages integer) language plpgsql as $$
        declare
            town record;
            line text;
        begin
            -- The densest tile, where a call might read the most posts.
            select p.latitude, p.longitude, p.place_geonameid as place into town
            from darkroom.posts p
            where p.post_id = (select best from darkroom.map_tiles where level = 15 order by posts desc limit 1);
            for run in 1..2 loop
                for line in execute 'explain (analyze, buffers, timing off) ' || call
                    using town.latitude, town.longitude, town.place loop
                    if line ~ 'Buffers: shared' then
                        pages := coalesce((regexp_match(line, 'hit=(\\d+)'))[1]::integer, 0)
                               + coalesce((regexp_match(line, 'read=(\\d+)'))[1]::integer, 0);
                        exit;
                    end if;
                end loop;
            end loop;
        end $$
        """
}
