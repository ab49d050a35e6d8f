package import FoundationEssentials
import Postgres

/// A post as a feed test knows it.
package struct FeedPost: Sendable {
    package let id: Int64
    package let latitude: Double
    package let longitude: Double
    package let publishedAt: Date
    package let likes: Int
    package let dislikes: Int
    package let category: String?
    package let activity: String?
    package let country: Int64?
    package let division: Int64
    package let city: Int64
    package let place: Int64
    package let uploader: String
}

/// Published posts with which several tests begin, and each changes them in its own way: they are written once.
package struct FeedFixture: Sendable {
    package var count: Int
    package var areVotedOn = true
    /// As in ``QueueDatabase/publishPosts(_:areVotedOn:spread:)``.
    package var spread = 1.5
    /// As by ``QueueDatabase/hideSomePosts()``, and then the boards' averages are computed.
    package var areSomeHidden = false

    package init(_ count: Int, areVotedOn: Bool = true, spread: Double = 1.5, areSomeHidden: Bool = false) {
        self.count = count
        self.areVotedOn = areVotedOn
        self.spread = spread
        self.areSomeHidden = areSomeHidden
    }

    fileprivate var template: DatabaseTemplate {
        let kinds = (areVotedOn ? "_voted_on" : "") + (areSomeHidden ? "_partly_hidden" : "")
        return DatabaseTemplate(
            name: "posts_\(count)\(kinds)_\(Int(spread * 1000))_m", from: QueueDatabase.migrated
        ) { url in
            try await QueueDatabase.use(url: url) { database in
                try await database.publishPosts(count, areVotedOn: areVotedOn, spread: spread)
                guard areSomeHidden else { return }
                try await database.hideSomePosts()
                try await database.recomputeAverages()
            }
        }
    }
}

extension QueueDatabase {
    /// Calls `body` with a database of its own that has these posts.
    package static func with(
        _ posts: FeedFixture, _ body: (QueueDatabase) async throws -> Void
    ) async throws {
        try await with(template: posts.template, body)
    }

    /// Publishes posts in towns of very different sizes, one of them beyond 180 degrees and one at a pole, with votes.
    ///
    /// The places 0 and 1 are in city 0, 2 and 3 in city 1, and 4 in city 2. The cities 0 and 2 are in division 0 of country
    /// 0; city 1 is in division 1, which is in no country.
    ///
    /// One statement writes the posts, without workers; the tally's own functions count the votes.
    ///
    /// - Parameter spread: the standard deviation of posts from their town's centre, in kilometres, in each direction.
    package func publishPosts(_ count: Int, areVotedOn: Bool = true, spread: Double = 1.5) async throws {
        try await pool.withTransaction { transaction in
            try await transaction.query("select setseed(0.007)")
            try await transaction.query(
                """
                with towns (number, latitude, longitude) as (
                    values (0, 47.6062::float8, -122.3321::float8), (1, 35.6812, 139.7671), (2, -16.5, 179.99), (3, 89.9, 20.0),
                           (4, -33.9175, 18.4026)),
                drawn as (
                    select number, latitude, longitude, \(spread) * sqrt(-2 * ln(1 - random())) / 111.195 as reach,
                           random() * 2 * pi() as bearing, random() as age, random() as luck, i
                    from generate_series(1, \(count)) i
                    join lateral (select floor(5 * random() ^ 2)::int as town where i > 0) t on true
                    join towns on number = town),
                uploads as (
                    insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
                    select 'user-' || i % 17, -i, 'originals/' || i, sha256(i::text::bytea), 1 from drawn order by i
                    returning upload_id, job_id),
                posts as (
                    insert into darkroom.posts (
                        upload_id, uploader, headline, category, activity, published_at, latitude, longitude, location_source,
                        country_geonameid, division_geonameid, city_geonameid, place_geonameid, place_name, width, height,
                        format)
                    select upload_id, 'user-' || i % 17, 'Number ' || i, (array['food', 'street', null])[1 + i % 3],
                           case when i % 5 = 0 then 'picnic' end, timestamptz '2026-01-01' - age * interval '40 days',
                           least(90, latitude + reach * sin(bearing)),
                           mod((longitude + reach * cos(bearing) / cosd(latitude) + 540)::numeric, 360)::float8 - 180,
                           'exif', case when number / 2 <> 1 then 0 end, (number / 2 = 1)::integer, number / 2, number,
                           'Town ' || number, 100, 100, 'jpeg'
                    from drawn join uploads on job_id = -i
                    returning post_id)
                insert into darkroom.counter_changes (post_id, likes, dislikes)
                select post_id, greatest(0, floor(power(random(), -0.8)) - 1), floor(random() * random() * 5)
                from posts where \(areVotedOn) and random() < 0.6
                """)
            try await transaction.query("select darkroom.tally_counters(1000000)")
            try await transaction.query("select darkroom.tally_map(1000000)")
        }
    }

    /// Makes two of seven posts invisible, in each of the ways in which posts become so: feeds must find others instead.
    package func hideSomePosts() async throws {
        try await pool.withTransaction { transaction in
            try await transaction.query(
                """
                update darkroom.posts
                set state = (array['held', 'hidden', 'removed', 'expired'])[1 + post_id / 7 % 4]::darkroom.post_state
                where post_id % 7 = 3
                """)
            // Their time is over, and the job that expires them is late.
            try await transaction.query(
                "update darkroom.posts set expires_at = now() - interval '1 second' where post_id % 7 = 5")
            try await transaction.query("select darkroom.tally_map(1000000)")
        }
    }

    /// Computes the averages of all votes, by which boards weigh ratings.
    package func recomputeAverages() async throws {
        try await pool.query("select darkroom.recompute_averages()")
    }

    /// Every visible post.
    package func visiblePosts() async throws -> [FeedPost] {
        let rows = try await pool.query(
            """
            select p.*, coalesce(c.likes, 0) as like_count, coalesce(c.dislikes, 0) as dislike_count
            from darkroom.posts p left join darkroom.post_counters c using (post_id)
            where p.state = 'published' and (p.expires_at is null or p.expires_at > now())
            """)
        return try rows.map { row in
            FeedPost(
                id: try row.decode("post_id", as: Int64.self),
                latitude: try row.decode("latitude", as: Double.self),
                longitude: try row.decode("longitude", as: Double.self),
                publishedAt: try row.decode("published_at", as: Date.self),
                likes: try row.decode("like_count", as: Int.self),
                dislikes: try row.decode("dislike_count", as: Int.self),
                category: try row.decode("category", as: String?.self),
                activity: try row.decode("activity", as: String?.self),
                country: try row.decode("country_geonameid", as: Int64?.self),
                division: try row.decode("division_geonameid", as: Int64.self),
                city: try row.decode("city_geonameid", as: Int64.self),
                place: try row.decode("place_geonameid", as: Int64.self),
                uploader: try row.decode("uploader", as: String.self))
        }
    }
}
