public import FoundationEssentials
import Postgres

/// What a feed is narrowed to; nothing of it by default.
public struct FeedFilter: Sendable, Hashable {
    public var category: String?
    public var event: String?
    /// The earliest publishing time.
    public var since: Date?

    public init(category: String? = nil, event: String? = nil, since: Date? = nil) {
        self.category = category
        self.event = event
        self.since = since
    }
}

/// What `DarkroomClient.bestPosts` weighs: see docs/feeds.md for the formula.
public struct FeedWeights: Sendable, Hashable {
    /// A post this much older needs twice the lead in likes. A minute to a century.
    public var halfLife: Duration
    /// Half-lives that a doubling of the lead in likes is worth; 0 to 100.
    public var votes: Double
    /// Half-lives that a doubling of the distance costs, beyond `scaleMetres`; 0 to 100.
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

/// What a rank board is ordered by: see docs/feeds.md for the formulas.
public enum RankBoard: String, Sendable, Hashable, CaseIterable {
    case likes
    /// The lower bound of the share of likes.
    case wilson
    /// The share of likes, with the average added.
    case weighted
    /// The lead in likes, and the age.
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

/// What readers read. Every page has 1 to 100 posts: of other numbers the nearest is taken. `after` is the `next` of the
/// page before, for the same arguments. Each throws ``DarkroomError``: `invalidArgument` for an argument out of its range or
/// a cursor of another feed.
extension DarkroomClient {
    /// The newest posts first: of all, of a category, an event, a place (a GeoNames number: its album) or an uploader.
    public func latestPosts(
        page: Int = 20, category: String? = nil, event: String? = nil, place: Int64? = nil,
        uploader: String? = nil, after: PageCursor? = nil
    ) async throws -> Page<PublishedPost> {
        try await self.page(
            """
            darkroom.latest_posts(
                page => \(Int32(clamping: page)), in_category => \(category), in_event => \(event), in_place => \(place),
                by_uploader => \(uploader), after => \(after?.text))
            """)
    }

    /// The posts nearest to a coordinate in degrees, nearest first, with their distances.
    ///
    /// - Parameter maxMetres: the farthest that counts.
    public func nearestPosts(
        latitude: Double, longitude: Double, page: Int = 6, maxMetres: Double? = nil,
        filter: FeedFilter = FeedFilter(), after: PageCursor? = nil
    ) async throws -> Page<PublishedPost> {
        try await self.page(
            """
            darkroom.nearest_posts(
                \(latitude), \(longitude), page => \(Int32(clamping: page)), max_metres => \(maxMetres),
                in_category => \(filter.category), in_event => \(filter.event), since => \(filter.since),
                after => \(after?.text))
            """)
    }

    /// The posts within a circle, newest first, with their distances.
    public func posts(
        within area: FeedArea, page: Int = 20, filter: FeedFilter = FeedFilter(), after: PageCursor? = nil
    ) async throws -> Page<PublishedPost> {
        try await self.page(
            """
            darkroom.posts_within(
                \(area.latitude), \(area.longitude), radius_m => \(area.radiusMetres), page => \(Int32(clamping: page)),
                in_category => \(filter.category), in_event => \(filter.event), since => \(filter.since),
                after => \(after?.text))
            """)
    }

    /// The best posts of what is near: by votes, age and distance.
    public func bestPosts(
        near area: FeedArea, page: Int = 20, weights: FeedWeights = FeedWeights(),
        filter: FeedFilter = FeedFilter(), after: PageCursor? = nil
    ) async throws -> Page<PublishedPost> {
        try await self.page(
            """
            darkroom.near_and_good_posts(
                \(area.latitude), \(area.longitude), radius_m => \(area.radiusMetres), page => \(Int32(clamping: page)),
                half_life => make_interval(secs => \(weights.halfLife / .seconds(1))),
                vote_weight => \(weights.votes), distance_weight => \(weights.distance),
                distance_scale_m => \(weights.scaleMetres),
                in_category => \(filter.category), in_event => \(filter.event), since => \(filter.since),
                after => \(after?.text))
            """)
    }

    /// A rank board: of the posts with votes, or of those of a place (a GeoNames number), event, category, area or time.
    ///
    /// - Parameter until: the time before which they were published; `filter.since` is the earliest.
    public func topPosts(
        by board: RankBoard, page: Int = 20, place: Int64? = nil, area: FeedArea? = nil,
        filter: FeedFilter = FeedFilter(), until: Date? = nil, after: PageCursor? = nil
    ) async throws -> Page<PublishedPost> {
        try await self.page(
            """
            darkroom.top_posts(
                \(board.rawValue)::darkroom.board, page => \(Int32(clamping: page)), in_place => \(place),
                in_event => \(filter.event), in_category => \(filter.category),
                latitude => \(area?.latitude), longitude => \(area?.longitude), radius_m => \(area?.radiusMetres),
                since => \(filter.since), until => \(until), after => \(after?.text))
            """)
    }
}
