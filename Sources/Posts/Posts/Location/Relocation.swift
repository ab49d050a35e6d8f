/// The posts to relocate: those that another gazetteer located or that were published under another policy. Removed
/// posts are among them, as they can be restored. Expired posts, posts that are being erased and posts whose place a
/// person corrected are left out.
package struct RelocationScope: Sendable {
    /// The bits of the gazetteer's identity.
    package let gazetteer: Int64
    /// Only posts that are in this country now; ISO 3166-1 alpha-2.
    package let country: String?
    package let post: Int64?

    package init(gazetteer: Int64, country: String? = nil, post: Int64? = nil) {
        self.gazetteer = gazetteer
        self.country = country
        self.post = post
    }
}

/// The position of a walk over the posts of a scope. In the index, they lie on both sides of the up-to-date posts.
package struct RelocationCursor: Sendable {
    enum Side: String {
        case before = "<"
        case after = ">"
    }

    var side: Side
    var locatedBy = Int64.min
    var policy = Int64(Int32.min)
    var post = Int64.min

    package static let start = RelocationCursor(side: .before)

    /// The start of the other side, or nil after both.
    package var nextSide: RelocationCursor? { side == .before ? RelocationCursor(side: .after) : nil }
}

/// What is known about a post's location, and the policy in force for it.
package struct KnownLocation: Sendable {
    package let post: Int64
    package let exactLatitude: Double
    package let exactLongitude: Double
    /// As published, like `longitude`, `privacy`, `place` and `timeZone`.
    package let latitude: Double
    package let longitude: Double
    package let privacy: PrivacyLevel
    package let precision: LocationPrecision
    package let place: PostPlace
    package let timeZone: String?
    /// Whether the location is that of a place that the uploader typed.
    package let isTyped: Bool
    /// The GeoNames number of the place, division or country that was typed, by the uploader or in a correction.
    package let typedPlace: Int64?
    package let policy: LocationPolicy
    let cursor: (locatedBy: Int64, policy: Int64)
}

/// A location to publish.
package struct NewLocation: Sendable {
    package let post: Int64
    package let exactLatitude: Double
    package let exactLongitude: Double
    package let privacy: PrivacyLevel
    /// The version of the policy.
    package let policy: Int
    /// How many inhabitants the named place must have; never fewer than before.
    package let minimumPopulation: Int
    /// The bits of the gazetteer's identity.
    package let locatedBy: Int64
    /// As published.
    package let latitude: Double
    package let longitude: Double
    package let place: PostPlace
    package let timeZone: String?

    package init(
        post: Int64, exactLatitude: Double, exactLongitude: Double, privacy: PrivacyLevel, policy: Int,
        minimumPopulation: Int = 0, locatedBy: Int64, latitude: Double, longitude: Double, place: PostPlace,
        timeZone: String?
    ) {
        self.post = post
        self.exactLatitude = exactLatitude
        self.exactLongitude = exactLongitude
        self.privacy = privacy
        self.policy = policy
        self.minimumPopulation = minimumPopulation
        self.locatedBy = locatedBy
        self.latitude = latitude
        self.longitude = longitude
        self.place = place
        self.timeZone = timeZone
    }
}
