import Postgres

/// What of the map is on the screen, in degrees. One that crosses 180 degrees has `west` greater than `east`.
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

/// The posts of one square of 64 pixels of the map.
public struct PostCluster: Sendable, Hashable {
    /// Its number, which stays the same as posts come and go.
    public let id: Int64
    /// How many posts it has.
    public let posts: Int
    /// Where they lie in the mean, in degrees.
    public let latitude: Double
    public let longitude: Double
    /// The best of them by `RankBoard.hot`.
    public let best: Int64
}

/// What a map shows. Zooms are those of web maps, 0 to 18. Each throws ``DarkroomError``: `invalidArgument` for no box, or
/// one that is too large for its zoom.
extension DarkroomClient {
    /// The clusters in a box, those of most posts first.
    public func mapClusters(in box: MapBox, zoom: Int) async throws -> [PostCluster] {
        try await rows(
            """
            select cluster, posts, latitude, longitude, best from darkroom.map_clusters(
                \(box.south), \(box.west), \(box.north), \(box.east), \(Int32(clamping: zoom)))
            """
        ) { row in
            PostCluster(
                id: try row.decode("cluster"), posts: try row.decode("posts"),
                latitude: try row.decode("latitude"), longitude: try row.decode("longitude"),
                best: try row.decode("best"))
        }
    }

    /// Which photos to show on the map: the best by `RankBoard.hot`, of each square of 128 pixels at most one.
    ///
    /// - Parameter atMost: 1 to 100; of other numbers the nearest is taken.
    public func mapPhotos(in box: MapBox, zoom: Int, atMost: Int = 30) async throws -> [PublishedPost] {
        try await posts(
            """
            darkroom.map_photos(
                \(box.south), \(box.west), \(box.north), \(box.east), \(Int32(clamping: zoom)),
                page => \(Int32(clamping: atMost)))
            """)
    }

    /// The posts of a cluster, newest first: a billboard.
    ///
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a number that is no cluster's, or a cursor of another feed.
    public func posts(
        ofCluster cluster: Int64, page: Int = 20, after: PageCursor? = nil
    ) async throws -> Page<PublishedPost> {
        try await self.page(
            "darkroom.cluster_posts(\(cluster), page => \(Int32(clamping: page)), after => \(after?.text))")
    }

    /// Where the posts of a cluster lie in the mean, in degrees: enqueue an upload there that shall join them. Nil where it
    /// has none any more.
    public func location(
        ofCluster cluster: Int64
    ) async throws -> (latitude: Double, longitude: Double)? {
        let found = try await rows(
            "select latitude, longitude from darkroom.cluster_location(\(cluster))"
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
