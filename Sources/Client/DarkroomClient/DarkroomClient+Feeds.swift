public import FoundationEssentials
import Postgres

/// Narrows a feed; an empty filter keeps every post.
public struct FeedFilter: Sendable, Hashable {
    public var category: String?
    public var activity: String?
    /// The earliest publishing time.
    public var since: Date?

    public init(category: String? = nil, activity: String? = nil, since: Date? = nil) {
        self.category = category
        self.activity = activity
        self.since = since
    }
}

/// A country, division (state, province, region), city or place by its GeoNames number: what an album is of.
///
/// ``PublishedPost`` has the numbers of each of its levels. A city holds the posts of all its parts. A town that is part of
/// no larger city is its own city.
public enum FeedPlace: Sendable, Hashable {
    case country(Int64)
    case division(Int64)
    case city(Int64)
    case place(Int64)

    var level: String {
        switch self {
        case .country: "country"
        case .division: "division"
        case .city: "city"
        case .place: "place"
        }
    }

    var geonameid: Int64 {
        switch self {
        case .country(let number), .division(let number), .city(let number), .place(let number): number
        }
    }
}

/// The weights of `DarkroomClient.bestPosts`; see docs/feeds.md for the formula.
public struct FeedWeights: Sendable, Hashable {
    /// A post that is older by this much needs twice the lead in likes. One minute to one century.
    public var halfLife: Duration
    /// How many half-lives a doubling of the lead in likes is worth; 0 to 100.
    public var votes: Double
    /// How many half-lives a doubling of the distance costs, beyond `scaleMetres`; 0 to 100.
    public var distance: Double
    /// 1 to 1,000,000 metres.
    public var scaleMetres: Double

    public init(
        halfLife: Duration = .seconds(86_400), votes: Double = 1, distance: Double = 1,
        scaleMetres: Double = 500
    ) {
        self.halfLife = halfLife
        self.votes = votes
        self.distance = distance
        self.scaleMetres = scaleMetres
    }
}

/// The order of a rank board; see docs/feeds.md for the formulas.
public enum RankBoard: String, Sendable, Hashable, CaseIterable {
    case likes
    /// The lower bound of the share of likes.
    case wilson
    /// The share of likes, pulled towards the average.
    case weighted
    /// The lead in likes, combined with the age.
    case hot
}

/// A circle on the map.
public struct FeedArea: Sendable, Hashable {
    /// Degrees.
    public var latitude: Double
    public var longitude: Double
    /// 1 to 1,000,000 metres along the sphere.
    public var radiusMetres: Double

    public init(latitude: Double, longitude: Double, radiusMetres: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.radiusMetres = radiusMetres
    }
}

/// The feeds that readers see. Every page has 1 to 100 posts; other numbers are clamped. `after` is the `next` of the
/// previous page, with the same arguments. Each call throws ``DarkroomError`` with `invalidArgument` for an argument
/// out of range or a cursor of another feed.
extension DarkroomClient {
    /// The newest posts: all, or those of a category, activity, uploader or place (its album).
    public func latestPosts(
        atMost: Int = 20, category: String? = nil, activity: String? = nil, place: FeedPlace? = nil,
        uploader: String? = nil, after: PageCursor? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.latest_posts(
                at_most => \(Int64(atMost)), in_category => \(category), in_activity => \(activity), in_place => \(Self.key(place)),
                by_uploader => \(uploader), after => \(after?.text))
            """)
    }

    /// The posts nearest to a coordinate in degrees, nearest first, with their distances.
    ///
    /// - Parameter radiusMetres: leaves out posts farther away.
    public func nearestPosts(
        latitude: Double, longitude: Double, atMost: Int = 20, radiusMetres: Double? = nil,
        filter: FeedFilter = FeedFilter(), after: PageCursor? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.nearest_posts(
                \(latitude), \(longitude), at_most => \(Int64(atMost)), radius_m => \(radiusMetres),
                in_category => \(filter.category), in_activity => \(filter.activity), since => \(filter.since),
                after => \(after?.text))
            """)
    }

    /// The posts within a circle, newest first, with their distances.
    public func posts(
        within area: FeedArea, atMost: Int = 20, filter: FeedFilter = FeedFilter(), after: PageCursor? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.posts_within(
                \(area.latitude), \(area.longitude), radius_m => \(area.radiusMetres), at_most => \(Int64(atMost)),
                in_category => \(filter.category), in_activity => \(filter.activity), since => \(filter.since),
                after => \(after?.text))
            """)
    }

    /// The best posts nearby, by votes, age and distance.
    public func bestPosts(
        near area: FeedArea, atMost: Int = 20, weights: FeedWeights = FeedWeights(),
        filter: FeedFilter = FeedFilter(), after: PageCursor? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.near_and_good_posts(
                \(area.latitude), \(area.longitude), radius_m => \(area.radiusMetres), at_most => \(Int64(atMost)),
                half_life => make_interval(secs => \(weights.halfLife / .seconds(1))),
                vote_weight => \(weights.votes), distance_weight => \(weights.distance),
                distance_scale_m => \(weights.scaleMetres),
                in_category => \(filter.category), in_activity => \(filter.activity), since => \(filter.since),
                after => \(after?.text))
            """)
    }

    /// A rank board of the posts with votes: all, or those of a place, activity, category or area.
    ///
    /// - Parameter until: only posts published before this time; `filter.since` is the earliest time.
    public func topPosts(
        by board: RankBoard, atMost: Int = 20, place: FeedPlace? = nil, area: FeedArea? = nil,
        filter: FeedFilter = FeedFilter(), until: Date? = nil, after: PageCursor? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.top_posts(
                \(board.rawValue)::darkroom.board, at_most => \(Int64(atMost)), in_place => \(Self.key(place)),
                in_activity => \(filter.activity), in_category => \(filter.category),
                latitude => \(area?.latitude), longitude => \(area?.longitude), radius_m => \(area?.radiusMetres),
                since => \(filter.since), until => \(until), after => \(after?.text))
            """)
    }

    private static func key(_ place: FeedPlace?) -> PostgresQuery {
        guard let place else { return "null" }
        return "(\(place.level)::darkroom.place_level, \(place.geonameid))"
    }
}
