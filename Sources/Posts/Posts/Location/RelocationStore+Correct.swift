package import Postgres

extension RelocationStore {
    /// What a person said about a post's place.
    package enum Said: Sendable {
        /// A name, the GeoNames number of the place that has it, and how precise the place is, with its radius in metres.
        case place(String, geonameid: Int64, precision: LocationPrecision, radiusMetres: Double?)
        case coordinates(latitude: Double, longitude: Double)
    }

    /// Publishes a location that a person gave, and records who, when and why. Runs in the caller's transaction, which
    /// must have locked the post.
    package static func correct(
        _ new: NewLocation, from old: PostPlace, said: Said, by author: String, note: String?,
        in transaction: PostgresConnection
    ) async throws {
        try await relocate([new], as: .corrected, in: transaction)
        let (text, typed, latitude, longitude): (String?, Int64?, Double?, Double?) =
            switch said {
            case .place(let text, let geonameid, _, _): (text, geonameid, nil, nil)
            case .coordinates(let latitude, let longitude): (nil, nil, latitude, longitude)
            }
        let source: PostgresQuery =
            switch said {
            // Coordinates replace those of the device or camera and have no error radius.
            case .coordinates:
                "location_source = 'person', location_precision = 'point', location_accuracy_m = null"
            // A place replaces another typed one, with its radius. The coordinates of others stay.
            case .place(_, _, let precision, let radius):
                """
                location_precision = case when \(isTyped) then \(precision.rawValue) else p.location_precision end,
                location_accuracy_m = case when \(isTyped) then \(radius)::float8 else p.location_accuracy_m end
                """
            }
        try await transaction.query(
            """
            update darkroom.posts p set place_source = 'person', typed_geonameid = \(typed)::bigint, \(source)
            where p.post_id = \(new.post)
            """)
        try await transaction.query(
            """
            insert into darkroom.place_corrections (
                post_id, corrected_by, note, place_text, latitude, longitude,
                old_country_code, old_division_code, old_city_geonameid, old_city_name, old_place_geonameid, old_place_name,
                new_country_code, new_division_code, new_city_geonameid, new_city_name, new_place_geonameid, new_place_name)
            values (\(new.post), \(author), \(note), \(text), \(latitude), \(longitude),
                    \(old.country?.code), \(old.division?.code), \(old.city?.geonameid), \(old.city?.name),
                    \(old.place?.geonameid), \(old.place?.name),
                    \(new.place.country?.code), \(new.place.division?.code), \(new.place.city?.geonameid),
                    \(new.place.city?.name), \(new.place.place?.geonameid), \(new.place.place?.name))
            """)
    }
}
