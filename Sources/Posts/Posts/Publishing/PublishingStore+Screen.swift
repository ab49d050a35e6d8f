import JobStore
import Postgres

extension PublishingStore {
    /// Whether a photo may be published, judging by the record of its uploader and its similarity to removed and to listed photos.
    ///
    /// This also records the uploader as known since the time of the upload.
    ///
    /// - Parameters:
    ///   - perceptualHash: nil for a photo that has none, which then resembles no other.
    ///   - pdq: the hash that is looked up in the lists; nil for a photo that has none.
    package func screen(
        upload: Int64, perceptualHash: UInt64?, pdq: KnownHash? = nil
    ) async throws -> Screening {
        try await pool.withConnection { connection in
            let rows = try await connection.query(
                """
                select s.cause, s.removals, s.similar_to, s.similar_distance,
                       listed.list_id, listed.name, listed.action, listed.differing
                from (select uploader, darkroom.note_person_seen(uploader, created_at) as met
                      from darkroom.uploads where upload_id = \(upload) offset 0) known
                cross join lateral darkroom.suspicion_of(
                    known.uploader, \(perceptualHash.map { Int64(bitPattern: $0) })::bigint) s
                left join lateral (
                    select * from darkroom.listed_hash(
                        ('x' || \(pdq?.hexadecimal)::text)::bit(256), \(pdq?.quality)::integer) limit 1) listed on true
                """)
            guard let row = rows.first else { throw PostError(.noUpload(upload)) }
            // The person may be known since a report that came after the upload.
            try await connection.query(
                """
                with later as (
                    select p.person, u.created_at from darkroom.uploads u join darkroom.people p on p.person = u.uploader
                    where u.upload_id = \(upload) and u.created_at < p.first_seen_at for no key update of p skip locked)
                update darkroom.people p set first_seen_at = l.created_at from later l where p.person = l.person
                """)
            if let list = try row.decode("list_id", as: Int64?.self) {
                let match = ListMatch(
                    list: list, name: try row.decode("name", as: String.self),
                    distance: try row.decode("differing", as: Int.self))
                return try row.decode("action", as: String.self) == "refuse"
                    ? .refused(match) : .held(.listed(match))
            }
            if let similar = try row.decode("similar_to", as: Int64?.self) {
                let distance = try row.decode("similar_distance", as: Int.self)
                return .held(.lookAlike(LookAlike(post: similar, distance: distance)))
            }
            if let removals = try row.decode("removals", as: Int?.self) {
                return .held(.uploaderRecord(removals: removals))
            }
            return try row.decode("cause", as: String?.self) == nil ? .clear : .held(.everyUpload)
        }
    }

    /// Puts a new post into the review list instead of publishing it.
    static func sendToReview(
        _ post: Int64, because reason: Screening.Suspicion, in transaction: PostgresConnection
    ) async throws {
        var similar: LookAlike?
        var listed: ListMatch?
        var removals: Int?
        switch reason {
        case .lookAlike(let match): similar = match
        case .listed(let match): listed = match
        case .uploaderRecord(let number): removals = number
        case .everyUpload: break
        }
        try await transaction.query(
            """
            select darkroom.add_decision(
                       \(post), 'hold', \(reason.cause), 'held', similar_to => \(similar?.post)::bigint,
                       similar_distance => \(similar?.distance)::integer, uploader_removals => \(removals)::integer,
                       hash_list => \(listed?.list)::bigint, hash_list_name => \(listed?.name),
                       hash_distance => \(listed?.distance)::integer),
                   darkroom.list_for_review(\(post), \(reason.cause))
            """)
    }
}

extension Screening {
    /// The state in which the post begins.
    var state: PostState { self == .clear ? .published : .held }
}
