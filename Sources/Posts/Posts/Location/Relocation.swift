/// Which posts a relocation is for: of those that may be seen and whose place nobody corrected, the ones that another
/// gazetteer located, or that were published under another policy.
package struct RelocationScope: Sendable {
    /// The bits of the gazetteer's identity.
    package let gazetteer: Int64
    /// Of posts that are in this country at present; ISO 3166-1 alpha-2.
    package let country: String?
    package let post: Int64?

    package init(gazetteer: Int64, country: String? = nil, post: Int64? = nil) {
        self.gazetteer = gazetteer
        self.country = country
        self.post = post
    }
}

/// How far a walk over the posts of a scope is. They lie in the index on both sides of those that need nothing.
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

/// What is known of a post's location, and the policy in force for it.
package struct KnownLocation: Sendable {
    package let post: Int64
    package let exactLatitude: Double
    package let exactLongitude: Double
    /// As published, likewise `longitude`, `privacy`, `place` and `timeZone`.
    package let latitude: Double
    package let longitude: Double
    package let privacy: PrivacyLevel
    package let place: PostPlace
    package let timeZone: String?
    package let policy: LocationPolicy
    let cursor: (locatedBy: Int64, policy: Int64)
}

/// A location as it is to be published.
package struct NewLocation: Sendable {
    package let post: Int64
    package let exactLatitude: Double
    package let exactLongitude: Double
    package let privacy: PrivacyLevel
    /// The version of the policy.
    package let policy: Int
    /// The bits of the gazetteer's identity.
    package let locatedBy: Int64
    /// As published.
    package let latitude: Double
    package let longitude: Double
    package let place: PostPlace
    package let timeZone: String?

    package init(
        post: Int64, exactLatitude: Double, exactLongitude: Double, privacy: PrivacyLevel, policy: Int,
        locatedBy: Int64, latitude: Double, longitude: Double, place: PostPlace, timeZone: String?
    ) {
        self.post = post
        self.exactLatitude = exactLatitude
        self.exactLongitude = exactLongitude
        self.privacy = privacy
        self.policy = policy
        self.locatedBy = locatedBy
        self.latitude = latitude
        self.longitude = longitude
        self.place = place
        self.timeZone = timeZone
    }
}
