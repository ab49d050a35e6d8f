package import Postgres

/// How exactly a location is published, from most to least exact. Raw values are those of the type
/// `darkroom.location_privacy`.
package enum PrivacyLevel: String, CaseIterable, Comparable, Sendable, PostgresDecodable {
    case exact
    case grid10m = "grid_10m"
    case grid100m = "grid_100m"
    case grid1km = "grid_1km"
    /// Only the named place.
    case place

    /// The size of the grid's cells in metres; nil for levels without a grid.
    package var cellMetres: Double? {
        switch self {
        case .grid10m: 10
        case .grid100m: 100
        case .grid1km: 1_000
        case .exact, .place: nil
        }
    }

    private var rank: Int {
        switch self {
        case .exact: 0
        case .grid10m: 1
        case .grid100m: 2
        case .grid1km: 3
        case .place: 4
        }
    }

    /// Whether the left one publishes more exactly.
    package static func < (left: PrivacyLevel, right: PrivacyLevel) -> Bool { left.rank < right.rank }
}

/// How exactly locations are published: the rule, without its effects.
package struct LocationPolicy: Sendable, Equatable {
    /// The highest version of any policy when this one was read.
    package let version: Int
    package let privacy: PrivacyLevel
    /// Smaller places are replaced by a larger one.
    package let minimumPopulation: Int

    package init(version: Int, privacy: PrivacyLevel, minimumPopulation: Int) {
        self.version = version
        self.privacy = privacy
        self.minimumPopulation = minimumPopulation
    }

    /// Reads the columns `policy`, `privacy` and `minimum_population` of `darkroom.location_policy_for`.
    package init(row: PostgresRow) throws {
        self.init(
            version: try row.decode("policy", as: Int.self),
            privacy: try row.decode("privacy", as: PrivacyLevel.self),
            minimumPopulation: try row.decode("minimum_population", as: Int.self))
    }

    /// The policy's level, or the requested (or already published) one if that is more private.
    package func privacy(atLeast asked: PrivacyLevel?) -> PrivacyLevel {
        max(privacy, asked ?? .exact)
    }
}

/// How precisely a location is known. Raw values are those of `darkroom.posts.location_precision`.
package enum LocationPrecision: String, Sendable, PostgresDecodable {
    /// The default.
    case point
    /// The error radius is more than `areaMetres`.
    case area
    /// A town or village that the uploader typed.
    case place
    /// A city that the uploader typed, or the city of an address or landmark.
    case city
    /// A division that the uploader typed: no town is known.
    case division
    /// A country that the uploader typed: neither division nor town is known.
    case country

    /// Above this error radius, a pin on a map would look too precise.
    package static let areaMetres = 100.0

    /// The precision of coordinates.
    package init(accuracyMetres: Double?) {
        self = (accuracyMetres ?? 0) > Self.areaMetres ? .area : .point
    }
}

/// How a post's location is known and published, in addition to the coordinates that readers see.
package struct PostLocation: Sendable, Equatable {
    /// Degrees. They are stored where readers have no access.
    package let exactLatitude: Double
    package let exactLongitude: Double
    package let accuracyMetres: Double?
    package let precision: LocationPrecision
    package let privacy: PrivacyLevel
    /// The version of the policy that published it.
    package let policy: Int
    /// How many inhabitants the named place must have by that policy.
    package let minimumPopulation: Int
    /// The bits of the gazetteer's identity.
    package let locatedBy: Int64

    package init(
        exactLatitude: Double, exactLongitude: Double, accuracyMetres: Double?, precision: LocationPrecision,
        privacy: PrivacyLevel, policy: Int, minimumPopulation: Int = 0, locatedBy: Int64
    ) {
        self.exactLatitude = exactLatitude
        self.exactLongitude = exactLongitude
        self.accuracyMetres = accuracyMetres
        self.precision = precision
        self.privacy = privacy
        self.policy = policy
        self.minimumPopulation = minimumPopulation
        self.locatedBy = locatedBy
    }

    /// A location that is published exactly, without a policy.
    init(latitude: Double, longitude: Double) {
        self.init(
            exactLatitude: latitude, exactLongitude: longitude, accuracyMetres: nil, precision: .point,
            privacy: .exact, policy: 0, locatedBy: 0)
    }
}
