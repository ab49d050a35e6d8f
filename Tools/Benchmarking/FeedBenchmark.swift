import Gazetteer
import GazetteerVerification
import Postgres

/// `darkroom-dev bench feeds`: measures readers' feeds over generated posts, next to PostGIS.
package struct FeedBenchmark: Sendable {
    package enum Part: String, CaseIterable, Sendable {
        case feeds, check, publish, votes, mixed, cold

        /// All but `cold`, which slows down everything else on the machine.
        package static let usual = Set(allCases).subtracting([.cold])
    }

    package struct Options: Sendable {
        package var parts = Part.usual
        package var posts: Int
        /// Calls per feed and run.
        package var readers: Int
        package var runs = 3
        /// Seconds of each measurement of publishing and voting, and of unmeasured publishing before.
        package let seconds: Int
        package let secondsBefore: Int
        /// Seconds of the mixed load.
        package var mixedSeconds: Int
        /// The name of a database to keep; if it exists, its posts are used as they are.
        package var kept: String?

        /// - Parameter scale: the share of the usual size, 0…1.
        package init(scale: Double = 1) {
            posts = max(10_000, Int(1_000_000 * scale))
            readers = max(10, Int(500 * scale))
            seconds = max(1, Int(5 * scale))
            secondsBefore = max(1, Int(20 * scale))
            mixedSeconds = max(1, Int(60 * scale))
        }
    }

    /// The references: PostGIS, only for the feeds.
    package static let references = ["postgis"]

    let server: String
    let gazetteer: String
    let options: Options
    let tools: BenchmarkTools
    let report: @Sendable (BenchmarkLine) -> Void
    let progress: @Sendable (String) -> Void

    /// - Parameters:
    ///   - server: a URL of any database on the server; its role must be allowed to create databases, and for the
    ///     references the extension postgis.
    ///   - gazetteer: path of an index; the posts are around its largest places.
    package init(
        server: String, gazetteer: String, options: Options, tools: BenchmarkTools,
        progress: @escaping @Sendable (String) -> Void, report: @escaping @Sendable (BenchmarkLine) -> Void
    ) {
        self.server = server
        self.gazetteer = gazetteer
        self.options = options
        self.tools = tools
        self.progress = progress
        self.report = report
    }

    package func run() async throws {
        let towns = try towns()
        try await BenchmarkDatabase.with(server: server, kept: options.kept) { database in
            let isFilled = try await database.pool.query("select from darkroom.feed limit 1").count > 0
            if isFilled { progress("using the posts of an earlier run") }
            let hasReference =
                isFilled
                ? try await hasPostGIS(database)
                : try await fill(database, towns: towns, posts: options.posts)
            if options.parts.contains(.feeds) { try await feeds(database, hasReference: hasReference) }
            if options.parts.contains(.check) { try await check(database) }
            if options.parts.contains(.votes) { try await votes(database) }
            if options.parts.contains(.mixed) { try await mixed(database) }
            if options.parts.contains(.cold) { try await cold(database) }
            if options.parts.contains(.publish) {
                try await BenchmarkDatabase.with(server: server) { small in
                    _ = try await fill(small, towns: towns, posts: 10_000)
                    try await publish(database, nextTo: small)
                }
            }
        }
    }

    /// The centres of the towns around which posts are made.
    func towns() throws -> [Coordinate] { try Gazetteer(path: gazetteer).largestPlaces(3000) }

    /// Publishes posts around towns whose sizes follow Zipf's law, 3 km from their centres (standard deviation), over a
    /// year, with votes that follow a power law. Posts have one picture each, and no renditions.
    ///
    /// - Returns: whether PostGIS is available, with the same posts.
    func fill(_ database: BenchmarkDatabase, towns: [Coordinate], posts: Int) async throws -> Bool {
        try await database.pool.query("alter table darkroom.posts disable trigger feed_of_new")
        try await withIndexesLeftOut(["uploads", "posts"], of: database) {
            try await make(database, towns: towns, posts: posts)
        }
        try await database.pool.query("alter table darkroom.posts enable trigger feed_of_new")
        progress("building the tables of the feeds")
        try await database.pool.query(
            """
            insert into darkroom.blocks (person, author_handle)
            select 'blocker', darkroom.handle_of('user-' || i * 499) from generate_series(1, 100) i
            """)
        try await database.pool.query("analyze")
        try await database.pool.query(
            """
            update darkroom.rating_averages set (average_rating, average_votes) = (
                select avg(likes - dislikes), avg(likes + dislikes) from darkroom.post_counters)
            """)
        try await withIndexesLeftOut(["feed", "ranks"], of: database) {
            try await database.pool.withTransaction { transaction in
                try await transaction.query("set local work_mem = '256MB'")
                try await transaction.query("select darkroom.rebuild_feeds()")
            }
        }
        guard tools.measures("postgis") else {
            progress("postgis: skipped")
            try await database.pool.query("vacuum analyze")
            return false
        }
        progress("building the reference")
        let hasReference: Bool
        do {
            try await database.pool.query("create extension postgis with schema public")
            try await database.pool.query(
                """
                create table public.bench_posts as
                select p.post_id, p.published_at, coalesce(c.likes, 0) - coalesce(c.dislikes, 0) as lead,
                       public.st_makepoint(p.longitude, p.latitude)::public.geography as place
                from darkroom.posts p left join darkroom.post_counters c using (post_id)
                """)
            try await database.pool.query("create index on public.bench_posts using gist (place)")
            hasReference = true
        } catch let error as PostgresError {
            progress(
                "no PostGIS here (\(error)): install Debian's postgresql-15-postgis-3, and use a role that may create it"
            )
            hasReference = false
        }
        try await database.pool.query("vacuum analyze")
        return hasReference
    }

    private func hasPostGIS(_ database: BenchmarkDatabase) async throws -> Bool {
        guard tools.measures("postgis") else { return false }
        return try await !database.pool.query("select from pg_extension where extname = 'postgis'").isEmpty
    }

    /// Drops the indexes during a bulk insert of millions of rows, and builds them afterwards, which is faster.
    private func withIndexesLeftOut(
        _ tables: [String], of database: BenchmarkDatabase, _ body: () async throws -> Void
    ) async throws {
        let indexes = try await database.pool.query(
            """
            select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
            from pg_index i join pg_class c on c.oid = indrelid
            where relnamespace = 'darkroom'::regnamespace and relname = any (\(tables)::text[])
              and not exists (select from pg_constraint where conindid = indexrelid)
            """)
        for index in indexes {
            try await database.pool.query("drop index \(unescaped: index.decode("name", as: String.self))")
        }
        try await body()
        for index in indexes {
            progress("building \(try index.decode("name", as: String.self))")
            try await database.pool.withTransaction { transaction in
                try await transaction.query("set local maintenance_work_mem = '1GB'")
                try await transaction.query("\(unescaped: index.decode("definition", as: String.self))")
            }
        }
    }

    private func make(_ database: BenchmarkDatabase, towns: [Coordinate], posts: Int) async throws {
        let batch = 50_000
        try await withThrowingTaskGroup(of: Int.self) { group in
            var made = 0
            for first in stride(from: 0, to: posts, by: batch) {
                if first >= batch * 2 { made += try await group.next() ?? 0 }
                progress("creating posts: \(made) of \(posts)")
                group.addTask {
                    let size = min(batch, posts - first)
                    try await make(database, towns: towns, first: first, size: size)
                    return size
                }
            }
            try await group.waitForAll()
        }
    }

    private func make(_ database: BenchmarkDatabase, towns: [Coordinate], first: Int, size: Int) async throws
    {
        try await database.pool.withTransaction { transaction in
            // Nothing here can break a foreign key, and checking them would take half of the time.
            try await transaction.query(
                """
                select set_config('session_replication_role', 'replica', true) from pg_roles
                where rolname = current_user and rolsuper
                """)
            try await transaction.query("select setseed(\(Double(first % 999_983) / 999_983))")
            try await transaction.query(
                """
                with towns as materialized (
                    select array_agg(reach order by number) as reaches, max(reach) as reach
                    from (select number, sum(1.0::float8 / number) over (order by number) as reach
                          from generate_series(1, \(towns.count)::integer) number) t),
                drawn as materialized (
                    select i, least(\(towns.count)::integer, 1 + width_bucket(random() * t.reach, t.reaches)) as town,
                           3 * sqrt(-2 * ln(1 - random())) / 111.195 as away, random() * 2 * pi() as bearing,
                           random() as age, random() as liked, random() as disliked, random() as luck
                    from generate_series(\(first + 1)::bigint, \(first + size)::bigint) i, towns t),
                placed as materialized (
                    select d.*, lat[town] + away * sin(bearing) as latitude,
                           lon[town] + away * cos(bearing) / cosd(lat[town]) as longitude
                    from drawn d, (select \(towns.map(\.latitude))::float8[] as lat,
                                          \(towns.map(\.longitude))::float8[] as lon) t),
                uploads as (
                    insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
                    select 'user-' || i % 50000, i, 'originals/' || i, sha256(i::text::bytea), 2500000 from placed
                    returning upload_id, job_id),
                posts as (
                    insert into darkroom.posts (
                        upload_id, uploader, author_handle, headline, category, activity, taken_at, taken_at_local, published_at, latitude, longitude,
                        location_source, country_geonameid, country_code, country_name, division_geonameid, city_geonameid,
                        place_geonameid, place_name, width, height, format, pictures)
                    select upload_id, 'user-' || i % 50000, darkroom.handle_of('user-' || i % 50000), 'Headline ' || i, 'category ' || floor(luck * 12),
                           case when luck < 0.2 then 'activity ' || floor(luck * 2500) end,
                           now() - age * interval '365 days', (now() - age * interval '365 days') at time zone 'UTC',
                           now() - age * interval '365 days', latitude,
                           longitude - 360 * floor((longitude + 180) / 360), 'exif', town % 50, 'XX', 'Country',
                           town % 1000, town, town, 'Town ' || town, 4000, 3000, 'jpeg',
                           jsonb_build_array(jsonb_build_object('name', 'square', 'media_key', 'renditions/' || upload_id, 'format', 'jpeg', 'width', 320, 'height', 320, 'bytes', 99999))
                    from placed join uploads on job_id = i
                    returning post_id, upload_id)
                insert into darkroom.post_counters (post_id, likes, dislikes)
                select post_id, likes, dislikes
                from posts join uploads using (upload_id) join placed on i = job_id
                cross join lateral (
                    select case when liked < 0.6 then 0 else floor((1 - liked + 1e-6) ^ -0.9) end::integer as likes,
                           case when disliked < 0.7 then 0 else floor((disliked - 0.69) ^ -0.5) - 1 end::integer as dislikes) v
                where likes + dislikes > 0
                """)
        }
    }
}
