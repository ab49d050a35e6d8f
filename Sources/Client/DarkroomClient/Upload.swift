public import FoundationEssentials

/// A photo in the media store, ready to be queued.
public struct StoredPhoto: Sendable, Hashable, Codable {
    /// Its path in the media store.
    public let key: String
    /// 64 lower-case hexadecimal digits.
    public let sha256: String
    public let byteCount: Int64

    public init(key: String, sha256: String, byteCount: Int64) {
        self.key = key
        self.sha256 = sha256
        self.byteCount = byteCount
    }
}

/// How precisely a post's location is published, from the most to the least precise.
public enum LocationPrivacy: String, Sendable, Hashable, CaseIterable {
    case exact
    /// The centre of a cell of about 10 m by 10 m.
    case grid10m = "grid_10m"
    case grid100m = "grid_100m"
    case grid1km = "grid_1km"
    /// Only the named place.
    case place
}

/// What an uploader says about a photo, or a text without one; everything except the uploader is optional.
public struct UploadDetails: Sendable, Hashable {
    /// An opaque identifier of the uploader, 1 to 200 characters.
    public var uploader: String
    /// At most 200 characters.
    public var headline: String?
    /// At most 5,000 characters.
    public var caption: String?
    /// An http or https URL with a host, at most 2,000 characters.
    public var link: String?
    /// At most 100 characters; leading and trailing spaces are removed.
    public var category: String?
    /// At most 100 characters; leading and trailing spaces are removed.
    public var activity: String?
    /// Where it was, such as a restaurant: at most 200 characters.
    public var venueName: String?
    /// The app's own number of the venue, at most 100 characters: finds its posts. Needs a name.
    public var venueID: String?
    /// Who made the photo: at most 200 characters.
    public var credit: String?
    /// What others may do with the photo, such as `CC-BY-4.0`: at most 200 characters.
    public var licence: String?
    /// Degrees north, −90 to 90, and degrees east, −180 to 180. They take precedence over the photo's own.
    public var coordinates: (latitude: Double, longitude: Double)? {
        get { latitude.flatMap { latitude in longitude.map { (latitude, $0) } } }
        set {
            latitude = newValue?.latitude
            longitude = newValue?.longitude
        }
    }
    /// The accuracy radius that the device reports, in metres; above 0, at most 1,000,000. Belongs to
    /// `coordinates`.
    public var accuracyMetres: Double?
    /// Asks for at least this much privacy. The installation's policy may require more, and this never weakens it.
    public var locationPrivacy: LocationPrivacy?
    /// A place as a person types it, such as "Seattle, WA"; used if there are no coordinates.
    public var place: String?
    /// Where the uploader is, in degrees north and east: decides between several places that `place` may mean, and
    /// never overrides it.
    public var placeNear: (latitude: Double, longitude: Double)? {
        get { placeNearLatitude.flatMap { latitude in placeNearLongitude.map { (latitude, $0) } } }
        set {
            placeNearLatitude = newValue?.latitude
            placeNearLongitude = newValue?.longitude
        }
    }
    /// The uploader's country, two capital letters of ISO 3166-1 such as "US": decides so too.
    public var placeCountry: String?
    /// Whether readers learn neither the uploader nor their name.
    public var isAnonymous = false
    /// Whether it is only saved, until ``DarkroomClient/publish(draft:_:)``.
    public var isDraft = false
    /// A post of the uploader that is deleted in the moment in which readers see the new one. It stays if the new one is
    /// rejected.
    public var replaces: Int64?
    /// Takes precedence over the photo's own time; from 1800 to the end of 2199, UTC.
    public var takenAt: Date?
    /// −100 to 100; lower runs first.
    public var priority = 0
    /// The earliest time to run; nil means at once.
    public var runAt: Date?
    /// The same uploader and key return the same job again.
    public var idempotencyKey: String?

    var latitude: Double?
    var longitude: Double?
    var placeNearLatitude: Double?
    var placeNearLongitude: Double?

    public init(uploader: String) {
        self.uploader = uploader
    }
}

/// The status of an upload.
public struct UploadStatus: Sendable, Hashable {
    /// The state of a post.
    public enum PostState: String, Sendable, Hashable, Codable {
        /// Readers see it.
        case published
        /// Waits for its first review.
        case held
        /// Readers no longer see it until it was reviewed.
        case hidden
        case removed, expired
    }

    public enum State: String, Sendable {
        case draft, waiting, scheduled, parked, running, succeeded, rejected, failed, cancelled
    }

    public let job: Int64
    public let state: State
    /// Set once rejected, failed or cancelled: a code for programs.
    public let reason: String?
    /// Set once rejected, failed or cancelled: a sentence to show to the uploader.
    public let message: String?
    public let attempts: Int
    public let enqueuedAt: Date
    public let finishedAt: Date?
    /// Set once succeeded.
    public let post: Int64?
    /// The state of the post now; nil if there is none.
    public let postState: PostState?
}
