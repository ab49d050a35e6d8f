import Postgres

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
    /// How many half-lives a doubling of the views is worth; 0 to 100.
    public var views: Double

    public init(
        halfLife: Duration = .seconds(86_400), votes: Double = 1, distance: Double = 1,
        scaleMetres: Double = 500, views: Double = 0
    ) {
        self.views = views
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
    /// The lead in likes, drawn to the average of all posts.
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
/// previous page, with the same arguments. `viewer` is the person logged in to the app, whose own votes the posts have, and `origin`
/// where the reader is, in degrees: the posts have their distances from there, and pictures that only those nearby may see. Each
/// call throws ``DarkroomError`` with `invalidArgument` for an argument
/// out of range or a cursor of another feed.
extension DarkroomClient {
    /// The newest posts: all, or those of a filter, such as a place's album.
    public func latestPosts(
        atMost: Int = 20, filter: FeedFilter = FeedFilter(), after: PageCursor? = nil, viewer: String? = nil,
        from origin: (latitude: Double, longitude: Double)? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.latest_posts(
                at_most => \(Int64(atMost)), \(filter.arguments), after => \(after?.text), viewer => \(viewer),
                latitude => \(origin?.latitude), longitude => \(origin?.longitude))
            """)
    }

    /// The posts nearest to a coordinate in degrees, nearest first, with their distances.
    ///
    /// - Parameter radiusMetres: leaves out posts farther away.
    public func nearestPosts(
        latitude: Double, longitude: Double, atMost: Int = 20, radiusMetres: Double? = nil,
        filter: FeedFilter = FeedFilter(), after: PageCursor? = nil, viewer: String? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.nearest_posts(
                \(latitude), \(longitude), at_most => \(Int64(atMost)), radius_m => \(radiusMetres),
                \(filter.arguments), after => \(after?.text), viewer => \(viewer))
            """)
    }

    /// The posts within a circle, newest first, with their distances.
    public func posts(
        within area: FeedArea, atMost: Int = 20, filter: FeedFilter = FeedFilter(), after: PageCursor? = nil,
        viewer: String? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.posts_within(
                \(area.latitude), \(area.longitude), radius_m => \(area.radiusMetres), at_most => \(Int64(atMost)),
                \(filter.arguments), after => \(after?.text), viewer => \(viewer))
            """)
    }

    /// The best posts nearby, by votes, age and distance.
    public func bestPosts(
        near area: FeedArea, atMost: Int = 20, weights: FeedWeights = FeedWeights(),
        filter: FeedFilter = FeedFilter(), after: PageCursor? = nil, viewer: String? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.near_and_good_posts(
                \(area.latitude), \(area.longitude), radius_m => \(area.radiusMetres), at_most => \(Int64(atMost)),
                half_life => make_interval(secs => \(weights.halfLife / .seconds(1))),
                vote_weight => \(weights.votes), distance_weight => \(weights.distance),
                distance_scale_m => \(weights.scaleMetres), view_weight => \(weights.views),
                \(filter.arguments), after => \(after?.text), viewer => \(viewer))
            """)
    }

    /// A rank board: all posts, or those of an area or a filter. Posts without votes come last, newest first.
    ///
    /// - Parameter origin: counts without an area, whose centre it is otherwise.
    public func topPosts(
        by board: RankBoard, atMost: Int = 20, area: FeedArea? = nil, filter: FeedFilter = FeedFilter(),
        after: PageCursor? = nil, viewer: String? = nil,
        from origin: (latitude: Double, longitude: Double)? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.top_posts(
                \(board.rawValue), at_most => \(Int64(atMost)),
                latitude => \(area?.latitude ?? origin?.latitude), longitude => \(area?.longitude ?? origin?.longitude),
                radius_m => \(area?.radiusMetres),
                \(filter.arguments), after => \(after?.text), viewer => \(viewer))
            """)
    }
}
