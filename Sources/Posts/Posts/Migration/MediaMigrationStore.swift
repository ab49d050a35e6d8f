package import FoundationEssentials
package import Postgres

/// The move of the media store to another place, as the database has recorded it.
package struct MediaMigrationRecord: Sendable, Hashable {
    /// Of the next store; once the move is finished, of the store.
    package let identity: String
    /// Of the store before.
    package let previous: String
    /// Of the next store, for people.
    package let location: String
    /// Where the running pass is; nil at its start.
    package let position: String?
    /// How many passes have come to their end.
    package let passes: Int
    /// How many files were copied.
    package let files: Int
    package let bytes: Int64
    package let startedAt: Date
    package let movedBy: String
    package let finishedAt: Date?

    package var isUnderWay: Bool { finishedAt == nil }
}

/// A living worker that does not have the next store.
package struct UnpreparedWorker: Sendable, Hashable {
    package let number: Int64
    package let host: String
    package let pid: Int32
    /// Whether it may just not have told of the next store yet.
    package let mayFollow: Bool
}

/// Records the move of the media store to another place.
///
/// Every transaction that refers to files or removes some shares the lock `media_migration`. So a move begins, and ends, between
/// such transactions.
package struct MediaMigrationStore: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The last move; nil if there was none, or if an operator has chosen another store since.
    package func last() async throws -> MediaMigrationRecord? {
        try await pool.withConnection { try await Self.last(in: $0) }
    }

    package static func last(in connection: PostgresConnection) async throws -> MediaMigrationRecord? {
        try await connection.query(
            """
            select m.* from darkroom.media_migration m, darkroom.settings s
            where s.media_identity = case when m.finished_at is null then m.previous else m.identity end
            """
        ).first.map(MediaMigrationRecord.init)
    }

    /// Records that a move begins. Ends an earlier one that was finished.
    ///
    /// - Returns: false if the recorded store is not `previous`, or another move is under way.
    package func begin(
        from previous: String, to identity: String, location: String, by who: String
    ) async throws -> Bool {
        try await pool.withTransaction { transaction in
            try await transaction.query("select darkroom.take_lock('media_migration')")
            let rows = try await transaction.query(
                """
                insert into darkroom.media_migration (identity, previous, location, moved_by)
                select \(identity), \(previous), \(location), \(who) from darkroom.settings s
                where s.media_identity = \(previous)
                on conflict (is_only_row) do update
                set identity = excluded.identity, previous = excluded.previous, location = excluded.location, position = null,
                    passes = 0, files = 0, bytes = 0, started_at = clock_timestamp(), moved_by = excluded.moved_by,
                    finished_at = null
                where darkroom.media_migration.finished_at is not null
                   or darkroom.media_migration.previous <> excluded.previous
                returning identity
                """)
            return !rows.isEmpty
        }
    }

    /// Records how far the copying has come.
    ///
    /// - Parameters:
    ///   - position: nil if it is not known, in the middle of a directory.
    ///   - isComplete: whether the pass has come to its end; then the next one begins.
    /// - Returns: false if this move is no longer under way.
    package func note(
        _ identity: String, position: String?, isComplete: Bool, files: Int, bytes: Int64
    ) async throws -> Bool {
        let rows = try await pool.query(
            """
            update darkroom.media_migration
            set position = case when not \(isComplete) then coalesce(\(position), position) end, passes = passes + \(isComplete ? 1 : 0),
                files = files + \(files), bytes = bytes + \(bytes)
            where identity = \(identity) and finished_at is null returning identity
            """)
        return !rows.isEmpty
    }

    /// Keeps a move from being begun, finished or cancelled until the transaction ends.
    ///
    /// - Returns: false if this move is not under way, or not finished.
    package static func hold(
        _ identity: String, isFinished: Bool = false, in transaction: PostgresConnection
    ) async throws -> Bool {
        try await transaction.query("select darkroom.share_lock('media_migration')")
        return try await !transaction.query(
            """
            select from darkroom.media_migration
            where identity = \(identity) and (finished_at is not null) = \(isFinished)
            """
        ).isEmpty
    }

    /// Makes the next store the store of the database.
    ///
    /// - Returns: false if this move is no longer under way.
    package func finish(_ identity: String) async throws -> Bool {
        try await pool.withTransaction { transaction in
            try await transaction.query("select darkroom.take_lock('media_migration')")
            let finished = try await transaction.query(
                """
                with moved as (
                    update darkroom.settings s set media_identity = m.identity
                    from darkroom.media_migration m
                    where m.identity = \(identity) and m.finished_at is null and s.media_identity = m.previous
                    returning m.identity)
                update darkroom.media_migration m set finished_at = clock_timestamp(), position = null
                from moved where m.identity = moved.identity returning m.identity
                """)
            return !finished.isEmpty
        }
    }

    /// Ends a move before it is finished. The files in the next store stay there.
    ///
    /// - Returns: false if none was under way.
    package func cancel() async throws -> Bool {
        try await pool.withTransaction { transaction in
            try await transaction.query("select darkroom.take_lock('media_migration')")
            return try await !transaction.query(
                "delete from darkroom.media_migration where finished_at is null returning identity"
            ).isEmpty
        }
    }

    /// Living workers that could not use the next store.
    package func unprepared(for identity: String) async throws -> [UnpreparedWorker] {
        try await pool.query(
            """
            select worker_id, host, pid, next_media is not null or heartbeats = 0 as may_follow from darkroom.workers
            where next_media is distinct from \(identity) order by worker_id
            """
        ).map { row in
            UnpreparedWorker(
                number: try row.decode("worker_id", as: Int64.self),
                host: try row.decode("host", as: String.self), pid: try row.decode("pid", as: Int32.self),
                mayFollow: try row.decode("may_follow", as: Bool.self))
        }
    }

    /// The SHA-256 that an upload tells of its original, in hexadecimal digits; nil if no upload refers to it.
    package static func sha256(
        ofOriginal key: String, in transaction: PostgresConnection
    ) async throws -> String? {
        try await transaction.query(
            """
            select encode(original_sha256, 'hex') as sha256 from darkroom.uploads
            where original_key = \(key) and original_erased_at is null order by upload_id desc limit 1
            """
        ).first?.decode("sha256", as: String.self)
    }
}

extension MediaMigrationRecord {
    fileprivate init(_ row: PostgresRow) throws {
        identity = try row.decode("identity", as: String.self)
        previous = try row.decode("previous", as: String.self)
        location = try row.decode("location", as: String.self)
        position = try row.decode("position", as: String?.self)
        passes = try row.decode("passes", as: Int.self)
        files = try row.decode("files", as: Int.self)
        bytes = try row.decode("bytes", as: Int64.self)
        startedAt = try row.decode("started_at", as: Date.self)
        movedBy = try row.decode("moved_by", as: String.self)
        finishedAt = try row.decode("finished_at", as: Date?.self)
    }
}
