package import FoundationEssentials
import JobQueue
import Postgres
package import Posts

/// What the uploader sent: the photo's key in the media store, if there is a photo, and the information about it.
package struct Upload: Sendable {
    /// The stored photo, as the upload API described it.
    package struct Original: Sendable {
        package let key: String
        /// 64 hexadecimal digits.
        package let sha256: String
        package let byteCount: Int64
    }

    package let id: Int64
    package let uploader: String
    /// Nil for a text without a photo.
    package let original: Original?
    package let latitude: Double?
    package let longitude: Double?
    /// Error radius of the coordinates in metres.
    package let accuracyMetres: Double?
    package let placeText: String?
    /// Where the uploader is, which decides between places of one name.
    package let placeNearLatitude: Double?
    package let placeNearLongitude: Double?
    /// The uploader's country, ISO 3166-1 alpha-2, which does so too.
    package let placeCountry: String?
    package let takenAt: Date?
    package let isAnonymous: Bool
    /// The level that the uploader asked for.
    package let locationPrivacy: PrivacyLevel?
    /// The policy for its category and activity when it was loaded.
    package let locationPolicy: LocationPolicy
    /// The first objection of the posting policy at that time.
    package let objection: PostingObjection?
    /// The largest radius of uncertainty of a position that the policy takes, in metres; nil for any.
    package let mostAccuracyMetres: Double?

    /// - Throws: ``AttemptError``: rejected with `upload_erased`, `original_erased` or `taken_at_out_of_range`.
    static func load(_ id: Int64, from pool: PostgresPool) async throws -> Upload {
        let rows = try await pool.query(
            """
            select u.uploader, original_key, encode(original_sha256, 'hex') as sha256, original_bytes,
                   latitude, longitude, accuracy_m, place_text, place_near_latitude, place_near_longitude,
                   place_country, u.location_privacy::text as asked, anonymous,
                   case when darkroom.is_photo_time(taken_at) then taken_at end as taken_at,
                   not coalesce(darkroom.is_photo_time(taken_at), true) as has_bad_time,
                   original_erased_at is not null as is_erased,
                   p.version as policy, p.privacy::text as privacy, p.minimum_population,
                   o.reason, o.message, r.accuracy_at_most_m
            from darkroom.uploads u
            cross join lateral darkroom.location_policy_for(u.category, u.activity) p
            cross join lateral darkroom.posting_policy_for(u.category) r
            left join lateral (
                select * from darkroom.posting_objections(u.headline, u.caption, u.category, u.link, u.accuracy_m) limit 1
            ) o on true
            where upload_id = \(id)
            """)
        guard let row = rows.first else {
            // A job and its upload are enqueued together, so the upload did exist.
            throw AttemptError.rejected(.uploadErased, "This upload was erased.")
        }
        guard try !row.decode("is_erased", as: Bool.self) else {
            throw AttemptError.rejected(
                .originalErased, "This photo is no longer stored. Please upload it again.")
        }
        // The table now refuses such times; an infinite one does not fit into a `Date`.
        guard try !row.decode("has_bad_time", as: Bool.self) else {
            throw AttemptError.rejected(
                .takenAtOutOfRange,
                "The time of the photo must be from 1800 to 2199. Please correct it or leave it out.")
        }
        return Upload(
            id: id, uploader: try row.decode("uploader", as: String.self),
            original: try row.decode("original_key", as: String?.self).map {
                Original(
                    key: $0, sha256: try row.decode("sha256", as: String.self),
                    byteCount: try row.decode("original_bytes", as: Int64.self))
            },
            latitude: try row.decode("latitude", as: Double?.self),
            longitude: try row.decode("longitude", as: Double?.self),
            accuracyMetres: try row.decode("accuracy_m", as: Double?.self),
            placeText: try row.decode("place_text", as: String?.self),
            placeNearLatitude: try row.decode("place_near_latitude", as: Double?.self),
            placeNearLongitude: try row.decode("place_near_longitude", as: Double?.self),
            placeCountry: try row.decode("place_country", as: String?.self),
            takenAt: try row.decode("taken_at", as: Date?.self),
            isAnonymous: try row.decode("anonymous", as: Bool.self),
            locationPrivacy: try row.decode("asked", as: PrivacyLevel?.self),
            locationPolicy: try LocationPolicy(row: row),
            objection: try row.decode("reason", as: String?.self).map {
                PostingObjection(code: $0, message: try row.decode("message", as: String.self))
            }, mostAccuracyMetres: try row.decode("accuracy_at_most_m", as: Double?.self))
    }
}
