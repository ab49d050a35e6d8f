package import Postgres

/// The published locations of posts, and how to change them.
package struct RelocationStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// How a walk treats posts that other transactions hold.
    package enum Locking: Sendable { case none, skipping, waiting }

    /// The exact number of posts that remain for a relocation.
    package func countStale(_ scope: RelocationScope) async throws -> Int {
        let rows = try await pool.query(
            """
            select (select count(*) from darkroom.posts p where \(Self.isInScope(scope))
                      and (p.located_by, p.location_policy) < \(Self.current(scope)))
                 + (select count(*) from darkroom.posts p where \(Self.isInScope(scope))
                      and (p.located_by, p.location_policy) > \(Self.current(scope))) as posts
            """)
        return try rows[0].decode("posts", as: Int.self)
    }

    /// The next posts on one side of a scope, in the index's order. Moves the cursor behind them.
    ///
    /// - Parameter connection: in a transaction, unless `locking` is `none`.
    package static func stale(
        _ scope: RelocationScope, from cursor: inout RelocationCursor, limit: Int, locking: Locking,
        in connection: PostgresConnection
    ) async throws -> [KnownLocation] {
        let lock: PostgresQuery =
            switch locking {
            case .none: ""
            case .skipping: "for no key update of p skip locked"
            case .waiting: "for no key update of p"
            }
        let rows = try await connection.query(
            """
            \(knownColumns)
            where \(isInScope(scope))
              and (p.located_by, p.location_policy) \(unescaped: cursor.side.rawValue) \(current(scope))
              and (p.located_by, p.location_policy, p.post_id) > (\(cursor.locatedBy), \(cursor.policy), \(cursor.post))
            order by p.located_by, p.location_policy, p.post_id limit \(limit) \(lock)
            """)
        let posts = try rows.map { try KnownLocation(row: $0) }
        if let last = posts.last {
            (cursor.locatedBy, cursor.policy, cursor.post) = (
                last.cursor.locatedBy, last.cursor.policy, last.post
            )
        }
        return posts
    }

    /// One post's location. Locks its row in the caller's transaction.
    ///
    /// - Throws: ``PostError`` with `noPost`.
    package static func location(
        of post: Int64, in transaction: PostgresConnection
    ) async throws -> KnownLocation {
        let rows = try await transaction.query(
            "\(knownColumns) where p.post_id = \(post) for no key update of p")
        guard let row = rows.first else { throw PostError(.noPost(post)) }
        return try KnownLocation(row: row)
    }

    /// Whether the location is that of a place, division or country that was typed; a typed point is not.
    static let isTyped: PostgresQuery =
        "p.location_source = 'text' and p.location_precision not in ('point', 'area')"

    private static let knownColumns: PostgresQuery = """
        select p.post_id, coalesce(e.latitude, p.latitude) as exact_latitude,
               coalesce(e.longitude, p.longitude) as exact_longitude, p.latitude, p.longitude,
               p.location_privacy::text as published_privacy, p.country_geonameid, p.country_code, p.country_name,
               p.division_geonameid, p.division_code, p.division_name, p.city_geonameid, p.city_name, p.place_geonameid,
               p.place_name, p.place_distance_m, p.time_zone, \(isTyped) as is_typed, p.typed_geonameid,
               p.location_precision,
               p.located_by, p.location_policy, l.version as policy, l.privacy::text as privacy,
               greatest(l.minimum_population, p.minimum_population) as minimum_population
        from darkroom.posts p left join darkroom.post_exact_locations e using (post_id),
             lateral darkroom.location_policy_for(p.category, p.activity) l
        """

    private static func isInScope(_ scope: RelocationScope) -> PostgresQuery {
        // The first line must match the condition of the index `posts_located`.
        var condition: PostgresQuery = """
            p.state in ('published', 'held', 'hidden', 'removed') and p.place_source = 'gazetteer'
            and (p.state <> 'removed' or not exists (
                select from darkroom.post_erasures x where x.post_id = p.post_id))
            """
        if let country = scope.country { condition = "\(condition) and p.country_code = \(country)" }
        if let post = scope.post { condition = "\(condition) and p.post_id = \(post)" }
        return condition
    }

    private static func current(_ scope: RelocationScope) -> PostgresQuery {
        "(\(scope.gazetteer), (select max(v.version) from darkroom.location_policies v))"
    }

    /// Publishes locations again in the caller's transaction, which must have locked the posts.
    ///
    /// If the place's time zone changes, the times that depend on it are computed again: the instant of a clock reading
    /// without an offset, and the local time of an instant that is known. Posts that look different afterwards get the
    /// event.
    package static func relocate(
        _ posts: [NewLocation], as event: EventStore.Event = .relocated, in transaction: PostgresConnection
    ) async throws {
        func places<T>(_ part: (PostPlace) -> T) -> [T] { posts.map { part($0.place) } }
        try await transaction.query(
            """
            with located as (
                select * from unnest(
                    \(posts.map(\.post))::bigint[], \(posts.map(\.latitude))::float8[],
                    \(posts.map(\.longitude))::float8[], \(posts.map(\.exactLatitude))::float8[],
                    \(posts.map(\.exactLongitude))::float8[],
                    \(posts.map(\.privacy.rawValue))::text[], \(posts.map(\.policy))::integer[],
                    \(posts.map(\.minimumPopulation))::integer[],
                    \(posts.map(\.locatedBy))::bigint[], \(places { $0.country?.geonameid })::bigint[],
                    \(places { $0.country?.code })::text[], \(places { $0.country?.name })::text[],
                    \(places { $0.division?.geonameid })::bigint[], \(places { $0.division?.code })::text[],
                    \(places { $0.division?.name })::text[], \(places { $0.city?.geonameid })::bigint[],
                    \(places { $0.city?.name })::text[], \(places { $0.place?.geonameid })::bigint[],
                    \(places { $0.place?.name })::text[], \(places { $0.place?.distanceMetres })::float8[],
                    \(posts.map(\.timeZone))::text[])
                as n (post_id, latitude, longitude, exact_latitude, exact_longitude, privacy, policy,
                      minimum_population, located_by,
                      country_geonameid, country_code, country_name, division_geonameid, division_code, division_name,
                      city_geonameid, city_name, place_geonameid, place_name, distance, zone)),
            kept as (
                insert into darkroom.post_exact_locations as e (post_id, latitude, longitude)
                select post_id, exact_latitude, exact_longitude from located
                on conflict (post_id) do update
                set latitude = excluded.latitude, longitude = excluded.longitude
                where (e.latitude, e.longitude) <> (excluded.latitude, excluded.longitude)),
            told as (
                insert into darkroom.outbox (post_id, event)
                select n.post_id, \(event.rawValue) from located n join darkroom.posts p using (post_id)
                where (p.latitude, p.longitude, p.country_geonameid, p.country_code, p.country_name, p.division_geonameid,
                       p.division_code, p.division_name, p.city_geonameid, p.city_name, p.place_geonameid, p.place_name,
                       p.time_zone)
                   is distinct from (n.latitude, n.longitude, n.country_geonameid, n.country_code, n.country_name,
                                     n.division_geonameid, n.division_code, n.division_name, n.city_geonameid, n.city_name,
                                     n.place_geonameid, n.place_name, n.zone)
                order by n.post_id)
            update darkroom.posts p
            set latitude = n.latitude, longitude = n.longitude,
                location_privacy = n.privacy::darkroom.location_privacy, location_policy = n.policy,
                minimum_population = greatest(p.minimum_population, n.minimum_population),
                located_by = n.located_by, country_geonameid = n.country_geonameid, country_code = n.country_code,
                country_name = n.country_name, division_geonameid = n.division_geonameid, division_code = n.division_code,
                division_name = n.division_name, city_geonameid = n.city_geonameid, city_name = n.city_name,
                place_geonameid = n.place_geonameid, place_name = n.place_name, place_distance_m = n.distance, time_zone = n.zone,
                taken_at = case when t.infers then t.instant else p.taken_at end,
                taken_at_offset_source = case when t.infers then 'place' else p.taken_at_offset_source end,
                taken_at_local = case when p.taken_at_offset_source is distinct from 'place'
                                           and p.time_zone is distinct from n.zone and not t.infers
                                      then coalesce(darkroom.clock_at(p.taken_at, n.zone), p.taken_at_local)
                                      else p.taken_at_local end
            from located n, darkroom.posts old,
                 lateral (select darkroom.instant_at(old.taken_at_local, n.zone) as instant) i,
                 lateral (select i.instant,
                                 old.time_zone is distinct from n.zone and i.instant is not null
                                 and old.taken_at_source = 'exif'
                                 and (old.taken_at is null or old.taken_at_offset_source = 'place') as infers) t
            where p.post_id = n.post_id and old.post_id = n.post_id
            """)
    }
}

extension KnownLocation {
    init(row: PostgresRow) throws {
        self.init(
            post: try row.decode("post_id", as: Int64.self),
            exactLatitude: try row.decode("exact_latitude", as: Double.self),
            exactLongitude: try row.decode("exact_longitude", as: Double.self),
            latitude: try row.decode("latitude", as: Double.self),
            longitude: try row.decode("longitude", as: Double.self),
            privacy: try row.decode("published_privacy", as: PrivacyLevel.self),
            precision: try row.decode("location_precision", as: LocationPrecision.self),
            place: try PostPlace(row: row), timeZone: try row.decode("time_zone", as: String?.self),
            isTyped: try row.decode("is_typed", as: Bool.self),
            typedPlace: try row.decode("typed_geonameid", as: Int64?.self),
            policy: try LocationPolicy(row: row),
            cursor: (
                try row.decode("located_by", as: Int64.self),
                try row.decode("location_policy", as: Int64.self)
            ))
    }
}
