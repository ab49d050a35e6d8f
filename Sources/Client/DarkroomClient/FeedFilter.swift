public import FoundationEssentials
import Postgres

/// Which posts a feed, a board or a map shows; an empty filter keeps every post.
///
/// Times are from an earliest one, which is included, until one that is not. A photo whose time is unknown passes no filter
/// by when it was taken.
public struct FeedFilter: Sendable, Hashable {
    public var category: String?
    public var activity: String?
    public var place: FeedPlace?
    public var uploader: String?
    public var publishedSince: Date?
    public var publishedUntil: Date?
    public var takenSince: Date?
    public var takenUntil: Date?
    /// The first hour of the day, 0 to 24, of the local time at which photos were taken.
    public var fromHour: Int?
    /// The end of these hours, 0 to 24. From 22 to 6 is the night, from 22:00 to 5:59.
    public var toHour: Int?
    public var season: Season?

    /// The meteorological season, of three whole months, in the hemisphere of each post.
    public enum Season: String, Sendable, Hashable, CaseIterable {
        case spring, summer, autumn, winter
    }

    public init(
        category: String? = nil, activity: String? = nil, place: FeedPlace? = nil, uploader: String? = nil,
        publishedSince: Date? = nil, publishedUntil: Date? = nil, takenSince: Date? = nil,
        takenUntil: Date? = nil, fromHour: Int? = nil, toHour: Int? = nil, season: Season? = nil
    ) {
        self.category = category
        self.activity = activity
        self.place = place
        self.uploader = uploader
        self.publishedSince = publishedSince
        self.publishedUntil = publishedUntil
        self.takenSince = takenSince
        self.takenUntil = takenUntil
        self.fromHour = fromHour
        self.toHour = toHour
        self.season = season
    }

    /// The arguments that every list takes.
    var arguments: PostgresQuery {
        """
        in_category => \(category), in_activity => \(activity), in_place => \(place?.key ?? "null"), by_uploader => \(uploader),
        published_since => \(publishedSince), published_until => \(publishedUntil),
        taken_since => \(takenSince), taken_until => \(takenUntil),
        from_hour => \(fromHour.map { Int32(clamping: $0) }), to_hour => \(toHour.map { Int32(clamping: $0) }),
        in_season => \(season?.rawValue)
        """
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

    var key: PostgresQuery { "(\(level), \(geonameid))" }
}
