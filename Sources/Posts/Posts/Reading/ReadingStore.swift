package import FoundationEssentials
package import Postgres

/// A post as operators and the demo see it.
package struct PostRecord: Sendable {
    package let id: Int64
    package let upload: Int64
    package let state: PostState
    package let uploader: String
    package let headline: String?
    package let caption: String?
    package let link: String?
    package let category: String?
    package let activity: String?
    package let venueID: String?
    package let venueName: String?
    package let credit: String?
    package let licence: String?
    package let time: PostTime?
    package let publishedAt: Date
    /// As published: see `privacy`.
    package let latitude: Double
    package let longitude: Double
    package let locationSource: String
    package let accuracyMetres: Double?
    package let precision: LocationPrecision
    package let privacy: PrivacyLevel
    /// Whether a person corrected the place.
    package let isPlaceCorrected: Bool
    package let place: PostPlace
    /// Nil, like the next two, for a text without a photo.
    package let width: Int?
    package let height: Int?
    package let format: String?
    package let stripped: [String]
    package let reportCount: Int
    package let renditions: [PostRendition]
    /// A ThumbHash; see https://evanw.github.io/thumbhash/.
    package let placeholder: [UInt8]?
    package let perceptualHash: UInt64?
    package let camera: PostCamera?
    package let timeZone: String?
}

/// What a post said until its uploader edited it.
package struct PostEdit: Sendable, Equatable {
    package let headline: String?
    package let caption: String?
    package let category: String?
    package let until: Date
}

/// Posts in any state, as operators read them.
package struct ReadingStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Posts in `states`, latest first.
    package func posts(in states: [PostState], limit: Int) async throws -> [PostRecord] {
        let rows = try await pool.query(
            """
            select p.*, p.state::text as state_name, to_json(p.taken_at_local) #>> '{}' as local
            from darkroom.posts p
            where p.state = any (\(states.map(\.rawValue))::darkroom.post_state[])
            order by p.published_at desc, p.post_id desc limit \(limit)
            """)
        return try await records(of: rows)
    }

    /// One post in any state, or nil.
    package func post(_ id: Int64) async throws -> PostRecord? {
        let rows = try await pool.query(
            """
            select p.*, p.state::text as state_name, to_json(p.taken_at_local) #>> '{}' as local
            from darkroom.posts p where p.post_id = \(id)
            """)
        return try await records(of: rows).first
    }

    /// What a post said before each edit, latest first.
    package func edits(of post: Int64) async throws -> [PostEdit] {
        try await pool.query(
            "select headline, caption, category, edited_at from darkroom.post_edits where post_id = \(post) order by edit_id desc"
        ).map { row in
            PostEdit(
                headline: try row.decode("headline", as: String?.self),
                caption: try row.decode("caption", as: String?.self),
                category: try row.decode("category", as: String?.self),
                until: try row.decode("edited_at", as: Date.self))
        }
    }

    private func records(of rows: PostgresRows) async throws -> [PostRecord] {
        let ids = try rows.map { try $0.decode("post_id", as: Int64.self) }
        let pictures = try await pool.query(
            """
            select post_id, name, media_key, encode(sha256, 'hex') as sha256, width, height, bytes, format
            from darkroom.renditions where post_id = any (\(ids)) order by post_id, width desc, name
            """)
        var byPost: [Int64: [PostRendition]] = [:]
        for row in pictures {
            byPost[try row.decode("post_id", as: Int64.self), default: []].append(
                PostRendition(
                    name: try row.decode("name", as: String.self),
                    mediaKey: try row.decode("media_key", as: String.self),
                    sha256: try row.decode("sha256", as: String.self),
                    width: try row.decode("width", as: Int.self),
                    height: try row.decode("height", as: Int.self),
                    byteCount: try row.decode("bytes", as: Int64.self),
                    format: try row.decode("format", as: String.self)))
        }
        return try zip(ids, rows).map { id, row in
            try PostRecord(id: id, row: row, renditions: byPost[id] ?? [])
        }
    }
}

extension PostRecord {
    /// What its uploader said about it, each with a name.
    package var said: [(name: String, text: String?)] {
        [
            ("headline", headline), ("caption", caption), ("link", link), ("category", category),
            ("activity", activity),
            ("venue", venueName), ("credit", credit), ("licence", licence),
        ]
    }

    init(id: Int64, row: PostgresRow, renditions: [PostRendition]) throws {
        let stateName = try row.decode("state_name", as: String.self)
        guard let state = PostState(rawValue: stateName) else { throw PostError(.unknownState(stateName)) }
        func text(_ column: String) throws -> String? { try row.decode(column, as: String?.self) }
        let time = try text("taken_at_source").flatMap(PostTime.Source.init).map { source in
            PostTime(
                instant: try row.decode("taken_at", as: Date?.self), local: try text("local"), source: source,
                offsetSource: try text("taken_at_offset_source").flatMap(PostTime.OffsetSource.init))
        }
        let (make, model) = (try text("camera_make"), try text("camera_model"))
        self.init(
            id: id, upload: try row.decode("upload_id", as: Int64.self), state: state,
            uploader: try row.decode("uploader", as: String.self), headline: try text("headline"),
            caption: try text("caption"), link: try text("link"), category: try text("category"),
            activity: try text("activity"), venueID: try text("venue_id"), venueName: try text("venue_name"),
            credit: try text("credit"), licence: try text("licence"), time: time,
            publishedAt: try row.decode("published_at", as: Date.self),
            latitude: try row.decode("latitude", as: Double.self),
            longitude: try row.decode("longitude", as: Double.self),
            locationSource: try row.decode("location_source", as: String.self),
            accuracyMetres: try row.decode("location_accuracy_m", as: Double?.self),
            precision: try row.decode("location_precision", as: LocationPrecision.self),
            privacy: try row.decode("location_privacy", as: PrivacyLevel.self),
            isPlaceCorrected: try row.decode("place_source", as: String.self) == "person",
            place: try PostPlace(row: row),
            width: try row.decode("width", as: Int?.self), height: try row.decode("height", as: Int?.self),
            format: try row.decode("format", as: String?.self),
            stripped: try row.decode("stripped", as: [String].self),
            reportCount: try row.decode("report_count", as: Int.self), renditions: renditions,
            placeholder: try row.decode("placeholder", as: [UInt8]?.self),
            perceptualHash: try row.decode("perceptual_hash", as: Int64?.self).map { UInt64(bitPattern: $0) },
            camera: make == nil && model == nil ? nil : PostCamera(make: make, model: model),
            timeZone: try text("time_zone"))
    }
}

extension PostPlace {
    /// Reads columns of `darkroom.posts`.
    init(row: PostgresRow) throws {
        func named(_ prefix: String) throws -> Named? {
            guard let code = try row.decode("\(prefix)_code", as: String?.self) else { return nil }
            return Named(
                code: code, name: try row.decode("\(prefix)_name", as: String?.self) ?? code,
                geonameid: try row.decode("\(prefix)_geonameid", as: Int64?.self))
        }
        self.init(country: try named("country"), division: try named("division"))
        if let geonameid = try row.decode("city_geonameid", as: Int64?.self) {
            city = City(geonameid: geonameid, name: try row.decode("city_name", as: String?.self) ?? "")
        }
        if let geonameid = try row.decode("place_geonameid", as: Int64?.self) {
            place = Populated(
                geonameid: geonameid, name: try row.decode("place_name", as: String?.self) ?? "",
                distanceMetres: try row.decode("place_distance_m", as: Double?.self) ?? 0)
        }
    }
}
