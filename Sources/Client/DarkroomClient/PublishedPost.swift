public import FoundationEssentials
import Postgres

/// A post as readers see it.
public struct PublishedPost: Sendable, Hashable, Codable {
    /// One of a post's pictures.
    public struct Picture: Sendable, Hashable, Codable {
        /// The rendition's name in the recipe, such as `large`.
        public let name: String
        /// Its path in the media store.
        public let mediaKey: String
        /// `jpeg`, `webp` or `avif`.
        public let format: String
        /// Pixels.
        public let width: Int
        public let height: Int
        public let bytes: Int64
    }

    public let id: Int64
    public let publishedAt: Date
    /// The uploader's opaque identifier; nil if the post is anonymous or the login does not act for people.
    public let uploader: String?
    /// The display name that the person chose; nil for an anonymous post.
    public let displayName: String?
    /// Stands for the uploader. In anonymous posts it is another one, which nobody can link to the person.
    public let authorHandle: String
    public let isAnonymous: Bool
    public let headline: String?
    public let caption: String?
    public let link: String?
    public let category: String?
    public let activity: String?
    /// The app's own number of where it was, such as a restaurant's in a map service, and its name.
    public let venueID: String?
    public let venueName: String?
    /// Who made the photo, and what others may do with it, as the uploader said.
    public let credit: String?
    public let licence: String?
    public let takenAt: Date?
    /// The local time at the place, such as `2026-11-21T09:30:00` or, with up to six decimals, `2026-11-21T09:30:00.25`. By the
    /// camera's clock if the place's time zone is unknown.
    public let takenAtLocal: String?
    /// An IANA name, such as `Europe/Berlin`.
    public let timeZone: String?
    /// Degrees, as precise as the location policy allows.
    public let latitude: Double
    public let longitude: Double
    /// How well the location is known: `point`, `area` (by more than 100 m), `place`, `city`, `division` or `country`. A
    /// post of a whole division or country lies in its middle, so show no pin for it.
    public let locationPrecision: String
    /// The radius of uncertainty, or that of the place, division or country, in metres; nil if unknown.
    public let locationAccuracyMetres: Double?
    /// Where the camera pointed, in degrees clockwise from north, and its altitude above the sea: of a photo at an exact position,
    /// if the installation keeps them.
    public let direction: Double?
    public let altitudeMetres: Double?
    /// The country's GeoNames number, ISO 3166-1 code and name.
    public let country: Int64?
    public let countryCode: String?
    public let countryName: String?
    /// The division's GeoNames number, GeoNames code and name.
    public let division: Int64?
    public let divisionCode: String?
    public let divisionName: String?
    /// The city's GeoNames number and name. It is the place itself if that is part of no larger city.
    public let city: Int64?
    public let cityName: String?
    /// The place's GeoNames number and name.
    public let place: Int64?
    public let placeName: String?
    /// The size of the upright original in pixels; nil for a text without a photo.
    public let width: Int?
    public let height: Int?
    /// A ThumbHash; see https://evanw.github.io/thumbhash/.
    public let placeholder: [UInt8]?
    /// Largest first.
    public let pictures: [Picture]
    /// As of the last tally, a second or two ago; up to date from `DarkroomClient.details`.
    public let likes: Int
    public let dislikes: Int
    public let comments: Int
    public let views: Int64
    /// The viewer's own vote. Nil if there is none, without a viewer, and for the role `darkroom_reader`.
    public let viewerVote: Vote?
    /// The distance from the reader's coordinate; nil in feeds without one.
    public let distanceMetres: Double?
    /// The value that the feed is ordered by; its unit depends on the feed.
    public let score: Double?
    let cursor: PageCursor?
}

extension PublishedPost {
    /// The columns of `darkroom.feed_post` that ``init(row:)`` reads, qualified with `row`.
    static func columns(_ row: String) -> String {
        let plain = [
            "post_id", "published_at", "uploader", "display_name", "author_handle", "anonymous", "headline",
            "caption", "link", "category",
            "activity", "venue_id", "venue_name", "credit", "licence", "taken_at", "time_zone", "latitude",
            "longitude", "location_precision",
            "location_accuracy_m", "direction", "altitude_m", "country_geonameid", "country_code",
            "country_name", "division_geonameid", "division_code", "division_name", "city_geonameid",
            "city_name", "place_geonameid",
            "place_name", "width", "height", "placeholder", "likes", "dislikes", "comments", "views",
            "my_vote", "distance_m", "score", "cursor",
        ].map { "\(row).\($0)" }
        return
            (plain + [
                "to_json(\(row).taken_at_local) #>> '{}' as taken_at_local",
                "\(row).pictures::text as pictures",
            ]).joined(separator: ", ")
    }

    init(row: PostgresRow) throws {
        let pictures = try row.decode("pictures", as: String.self)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self.init(
            id: try row.decode("post_id"), publishedAt: try row.decode("published_at"),
            uploader: try row.decode("uploader"), displayName: try row.decode("display_name"),
            authorHandle: try row.decode("author_handle"), isAnonymous: try row.decode("anonymous"),
            headline: try row.decode("headline"), caption: try row.decode("caption"),
            link: try row.decode("link"), category: try row.decode("category"),
            activity: try row.decode("activity"), venueID: try row.decode("venue_id"),
            venueName: try row.decode("venue_name"), credit: try row.decode("credit"),
            licence: try row.decode("licence"), takenAt: try row.decode("taken_at"),
            takenAtLocal: try row.decode("taken_at_local"), timeZone: try row.decode("time_zone"),
            latitude: try row.decode("latitude"), longitude: try row.decode("longitude"),
            locationPrecision: try row.decode("location_precision"),
            locationAccuracyMetres: try row.decode("location_accuracy_m"),
            direction: try row.decode("direction"), altitudeMetres: try row.decode("altitude_m"),
            country: try row.decode("country_geonameid"), countryCode: try row.decode("country_code"),
            countryName: try row.decode("country_name"), division: try row.decode("division_geonameid"),
            divisionCode: try row.decode("division_code"), divisionName: try row.decode("division_name"),
            city: try row.decode("city_geonameid"), cityName: try row.decode("city_name"),
            place: try row.decode("place_geonameid"), placeName: try row.decode("place_name"),
            width: try row.decode("width"), height: try row.decode("height"),
            placeholder: try row.decode("placeholder"),
            pictures: try decoder.decode([Picture].self, from: Data(pictures.utf8)),
            likes: try row.decode("likes"), dislikes: try row.decode("dislikes"),
            comments: try row.decode("comments"), views: try row.decode("views"),
            viewerVote: try row.decode("my_vote", as: String?.self).flatMap(Vote.init),
            distanceMetres: try row.decode("distance_m"), score: try row.decode("score"),
            cursor: try row.decode("cursor", as: String?.self).map(PageCursor.init))
    }
}
