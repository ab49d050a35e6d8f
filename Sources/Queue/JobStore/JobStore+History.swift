package import FoundationEssentials
package import JobQueue
import Postgres

/// How one attempt ended.
package struct AttemptRecord: Sendable {
    package let attempt: Int
    package let lease: Int64
    package let worker: WorkerID
    package let outcome: String
    package let reason: Reason?
    /// The error behind the reason.
    package let cause: String?
    /// The renderer's verdict on the photo.
    package let verdict: String?
    package let stages: [StageTime]
    package let startedAt: Date
    package let endedAt: Date
}

package struct ReplayRecord: Sendable {
    package let from: JobState
    package let reason: Reason?
    package let by: String
    package let why: String?
    package let at: Date
}

/// An upload, as the uploader sent it.
package struct UploadRecord: Sendable {
    package let id: Int64
    package let uploader: String
    package let idempotencyKey: String?
    /// Nil, like the next two, for a text without a photo.
    package let originalKey: String?
    /// 64 hexadecimal digits.
    package let originalSHA256: String?
    package let originalByteCount: Int64?
    package let headline: String?
    package let caption: String?
    package let link: String?
    package let category: String?
    package let activity: String?
    package let latitude: Double?
    package let longitude: Double?
    package let place: String?
    package let takenAt: Date?
    package let createdAt: Date
}

extension JobStore {
    /// Every attempt of a job that has ended, oldest first.
    package func attempts(of id: JobID) async throws -> [AttemptRecord] {
        try await attempts(of: [id])[id] ?? []
    }

    /// The same for many jobs.
    package func attempts(of ids: [JobID]) async throws -> [JobID: [AttemptRecord]] {
        let rows = try await pool.query(
            """
            select job_id, attempt, lease, worker_id, outcome::text as outcome, reason, message, cause, verdict,
                   started_at, ended_at, array(select s.stage from unnest(stages) s) as stages,
                   array(select s.milliseconds::float8 from unnest(stages) s) as times
            from darkroom.all_attempts where job_id = any (\(ids.map(\.rawValue))::bigint[])
            order by job_id, ended_at, attempt
            """)
        var attempts: [JobID: [AttemptRecord]] = [:]
        for row in rows {
            let id = JobID(rawValue: try row.decode("job_id", as: Int64.self))
            attempts[id, default: []].append(try AttemptRecord(row: row))
        }
        return attempts
    }

    /// Every replay of a job, oldest first.
    package func replays(of id: JobID) async throws -> [ReplayRecord] {
        try await replays(of: [id])[id] ?? []
    }

    /// The same for many jobs.
    package func replays(of ids: [JobID]) async throws -> [JobID: [ReplayRecord]] {
        let rows = try await pool.query(
            """
            select job_id, from_state::text as from_state, reason, message, replayed_by, why, replayed_at
            from darkroom.replays where job_id = any (\(ids.map(\.rawValue))::bigint[]) order by replay_id
            """)
        var replays: [JobID: [ReplayRecord]] = [:]
        for row in rows {
            let name = try row.decode("from_state", as: String.self)
            guard let state = JobState(rawValue: name) else { throw QueueError(.unknownKind(name)) }
            replays[JobID(rawValue: try row.decode("job_id", as: Int64.self)), default: []].append(
                ReplayRecord(
                    from: state, reason: try row.reason(), by: try row.decode("replayed_by", as: String.self),
                    why: try row.decode("why", as: String?.self),
                    at: try row.decode("replayed_at", as: Date.self)))
        }
        return replays
    }

    /// Uploads by number; those that do not exist are left out.
    package func uploads(_ ids: [Int64]) async throws -> [Int64: UploadRecord] {
        let rows = try await pool.query(
            """
            select upload_id, uploader, idempotency_key, original_key, encode(original_sha256, 'hex') as sha256,
                   original_bytes, headline, caption, link, category, activity, latitude, longitude, place_text,
                   case when darkroom.is_photo_time(taken_at) then taken_at end as taken_at, created_at
            from darkroom.uploads where upload_id = any (\(ids)::bigint[])
            """)
        return Dictionary(
            try rows.map { row in
                let upload = try UploadRecord(row: row)
                return (upload.id, upload)
            }, uniquingKeysWith: { first, _ in first })
    }
}

extension AttemptRecord {
    fileprivate init(row: PostgresRow) throws {
        self.init(
            attempt: try row.decode("attempt", as: Int.self), lease: try row.decode("lease", as: Int64.self),
            worker: WorkerID(rawValue: try row.decode("worker_id", as: Int64.self)),
            outcome: try row.decode("outcome", as: String.self), reason: try row.reason(),
            cause: try row.decode("cause", as: String?.self),
            verdict: try row.decode("verdict", as: String?.self),
            stages: zip(
                try row.decode("stages", as: [String].self), try row.decode("times", as: [Double].self)
            ).map { StageTime(stage: $0, duration: .seconds($1 / 1000)) },
            startedAt: try row.decode("started_at", as: Date.self),
            endedAt: try row.decode("ended_at", as: Date.self))
    }
}

extension UploadRecord {
    fileprivate init(row: PostgresRow) throws {
        self.init(
            id: try row.decode("upload_id", as: Int64.self),
            uploader: try row.decode("uploader", as: String.self),
            idempotencyKey: try row.decode("idempotency_key", as: String?.self),
            originalKey: try row.decode("original_key", as: String?.self),
            originalSHA256: try row.decode("sha256", as: String?.self),
            originalByteCount: try row.decode("original_bytes", as: Int64?.self),
            headline: try row.decode("headline", as: String?.self),
            caption: try row.decode("caption", as: String?.self),
            link: try row.decode("link", as: String?.self),
            category: try row.decode("category", as: String?.self),
            activity: try row.decode("activity", as: String?.self),
            latitude: try row.decode("latitude", as: Double?.self),
            longitude: try row.decode("longitude", as: Double?.self),
            place: try row.decode("place_text", as: String?.self),
            takenAt: try row.decode("taken_at", as: Date?.self),
            createdAt: try row.decode("created_at", as: Date.self))
    }
}
