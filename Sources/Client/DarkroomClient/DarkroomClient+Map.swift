import Postgres

/// The visible part of the map, in degrees. A box that crosses 180 degrees has `west` greater than `east`.
public struct MapBox: Sendable, Hashable {
    public var south: Double
    public var west: Double
    public var north: Double
    public var east: Double

    public init(south: Double, west: Double, north: Double, east: Double) {
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }
}

/// The posts in one square of 64 pixels on the map.
public struct PostCluster: Sendable, Hashable {
    /// The cluster's number, which stays the same as posts come and go.
    public let id: Int64
    /// How many posts it has.
    public let posts: Int
    /// The mean location of its posts, in degrees.
    public let latitude: Double
    public let longitude: Double
    /// The best of its posts by `RankBoard.hot`.
    public let bestPost: Int64
}

/// The contents of a map. Zooms are those of web maps, 0 to 18; fractions are rounded down. Each call throws ``DarkroomError`` with
/// `invalidArgument` for an invalid box or zoom, a box that is too large for its zoom, or a filter with too many posts to count.
extension DarkroomClient {
    /// The clusters in a box; those with the most posts come first. Posts of authors whom the viewer has blocked are not counted.
    public func mapClusters(
        in box: MapBox, zoom: Double, filter: FeedFilter = FeedFilter(), viewer: String? = nil
    ) async throws -> [PostCluster] {
        try await rows(
            """
            select cluster_id, posts, latitude, longitude, best_post_id from darkroom.map_clusters(
                \(box.south), \(box.west), \(box.north), \(box.east), \(zoom),
                \(filter.arguments), viewer => \(viewer))
            """, from: .reader
        ) { row in
            PostCluster(
                id: try row.decode("cluster_id"), posts: try row.decode("posts"),
                latitude: try row.decode("latitude"), longitude: try row.decode("longitude"),
                bestPost: try row.decode("best_post_id"))
        }
    }

    /// The photos to show on the map: the best by `RankBoard.hot`, at most one per square of 128 pixels.
    ///
    /// - Parameter atMost: 1 to 100; other numbers are clamped.
    public func mapPhotos(
        in box: MapBox, zoom: Double, atMost: Int = 30, filter: FeedFilter = FeedFilter(),
        viewer: String? = nil, from origin: (latitude: Double, longitude: Double)? = nil
    ) async throws -> [PublishedPost] {
        try await posts(
            """
            darkroom.map_photos(
                \(box.south), \(box.west), \(box.north), \(box.east), \(zoom),
                at_most => \(Int64(atMost)), \(filter.arguments), viewer => \(viewer),
                latitude => \(origin?.latitude), longitude => \(origin?.longitude))
            """)
    }

    /// The posts of a cluster, newest first: a billboard.
    ///
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a number without a cluster, or another feed's cursor.
    public func posts(
        ofCluster cluster: Int64, atMost: Int = 20, filter: FeedFilter = FeedFilter(),
        after: PageCursor? = nil, viewer: String? = nil,
        from origin: (latitude: Double, longitude: Double)? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.cluster_posts(
                \(cluster), at_most => \(Int64(atMost)), \(filter.arguments), after => \(after?.text), viewer => \(viewer),
                latitude => \(origin?.latitude), longitude => \(origin?.longitude))
            """)
    }

    /// The mean location of a cluster's posts, in degrees. To add an upload to the cluster, enqueue it at this
    /// location. Nil if the cluster has no posts any more.
    public func location(
        ofCluster cluster: Int64
    ) async throws -> (latitude: Double, longitude: Double)? {
        let found = try await rows(
            "select latitude, longitude from darkroom.cluster_location(\(cluster))",
            from: .reader
        ) { row in
            (
                latitude: try row.decode("latitude", as: Double?.self),
                longitude: try row.decode("longitude", as: Double?.self)
            )
        }
        guard let latitude = found.first?.latitude, let longitude = found.first?.longitude else { return nil }
        return (latitude, longitude)
    }
}
