import FoundationEssentials
import PlainText
package import Postgres

/// Writes new posts.
package struct PublishingStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Writes the post, its renditions and the event in the caller's transaction.
    ///
    /// A post that the screening holds enters the review list instead. Its event is `held`, and `published` follows
    /// when it is approved. The renditions' files are protected from deletion until the transaction ends. A file may
    /// already be gone; the caller must check that before it commits.
    ///
    /// A clock reading without an offset becomes an instant by the zone of the place. So does one whose GPS time stamp
    /// shows the same time where clocks do not show UTC: it is a copy of the clock. The stored local time is what clocks
    /// at the place showed, or without a known zone the camera's.
    ///
    /// - Returns: the number of the post.
    /// - Throws: ``PostgresError`` with `uniqueViolation` of `one_post_an_upload` if the upload is already published.
    package static func publish(
        _ post: NewPost, screening: Screening = .clear, in transaction: PostgresConnection
    ) async throws -> Int64 {
        let location = post.location ?? PostLocation(latitude: post.latitude, longitude: post.longitude)
        try await MediaReferenceStore.protect(post.renditions.map(\.mediaKey), in: transaction)
        let rows = try await transaction.query(
            """
            with post as (insert into darkroom.posts (
                state, upload_id, uploader, headline, caption, link, category, activity, venue_id, venue_name, credit, licence,
                taken_at, taken_at_local, taken_at_source, time_zone, taken_at_offset_source, latitude, longitude, location_source,
                country_geonameid, country_code, country_name, division_geonameid, division_code, division_name,
                city_geonameid, city_name, place_geonameid, place_name, place_distance_m, typed_geonameid, width, height, format, stripped, exif_fields,
                placeholder, perceptual_hash, pdq, pdq_quality, camera_make, camera_model, direction, altitude_m,
                location_accuracy_m, location_precision, location_privacy, location_policy, minimum_population, located_by,
                rendered_with, anonymous, pictures)
            select \(screening.state.rawValue)::darkroom.post_state, upload_id, uploader, headline, caption, link,
                   darkroom.clean_word(category), darkroom.clean_word(activity), venue_id, venue_name, credit, licence,
                   case when infers then inferred else instant end,
                   case when infers then clock else coalesce(darkroom.clock_at(instant, zone), clock) end,
                   \(post.time?.source.rawValue), zone,
                   case when infers then case when inferred is not null then 'place' end else offset_source end,
                   \(post.latitude), \(post.longitude), \(post.locationSource.rawValue),
                   \(post.place.country?.geonameid)::bigint, \(post.place.country?.code), \(post.place.country?.name),
                   \(post.place.division?.geonameid)::bigint, \(post.place.division?.code), \(post.place.division?.name),
                   \(post.place.city?.geonameid)::bigint, \(post.place.city?.name),
                   \(post.place.place?.geonameid)::bigint, \(post.place.place?.name),
                   \(post.place.place?.distanceMetres)::float8, \(post.typedPlace)::bigint,
                   \(post.width)::integer, \(post.height)::integer, \(post.format), \(post.stripped)::text[], \(post.exifFields)::integer,
                   decode(\(post.placeholder?.hexadecimal), 'hex'),
                   \(post.perceptualHash.map { Int64(bitPattern: $0) })::bigint,
                   ('x' || \(post.pdq?.hexadecimal)::text)::bit(256), \(post.pdq?.quality)::smallint,
                   \(post.camera?.make), \(post.camera?.model), \(post.direction)::float8, \(post.altitudeMetres)::float8,
                   \(location.accuracyMetres)::float8, \(location.precision.rawValue),
                   \(location.privacy.rawValue)::darkroom.location_privacy, \(location.policy),
                   \(location.minimumPopulation), \(location.locatedBy),
                   \(post.renderedWith.map { Int64(bitPattern: $0) })::bigint, anonymous,
                   (select coalesce(jsonb_agg(to_jsonb(r) order by r.width desc, r.name), '[]')
                    from unnest(\(post.renditions.map(\.name))::text[], \(post.renditions.map(\.mediaKey))::text[],
                                \(post.renditions.map(\.format))::text[],
                                \(post.renditions.map { Int64($0.width) })::bigint[],
                                \(post.renditions.map { Int64($0.height) })::bigint[],
                                \(post.renditions.map(\.byteCount))::bigint[])
                         as r (name, media_key, format, width, height, bytes))
            from darkroom.uploads,
                 (select \(post.time?.instant)::timestamptz, \(post.time?.local)::timestamp, \(post.timeZone)::text,
                         \(post.time?.offsetSource?.rawValue)::text) as t (instant, clock, zone, offset_source),
                 lateral (select darkroom.instant_at(clock, zone),
                                 instant is null
                                 or offset_source = 'gps_time_stamp' and instant = clock at time zone 'UTC'
                                    and instant is distinct from darkroom.instant_at(clock, zone)) as i (inferred, infers)
            where upload_id = \(post.upload)
            returning post_id)
            insert into darkroom.post_exact_locations (post_id, latitude, longitude)
            select post_id, \(location.exactLatitude), \(location.exactLongitude) from post
            returning post_id
            """)
        guard let row = rows.first else { throw PostError(.noUpload(post.upload)) }
        let id = try row.decode("post_id", as: Int64.self)
        try await insert(post.renditions, of: id, in: transaction)
        switch screening {
        case .clear: try await EventStore.record(.published, of: id, in: transaction)
        case .refused: preconditionFailure("a refused photo becomes no post")
        case .held(let reason):
            try await sendToReview(id, because: reason, in: transaction)
            try await EventStore.record(.held, of: id, in: transaction)
        }
        return id
    }

    /// Writes renditions and replaces those of the same names. A trigger copies them to the post's row.
    static func insert(
        _ renditions: [PostRendition], of id: Int64, in transaction: PostgresConnection
    ) async throws {
        try await transaction.query(
            """
            insert into darkroom.renditions (post_id, name, media_key, sha256, width, height, bytes, format)
            select \(id)::bigint, name, media_key, decode(sha256, 'hex'), width, height, bytes, format
            from unnest(\(renditions.map(\.name))::text[], \(renditions.map(\.mediaKey))::text[],
                        \(renditions.map(\.sha256))::text[], \(renditions.map { Int64($0.width) })::bigint[],
                        \(renditions.map { Int64($0.height) })::bigint[],
                        \(renditions.map(\.byteCount))::bigint[], \(renditions.map(\.format))::text[])
                 as r (name, media_key, sha256, width, height, bytes, format)
            on conflict (post_id, name) do update
            set media_key = excluded.media_key, sha256 = excluded.sha256, width = excluded.width,
                height = excluded.height, bytes = excluded.bytes, format = excluded.format
            """)
    }
}
