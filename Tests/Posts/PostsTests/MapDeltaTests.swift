import Postgres
import TestKit
import Testing

/// The tally adds changes to the map, so any that is left out or added twice would stay there.
@Suite("The map and ranks after random changes", .timeLimit(.minutes(15)))
struct MapDeltaTests {
    /// Publishes, votes, moves, renames, dates back, hides, restores, expires and deletes posts of nine positions in four tiles, in
    /// several transactions at once, with tallies of a few changes each between and next to them.
    @Test("equal those that are built from the posts", arguments: Extent.of(1...2, check: 1...6))
    func equal(seed: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.withConnection { try await $0.execute(Self.change) }
            try await database.stackAbove(3)
            for round in 1...3 {
                try await withThrowingTaskGroup(of: Void.self) { (group) async throws -> Void in
                    for writer in 1...3 {
                        group.addTask { () async throws -> Void in
                            for step in 1...40 {
                                let number = ((seed * 10 + round) * 10 + writer) * 100 + step
                                try await database.pool.query(
                                    "select public.change_at_random(\(Double(number % 9973) / 9973))")
                            }
                        }
                    }
                    group.addTask { () async throws -> Void in
                        for step in 1...40 {
                            try await database.pool.query("select darkroom.tally_counters(\(step % 5))")
                            try await database.pool.query("select darkroom.tally_map(\(step % 7))")
                        }
                    }
                    try await group.waitForAll()
                }
                try await database.pool.query("select darkroom.expire_posts(1000000)")
                try await database.tally()
                try await database.recomputeAverages()
                let added = try await database.texts(Self.state)
                try await database.pool.query("select darkroom.rebuild_feeds()")
                let built = try await database.texts(Self.state)
                #expect(
                    Set(added).symmetricDifference(built) == [] && added.count == built.count
                        && built.count > 40,
                    "round \(round)")
                let stacks = try await database.texts(
                    """
                    select concat_ws(' ', count(*) filter (where is_stacked), count(*) filter (where not is_stacked))
                    from darkroom.feed group by position[0], position[1]
                    having count(*) filter (where is_stacked) > 0 and count(*) filter (where not is_stacked) = 0
                    """)
                #expect(stacks.isEmpty)
            }
        }
    }

    private static let state: PostgresQuery = """
        select m::text from (select * from darkroom.map_tiles order by level, x, y) m
        union all select r::text from (select * from darkroom.ranks order by post_id) r
        union all select concat_ws(' ', post_id, published_at, leaf, array[country, division, city, place]) from (select * from darkroom.feed order by post_id) f
        """

    private static let change = """
        create function public.change_at_random(seed float8) returns void language plpgsql as $$
        declare
            target bigint;
            luck float8;
        begin
            perform setseed(seed);
            luck := random();
            select post_id into target from darkroom.posts order by random() limit 1;
            if luck < 0.35 or target is null then
                with u as (
                    insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
                    values ('user', -1, 'originals/x', sha256('x'), 1) returning upload_id)
                insert into darkroom.posts (
                    upload_id, uploader, headline, published_at, latitude, longitude, location_source, width, height, format,
                    expires_at)
                select upload_id, 'user', 'Headline', timestamptz '2026-01-01' - random() * interval '3 days',
                       47.6 + 0.0002 * floor(random() * 3), -122.3 + 0.0002 * floor(random() * 3), 'exif', 1, 1, 'jpeg',
                       case when random() < 0.2 then now() + interval '1 hour' end
                from u;
            elsif luck < 0.65 then
                begin
                    perform darkroom.vote_on_post(target, 'voter-' || floor(random() * 4),
                        (array['like', 'like', 'dislike', 'none'])[1 + floor(random() * 4)::int]);
                exception when no_data_found then
                    -- It cannot be seen.
                end;
            elsif luck < 0.7 then
                execute format('update darkroom.posts set %I = $2 where post_id = $1', (array[
                        'country_geonameid', 'division_geonameid', 'city_geonameid', 'place_geonameid'])[1 + floor(random() * 4)::int])
                using target, nullif(floor(random() * 3), 0);
            elsif luck < 0.75 then
                update darkroom.posts set latitude = 47.6 + 0.0002 * floor(random() * 3),
                                          longitude = -122.3 + 0.0002 * floor(random() * 3)
                where post_id = target;
            elsif luck < 0.8 then
                update darkroom.posts set published_at = timestamptz '2026-01-01' - random() * interval '3 days'
                where post_id = target;
            elsif luck < 0.9 then
                update darkroom.posts
                set state = case when state = 'published' then 'hidden' else 'published' end::darkroom.post_state
                where post_id = target and state in ('published', 'hidden');
            elsif luck < 0.95 then
                update darkroom.posts set expires_at = now() where post_id = target;
                perform darkroom.expire_posts(floor(random() * 2)::int);
            else
                delete from darkroom.posts where post_id = target;
            end if;
        end $$
        """
}
