import Postgres
import Posts
import TestKit
import Testing

/// What readers see of a post between an edit that brings a stricter location policy and the job that names its place again.
@Suite("Locations under a stricter policy", .timeLimit(.minutes(15)))
struct CoarseLocationTests {
    private static let levels = ["exact", "grid_10m", "grid_100m", "grid_1km", "place"]

    private static let precisions = Extent.of(
        ["point", "city", "country"], check: ["point", "area", "place", "city", "division", "country"])

    /// A post for each level at which it was published, precision, kind of location and population, and a category for each policy.
    private static let posts: PostgresQuery = """
        with cases as (
            select row_number() over () as n, privacy, precision, is_typed, place_source, population
            from unnest(enum_range(null::darkroom.location_privacy)) privacy,
                 unnest(\(precisions)::text[]) precision,
                 unnest(array[true, false]) is_typed, unnest(array['gazetteer', 'person']) place_source,
                 unnest(array[0, 500]) population, generate_series(1, 10)),
        upload as (
            insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
            select 'ada', -n, 'originals/a', sha256('a'), 1 from cases order by n returning upload_id, -job_id as n),
        post as (
            insert into darkroom.posts (
                upload_id, uploader, latitude, longitude, location_source, width, height, format, location_privacy,
                location_precision, typed_geonameid, place_source, minimum_population, location_policy, country_code,
                division_name, city_geonameid, city_name, place_geonameid, place_name, place_distance_m)
            select upload_id, 'ada', 47.61234, -122.34567, 'exif', 1, 1, 'jpeg', privacy, precision,
                   case when is_typed then 7 end, place_source, population, 1, 'US', 'Washington', 8, 'Seattle', 7, 'Belltown', 321
            from upload join cases using (n) order by n returning post_id)
        insert into darkroom.post_exact_locations select post_id, 47.6123456, -122.3456789 from post where post_id % 2 = 0
        """

    @Test("are as coarse as it wants in the transaction of the edit, in details, feeds, boards and maps")
    func wholeDomain() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for level in Self.levels {
                for population in [0, 500] {
                    try await database.pool.query(
                        """
                        insert into darkroom.location_policies (category, privacy, minimum_population, note)
                        values (\(level + " \(population)"), \(level)::darkroom.location_privacy, \(population), 'x')
                        """)
                }
            }
            try await database.pool.query(Self.posts)
            try await database.pool.query("create table public.before as select * from darkroom.posts")
            // The ten posts of each case go to a category each.
            try await database.pool.query(
                """
                select darkroom.edit_post(p.post_id, 'ada', null, null, c.category)
                from (select post_id, row_number() over (partition by location_privacy, location_precision, typed_geonameid,
                             place_source, minimum_population order by post_id) as turn from darkroom.posts) p
                join (select category, row_number() over (order by version) as turn
                      from darkroom.location_policies where category is not null) c using (turn)
                """)
            // Each value that may be shown is computed here in another way: from the cell of the exact coordinates.
            let wrong = try await database.texts(
                """
                with known as (
                    select o.*, l.privacy, l.minimum_population as population, p.latitude as shown_latitude,
                           p.longitude as shown_longitude, p.city_name as shown_city, p.place_name as shown_place,
                           p.place_distance_m as shown_distance, p.location_privacy as shown_privacy,
                           coalesce(e.latitude, 47.61234) as exact_latitude, coalesce(e.longitude, -122.34567) as exact_longitude,
                           exists (select from darkroom.jobs j where j.kind = 'relocate' and j.subject_id = p.post_id) as is_queued
                    from public.before o join darkroom.posts p using (post_id)
                    left join darkroom.post_exact_locations e on e.post_id = p.post_id and p.post_id % 2 = 0
                    join darkroom.location_policies l on l.category = p.category),
                judged as (
                    select k.*, place_source = 'gazetteer' and (privacy > location_privacy or population > minimum_population)
                               as is_stricter,
                           greatest(privacy, location_privacy) as level
                    from known k),
                expected as (
                    select j.*, is_stricter and location_precision not in ('division', 'country')
                                and (typed_geonameid is null or population > minimum_population) as is_coarse
                    from judged j)
                select format('%s %s %s %s to %s %s', location_privacy, location_precision, typed_geonameid,
                              minimum_population, privacy, population)
                from expected x
                cross join lateral darkroom.grid_centre(
                    exact_latitude, exact_longitude,
                    ('{"grid_10m": 10, "grid_100m": 100, "grid_1km": 1000, "place": 100000}'::jsonb ->> level::text)::float8) g
                where is_queued <> is_stricter
                   or shown_privacy <> case when is_stricter then level else location_privacy end
                   or (shown_latitude, shown_longitude) is distinct from
                      (case when not is_coarse then 47.61234 when level = 'exact' then exact_latitude else g.centre_latitude end,
                       case when not is_coarse then -122.34567 when level = 'exact' then exact_longitude else g.centre_longitude end)
                   or (shown_city is null, shown_place is null, shown_distance is null) <> (is_coarse, is_coarse, is_coarse)
                """)
            #expect(wrong == [])
            #expect(
                try await database.number("select count(*) from darkroom.jobs where kind = 'relocate'")
                    > Extent.of(100, check: 200))
            #expect(
                try await database.number(
                    "select count(*) from darkroom.posts p where darkroom.is_located_too_exactly(p.post_id)")
                    == 0)
            // The exact coordinates are kept, and the lists have what the posts have.
            #expect(
                try await database.number(
                    """
                    select count(*) from darkroom.posts p
                    where p.location_policy = 0 and not exists (
                        select from darkroom.post_exact_locations e
                        where e.post_id = p.post_id and abs(e.latitude - 47.6123) < 0.0001)
                    """) == 0)
            #expect(try await database.inconsistencies() == [])
        }
    }

    @Test("are coarse for readers in every list before any worker has run")
    func readers() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "insert into darkroom.location_policies (category, privacy, note) values ('home', 'grid_1km', 'x')"
            )
            try await database.publishPosts(1)
            try await database.pool.query(
                "update darkroom.posts set latitude = 47.61234, longitude = -122.34567, city_name = 'Seattle', place_name = 'Belltown'"
            )
            let author = try #require(
                try await database.texts("select uploader from darkroom.posts").first ?? nil)
            try await database.pool.query(
                "select darkroom.edit_post((select max(post_id) from darkroom.posts), \(author), 'Flat', null, 'home')"
            )
            try await database.pool.query("select darkroom.tally_map()")
            let centre = try await database.texts(
                "select concat_ws(' ', centre_latitude, centre_longitude) from darkroom.grid_centre(47.61234, -122.34567, 1000)"
            )
            for list in [
                "latest_posts()", "post_details((select max(post_id) from darkroom.posts))",
                "nearest_posts(47.6, -122.3)", "top_posts('hot')", "posts_within(47.6, -122.3, 20000)",
                "near_and_good_posts(47.6, -122.3, 20000)", "map_photos(47, -123, 48, -122, 10)",
            ] {
                let shown = try await database.texts(
                    """
                    select concat_ws(' ', latitude, longitude, city_name, place_name, place_geonameid)
                    from darkroom.\(unescaped: list)
                    """)
                #expect(shown == centre, "\(list)")
            }
            #expect(
                try await database.number(
                    """
                    select count(*) from darkroom.map_clusters(47, -123, 48, -122, 10) c, darkroom.posts p
                    where abs(c.latitude - p.latitude) < 0.00001 and abs(c.longitude - p.longitude) < 0.00001
                    """) == 1)
        }
    }
}
