package import Postgres

/// A file that a row refers to.
package struct ReferredFile: Hashable, Sendable {
    package enum Referrer: Hashable, Sendable, CustomStringConvertible {
        case rendition(post: Int64, name: String)
        case original(upload: Int64)

        package var description: String {
            switch self {
            case .rendition(let post, let name): "rendition \(name) of post \(post)"
            case .original(let upload): "original of upload \(upload)"
            }
        }
    }

    package let mediaKey: String
    /// Of the bytes that were stored, in hexadecimal digits.
    package let sha256: String
    package let referrer: Referrer
}

/// The last row of a walk through the rows that refer to files.
package typealias ReferencePosition = ReferredFile.Referrer

extension ReferencePosition {
    package static let start = ReferencePosition.rendition(post: 0, name: "")
}

/// Which rows refer to which files.
package struct MediaReferenceStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Protects files from deletion until the transaction ends.
    package static func protect(_ mediaKeys: [String], in transaction: PostgresConnection) async throws {
        try await transaction.query("select darkroom.hold_media(\(mediaKeys)::text[])")
    }

    /// The files that nothing refers to, that are not scheduled for deletion anyway, and that no attempt is storing.
    package func unreferred(among keys: [String]) async throws -> Set<String> {
        let rows = try await pool.query(
            """
            select k from unnest(\(keys)::text[]) k
            where not exists (select from darkroom.renditions r where r.media_key = k)
              and not exists (select from darkroom.uploads u where u.original_key = k and u.original_erased_at is null)
              and not exists (select from darkroom.retired_media m where m.media_key = k)
              and k <> all (array(select unnest(n.media_keys) from darkroom.unpublished_media n))
            """)
        return Set(try rows.map { try $0.decode("k", as: String.self) })
    }

    /// The next files that rows refer to: renditions by post, then originals by upload. Moves the position.
    ///
    /// - Returns: at most `limit`; nil at the end.
    package func referred(
        after position: inout ReferencePosition, limit: Int
    ) async throws -> [ReferredFile]? {
        switch position {
        case .rendition(let post, let name):
            let rows = try await pool.query(
                """
                select post_id, name, media_key, encode(sha256, 'hex') as sha256 from darkroom.renditions
                where (post_id, name) > (\(post), \(name)) order by post_id, name limit \(limit)
                """)
            let files = try rows.map(Self.rendition)
            position = files.last?.referrer ?? .original(upload: 0)
            return files
        case .original(let upload):
            let rows = try await pool.query(
                """
                select upload_id, original_key, encode(original_sha256, 'hex') as sha256 from darkroom.uploads
                where upload_id > \(upload) and original_key is not null and original_erased_at is null
                order by upload_id limit \(limit)
                """)
            let files = try rows.map { row in
                ReferredFile(
                    mediaKey: try row.decode("original_key", as: String.self),
                    sha256: try row.decode("sha256", as: String.self),
                    referrer: .original(upload: try row.decode("upload_id", as: Int64.self)))
            }
            guard let last = files.last else { return nil }
            position = last.referrer
            return files
        }
    }

    /// The pictures of a post.
    package func renditions(of post: Int64) async throws -> [ReferredFile] {
        try await pool.query(
            """
            select post_id, name, media_key, encode(sha256, 'hex') as sha256 from darkroom.renditions
            where post_id = \(post) order by name
            """
        ).map(Self.rendition)
    }

    private static func rendition(_ row: PostgresRow) throws -> ReferredFile {
        ReferredFile(
            mediaKey: try row.decode("media_key", as: String.self),
            sha256: try row.decode("sha256", as: String.self),
            referrer: .rendition(
                post: try row.decode("post_id", as: Int64.self), name: try row.decode("name", as: String.self)
            ))
    }

    /// The files that rows still refer to.
    package func stillReferred(among keys: [String]) async throws -> Set<String> {
        let rows = try await pool.query(
            """
            select k from unnest(\(keys)::text[]) k
            where exists (select from darkroom.renditions r where r.media_key = k)
               or exists (select from darkroom.uploads u where u.original_key = k and u.original_erased_at is null)
            """)
        return Set(try rows.map { try $0.decode("k", as: String.self) })
    }

    /// Takes the right to delete a file in this transaction. Returns false if something refers to the file.
    package static func take(_ key: String, in transaction: PostgresConnection) async throws -> Bool {
        try await transaction.query("select darkroom.claim_media(\(key)) as free")[0]
            .decode("free", as: Bool.self)
    }

    /// Estimates how many rows refer to files, for a progress display.
    package func estimate() async throws -> Int {
        let rows = try await pool.query(
            """
            select greatest(sum(reltuples), 0)::bigint as rows from pg_class
            where oid in ('darkroom.renditions'::regclass, 'darkroom.uploads'::regclass)
            """)
        return try rows[0].decode("rows", as: Int.self)
    }

    /// Keys of the newest files to which rows refer; at most 40.
    package func sample() async throws -> [String] {
        let rows = try await pool.query(
            """
            (select media_key as key from darkroom.renditions order by post_id desc limit 20)
            union all
            (select original_key from darkroom.uploads where original_key is not null and original_erased_at is null
             order by upload_id desc limit 20)
            """)
        return try rows.map { try $0.decode("key", as: String.self) }
    }
}
