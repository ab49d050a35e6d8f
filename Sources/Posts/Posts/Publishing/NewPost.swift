package import FoundationEssentials

/// Where a post's location came from. Raw values are those of `darkroom.posts.location_source`.
package enum LocationSource: String, Sendable {
    /// Coordinates given when the photo was enqueued.
    case device
    case exif, xmp
    /// A place that the uploader typed.
    case text
    /// Coordinates from a person who corrected the post.
    case person
}

/// The place that a post shows. Parts that the gazetteer does not know are nil.
package struct PostPlace: Sendable, Equatable {
    package struct Named: Sendable, Equatable {
        package let code: String
        package let name: String
        /// Nil if the gazetteer's sources give none.
        package let geonameid: Int64?
        package init(code: String, name: String, geonameid: Int64? = nil) {
            self.code = code
            self.name = name
            self.geonameid = geonameid
        }
    }

    package struct City: Sendable, Equatable {
        package let geonameid: Int64
        package let name: String
        package init(geonameid: Int64, name: String) {
            self.geonameid = geonameid
            self.name = name
        }
    }

    package struct Populated: Sendable, Equatable {
        package let geonameid: Int64
        package let name: String
        package let distanceMetres: Double
        package init(geonameid: Int64, name: String, distanceMetres: Double) {
            self.geonameid = geonameid
            self.name = name
            self.distanceMetres = distanceMetres
        }
    }

    package var country: Named?
    package var division: Named?
    /// The city that the place is part of; the place itself if it is part of none.
    package var city: City?
    package var place: Populated?

    package init(
        country: Named? = nil, division: Named? = nil, city: City? = nil, place: Populated? = nil
    ) {
        self.country = country
        self.division = division
        self.city = city
        self.place = place
    }

    /// Whether this is the place with a GeoNames number; or the division or country, if it says nothing more.
    package func isOf(_ number: Int64) -> Bool {
        (place?.geonameid ?? division?.geonameid ?? country?.geonameid) == number
    }

    /// "Kreuzberg, Berlin, State of Berlin, Germany", or a dash if nothing is known.
    package var text: String {
        let town = city?.geonameid == place?.geonameid ? nil : city?.name
        let parts = [place?.name, town, division?.name, country?.name].compactMap { $0 }
        return parts.isEmpty ? "-" : parts.joined(separator: ", ")
    }
}

/// When a photo was taken: an instant, the camera's own clock reading, or both.
package struct PostTime: Sendable, Equatable {
    package enum Source: String, Sendable { case uploader, exif }

    /// How a clock reading became an instant.
    package enum OffsetSource: String, Sendable {
        case offsetTag = "offset_tag"
        case gpsTimeStamp = "gps_time_stamp"
        /// Inferred from the time zone of the place.
        case place
    }

    package var instant: Date?
    /// `YYYY-MM-DDTHH:MM:SS` without an offset, with up to six decimals. Of a new post, it is what the camera's clock showed;
    /// of a published one, what clocks at the place showed if their zone is known.
    package var local: String?
    package var source: Source
    package var offsetSource: OffsetSource?

    package init(instant: Date?, local: String?, source: Source, offsetSource: OffsetSource? = nil) {
        self.instant = instant
        self.local = local
        self.source = source
        self.offsetSource = offsetSource
    }
}

/// One picture of a post, already in the media store.
package struct PostRendition: Sendable, Equatable {
    package let name: String
    package let mediaKey: String
    /// 64 hexadecimal digits.
    package let sha256: String
    package let width: Int
    package let height: Int
    package let byteCount: Int64
    /// "jpeg", "webp" or "avif".
    package let format: String

    package init(
        name: String, mediaKey: String, sha256: String, width: Int, height: Int, byteCount: Int64,
        format: String
    ) {
        self.name = name
        self.mediaKey = mediaKey
        self.sha256 = sha256
        self.width = width
        self.height = height
        self.byteCount = byteCount
        self.format = format
    }
}

/// The camera that took a photo, according to its EXIF.
package struct PostCamera: Sendable, Equatable {
    package let make: String?
    package let model: String?

    package init(make: String?, model: String?) {
        self.make = make
        self.model = model
    }
}

/// A post that is ready for publication.
///
/// The uploader's headline, caption, link, category and activity are read from the upload's row.
package struct NewPost: Sendable {
    package var upload: Int64
    /// As published, which may be less exact than it is known: see `location`.
    package var latitude: Double
    package var longitude: Double
    package var locationSource: LocationSource
    package var place: PostPlace
    package var time: PostTime?
    /// Of the upright original, in pixels. Nil, like its height and format, for a text without a photo.
    package var width: Int?
    package var height: Int?
    package var format: String?
    /// The kinds of metadata in the original.
    package var stripped: [String]
    /// How many fields the original's EXIF block has; nil for a text.
    package var exifFields: Int?
    package var renditions: [PostRendition]
    /// A ThumbHash; see https://evanw.github.io/thumbhash/.
    package var placeholder: [UInt8]?
    package var perceptualHash: UInt64?
    package var pdq: KnownHash?
    package var camera: PostCamera?
    /// Where the camera pointed, 0 to 360 degrees clockwise from north as its EXIF has it.
    package var direction: Double?
    /// Above the sea.
    package var altitudeMetres: Double?
    /// Nil if the coordinates are exact and published without a policy.
    package var location: PostLocation?
    /// The GeoNames number of the place, division or country that the uploader typed; nil if the place was named from coordinates.
    package var typedPlace: Int64?
    /// IANA name of the place's time zone, used to compute the instant of a clock reading without an offset.
    package var timeZone: String?
    /// The checksum of the recipe of its renditions.
    package var renderedWith: UInt64?

    package init(
        upload: Int64, latitude: Double, longitude: Double, locationSource: LocationSource,
        place: PostPlace, time: PostTime?, width: Int?, height: Int?, format: String?, stripped: [String],
        renditions: [PostRendition]
    ) {
        self.upload = upload
        self.latitude = latitude
        self.longitude = longitude
        self.locationSource = locationSource
        self.place = place
        self.time = time
        self.width = width
        self.height = height
        self.format = format
        self.stripped = stripped
        self.renditions = renditions
    }
}
