package import FoundationEssentials
import PlainText
package import Postgres

/// Which posts to render again.
package struct RerenderScope: Sendable, Equatable {
    /// The checksum of the recipe in force; see `Recipe.checksum`.
    package let checksum: Int64
    /// Only posts published since then.
    package let since: Date?
    package let post: Int64?
    /// Whether to include posts that this recipe has already rendered.
    package let again: Bool

    package init(checksum: UInt64, since: Date? = nil, post: Int64? = nil, again: Bool = false) {
        self.checksum = Int64(bitPattern: checksum)
        self.since = since
        self.post = post
        self.again = again
    }
}

/// How many posts of a scope must be rendered.
package struct RerenderCount: Sendable, Equatable {
    package let posts: Int
    /// Posts whose original is no longer stored. They stay as they are.
    package let gone: Int
}

/// A post whose pictures will be rendered again.
package struct RerenderSubject: Sendable, Equatable {
    package let upload: Int64
    package let state: PostState
    package let renderedWith: Int64?
}

/// Posts whose pictures must be rendered again with another recipe.
package struct RerenderingStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// - Parameter last: the last post to count, from ``enqueue(_:after:atMost:)``; nil for all.
    package func count(
        _ scope: RerenderScope, upTo last: Int64? = nil
    ) async throws -> RerenderCount {
        let rows = try await pool.query(
            """
            select count(*) filter (where u.original_erased_at is null) as posts,
                   count(*) filter (where u.original_erased_at is not null) as gone
            from darkroom.posts p join darkroom.uploads u using (upload_id)
            where p.state in ('published', 'held', 'hidden') and p.format is not null
              and (\(scope.again) or p.rendered_with is distinct from \(scope.checksum))
              and (\(scope.since)::timestamptz is null or p.published_at >= \(scope.since)::timestamptz)
              and (\(scope.post)::bigint is null or p.post_id = \(scope.post)::bigint)
              and (\(last)::bigint is null or p.post_id <= \(last)::bigint)
            """)
        return RerenderCount(
            posts: try rows[0].decode("posts", as: Int.self), gone: try rows[0].decode("gone", as: Int.self))
    }

    /// Queues jobs for the next posts of a scope, at most `limit`.
    ///
    /// - Returns: how many jobs were queued, and the last post that was examined; nil at the end.
    package func enqueue(
        _ scope: RerenderScope, after post: Int64, atMost limit: Int
    ) async throws -> (queued: Int, last: Int64)? {
        let rows = try await pool.query(
            """
            select last_post, queued
            from darkroom.enqueue_rerenders(\(scope.checksum), \(post), \(limit), \(scope.since), \(scope.post), \(scope.again))
            """)
        guard let last = try rows[0].decode("last_post", as: Int64?.self) else { return nil }
        return (try rows[0].decode("queued", as: Int.self), last)
    }

    package func unfinished() async throws -> Int {
        let rows = try await pool.query(
            "select count(*) as jobs from darkroom.jobs where lane = any (darkroom.lanes_of(null, 'rerender'))"
        )
        return try rows[0].decode("jobs", as: Int.self)
    }

    /// Those of `posts` that a job has yet to render again.
    package func unfinished(among posts: Set<Int64>) async throws -> Set<Int64> {
        let rows = try await pool.query(
            """
            select distinct subject_id from darkroom.jobs
            where lane = any (darkroom.lanes_of(null, 'rerender')) and subject_id = any (\(Array(posts))::bigint[])
            """)
        return Set(try rows.map { try $0.decode("subject_id", as: Int64.self) })
    }

    /// - Throws: ``PostError`` with `noPost`.
    package func subject(_ post: Int64) async throws -> RerenderSubject {
        let rows = try await pool.query(
            """
            select upload_id, state::text as state, rendered_with from darkroom.posts where post_id = \(post)
            """)
        guard let row = rows.first else { throw PostError(.noPost(post)) }
        return RerenderSubject(
            upload: try row.decode("upload_id", as: Int64.self),
            state: try PostState(name: try row.decode("state", as: String.self)),
            renderedWith: try row.decode("rendered_with", as: Int64?.self))
    }

    /// Replaces a post's pictures in the caller's transaction, with the event, and retires the files of the old ones.
    ///
    /// The old files are deleted after `settings.rendition_grace`. The new files are protected from deletion until the
    /// transaction ends. A file may already be gone; the caller must check that before it commits.
    ///
    /// - Throws: ``PostError`` with `noPost`.
    package static func replacePictures(
        of post: Int64, by renditions: [PostRendition], placeholder: [UInt8]?, perceptualHash: UInt64?,
        pdq: KnownHash? = nil, renderedWith checksum: UInt64, in transaction: PostgresConnection
    ) async throws {
        let keys = renditions.map(\.mediaKey)
        try await MediaReferenceStore.protect(keys, in: transaction)
        let rows = try await transaction.query(
            """
            update darkroom.posts
            set rendered_with = \(Int64(bitPattern: checksum)),
                placeholder = coalesce(decode(\(placeholder?.hexadecimal), 'hex'), placeholder),
                perceptual_hash = coalesce(\(perceptualHash.map { Int64(bitPattern: $0) })::bigint, perceptual_hash),
                pdq = coalesce(('x' || \(pdq?.hexadecimal)::text)::bit(256), pdq),
                pdq_quality = coalesce(\(pdq?.quality)::smallint, pdq_quality)
            where post_id = \(post) returning post_id
            """)
        guard !rows.isEmpty else { throw PostError(.noPost(post)) }
        try await transaction.query(
            """
            select darkroom.retire_media(
                array(select media_key from darkroom.renditions
                      where post_id = \(post) and media_key <> all (\(keys)::text[])),
                now() + (select rendition_grace from darkroom.settings), \(post),
                (select uploader from darkroom.posts where post_id = \(post)))
            """)
        try await PublishingStore.insert(renditions, of: post, in: transaction)
        try await transaction.query(
            """
            delete from darkroom.renditions
            where post_id = \(post) and name <> all (\(renditions.map(\.name))::text[])
            """)
        try await EventStore.record(.rerendered, of: post, in: transaction)
    }
}
