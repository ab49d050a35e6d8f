package import Gazetteer
package import Postgres
package import Posts

/// Names the places of published posts again after a new gazetteer was installed or a new policy was set.
///
/// It goes through the posts in batches, each in a short transaction. Each post records which index and policy
/// located it, so no post is done twice: after an interruption another run does the rest, and two concurrent runs
/// share the work. It first skips posts that other transactions hold and waits for them at the end.
package struct Relocation: Sendable {
    /// What became of one post.
    package struct Change: Sendable {
        package let post: Int64
        package let before: PostPlace
        package let after: PostPlace
        /// Distance between the old and the new published coordinates.
        package let movedMetres: Double
        /// Whether the uploader typed a place that the gazetteer no longer has.
        package let isTypedPlaceUnknown: Bool

        /// Whether readers can see the change.
        package var isVisible: Bool {
            changesPlace || changesCity || changesDivision || changesCountry || movedMetres > 0
        }
        package var changesCountry: Bool { before.country != after.country }
        package var changesDivision: Bool { before.division != after.division }
        package var changesCity: Bool { before.city != after.city }
        package var changesPlace: Bool {
            before.place?.geonameid != after.place?.geonameid || before.place?.name != after.place?.name
        }
    }

    /// How many posts changed in each respect. A post may count in several.
    package struct Tally: Sendable, Equatable {
        package private(set) var posts = 0
        package private(set) var countries = 0
        package private(set) var divisions = 0
        package private(set) var cities = 0
        package private(set) var places = 0
        /// Posts whose published coordinates changed.
        package private(set) var moved = 0
        package private(set) var unchanged = 0
        /// Posts at a typed place that the gazetteer no longer has.
        package private(set) var typedPlacesUnknown = 0

        package init() {}

        package mutating func count(_ change: Change) {
            posts += 1
            if change.changesCountry { countries += 1 }
            if change.changesDivision { divisions += 1 }
            if change.changesCity { cities += 1 }
            if change.changesPlace { places += 1 }
            if change.isTypedPlaceUnknown { typedPlacesUnknown += 1 }
            if change.movedMetres > 0 { moved += 1 }
            if !change.isVisible { unchanged += 1 }
        }
    }

    private let store: RelocationStore
    private let pool: PostgresPool
    private let gazetteer: Gazetteer
    private let scope: RelocationScope
    private let isDryRun: Bool
    /// Nil after the last post.
    private var cursor: RelocationCursor? = .start
    private var locking: RelocationStore.Locking

    /// - Parameters:
    ///   - country: only posts that are in this country now; ISO 3166-1 alpha-2.
    ///   - isDryRun: whether to only report what would change.
    package init(
        pool: PostgresPool, gazetteer: Gazetteer, country: String? = nil, post: Int64? = nil,
        isDryRun: Bool = false
    ) {
        self.pool = pool
        store = RelocationStore(pool: pool)
        self.gazetteer = gazetteer
        scope = RelocationScope(
            gazetteer: Int64(bitPattern: gazetteer.identity), country: country, post: post)
        self.isDryRun = isDryRun
        locking = isDryRun ? .none : .skipping
    }

    /// How many posts remain, counted by the index.
    package func left() async throws -> Int { try await store.countStale(scope) }

    /// Relocates the next posts, at most `limit`.
    ///
    /// - Returns: the change of each; nil at the end.
    package mutating func next(atMost limit: Int) async throws -> [Change]? {
        while let cursor {
            var next = cursor
            let changes: [Change]
            if isDryRun {
                changes = try await pool.withConnection {
                    try await locate(from: &next, limit: limit, in: $0).map(\.change)
                }
            } else {
                changes = try await pool.withTransaction { transaction in
                    let located = try await locate(from: &next, limit: limit, in: transaction)
                    if !located.isEmpty {
                        try await RelocationStore.relocate(located.map(\.new), in: transaction)
                    }
                    return located.map(\.change)
                }
            }
            guard changes.isEmpty else {
                self.cursor = next
                return changes
            }
            self.cursor = cursor.nextSide
            if self.cursor == nil, locking == .skipping {
                self.cursor = .start
                locking = .waiting
            }
        }
        return nil
    }

    private func locate(
        from cursor: inout RelocationCursor, limit: Int, in connection: PostgresConnection
    ) async throws -> [(new: NewLocation, change: Change)] {
        let posts = try await RelocationStore.stale(
            scope, from: &cursor, limit: limit, locking: locking, in: connection)
        let typed = gazetteer.answers(for: Set(posts.compactMap { $0.typedPlace.map { Int($0) } }))
        return posts.map { locate($0, typed: $0.typedPlace.flatMap { typed[Int($0)] }) }
    }

    /// A typed place stays that place. If the gazetteer no longer has it, it also keeps its name; unless small places
    /// must not be named, because nobody knows any more how small it is.
    private func locate(
        _ known: KnownLocation, typed: ReverseAnswer?
    ) -> (new: NewLocation, change: Change) {
        let exact = typed?.place?.coordinate ?? known.exact
        let privacy = known.policy.privacy(atLeast: known.privacy)
        let isUnknown = known.typedPlace != nil && typed == nil
        let isSmall = known.place.place != nil && known.policy.minimumPopulation > 0
        let isWide = known.precision == .country || known.precision == .division
        let keeps = isUnknown && (isWide || !isSmall && known.typedPlace.map(known.place.isOf) == true)
        let published =
            keeps
            ? PublishedLocation(keeping: known, privacy: privacy)
            : PublishedLocation(
                of: exact, typed: typed, precision: known.precision, privacy: privacy,
                minimumPopulation: known.policy.minimumPopulation, gazetteer: gazetteer)
        let change = Change(
            post: known.post, before: known.place, after: published.place,
            movedMetres: known.published.distance(to: published.coordinate),
            isTypedPlaceUnknown: isUnknown)
        return (NewLocation(known, at: exact, as: published, by: gazetteer), change)
    }
}

extension KnownLocation {
    var exact: Coordinate { Self.coordinate(exactLatitude, exactLongitude) }
    var published: Coordinate { Self.coordinate(latitude, longitude) }

    private static func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("the table's constraints allow no coordinates out of range")
        }
        return coordinate
    }
}

extension NewLocation {
    init(
        _ known: KnownLocation, at exact: Coordinate, as published: PublishedLocation, by gazetteer: Gazetteer
    ) {
        self.init(
            post: known.post, exactLatitude: exact.latitude, exactLongitude: exact.longitude,
            privacy: published.privacy, policy: known.policy.version,
            minimumPopulation: known.policy.minimumPopulation,
            locatedBy: Int64(bitPattern: gazetteer.identity), latitude: published.coordinate.latitude,
            longitude: published.coordinate.longitude, place: published.place, timeZone: published.timeZone)
    }
}
