import Arguments
import CivilCalendar
import FoundationEssentials
import Ingestion
import JobQueue
import JobStore

extension JobRecord {
    /// The job's own fields, without attempts and replays.
    var fields: [(String, JSON)] {
        [
            ("job_id", .integer(id.rawValue)), ("kind", .string(kind.rawValue)),
            ("state", .string(state.rawValue)), ("queue", .string(queue)),
            ("priority", .integer(Int64(priority))),
            (subjectName, .integer(subject)), ("uploader", .string(fairKey)),
            ("attempts_begun", .integer(Int64(attempt))), ("failures", .integer(Int64(failures))),
            ("crashes", .integer(Int64(crashes))),
            ("deaths", .integer(Int64(deaths))), ("reason", JSON.optional(reason) { .string($0.code) }),
            ("message", JSON.optional(reason) { .string($0.message) }),
            ("worker_id", JSON.optional(worker) { .integer($0.rawValue) }),
            ("waits_for", JSON.optional(waitsFor) { .string($0) }),
            ("stage", JSON.optional(stage) { .string($0) }),
            ("cancel_requested", .bool(isCancelRequested)),
            ("enqueued_at", .string(createdAt.stamp)), ("run_at", JSON.optional(runAt) { .string($0.stamp) }),
            ("started_at", JSON.optional(startedAt) { .string($0.stamp) }),
            ("finished_at", JSON.optional(finishedAt) { .string($0.stamp) }),
        ]
    }

    var json: JSON { .object(fields) }

    private var subjectName: String {
        switch JobDefinition.of(kind)?.subject {
        case .upload: "upload_id"
        case .post: "post_id"
        case .comment: "comment_id"
        case .personErasure, nil: "subject_id"
        }
    }
}

extension AttemptRecord {
    var duration: Duration { .seconds(endedAt.timeIntervalSince(startedAt)) }

    var json: JSON {
        .object([
            ("attempt", .integer(Int64(attempt))), ("outcome", .string(outcome)),
            ("worker_id", .integer(worker.rawValue)), ("lease", .string(String(lease))),
            ("reason", JSON.optional(reason) { .string($0.code) }),
            ("message", JSON.optional(reason) { .string($0.message) }),
            ("cause", JSON.optional(cause) { .string($0) }),
            ("renderer_verdict", JSON.optional(verdict) { .string($0) }),
            ("started_at", .string(startedAt.stamp)), ("ended_at", .string(endedAt.stamp)),
            ("duration_s", .number(duration.seconds)),
            (
                "stages",
                .array(
                    stages.map {
                        .object([("stage", .string($0.stage)), ("duration_s", .number($0.duration.seconds))])
                    })
            ),
        ])
    }
}

extension ReplayRecord {
    var json: JSON {
        .object([
            ("replayed_at", .string(at.stamp)), ("by", .string(by)),
            ("why", JSON.optional(why) { .string($0) }),
            ("from_state", .string(from.rawValue)), ("reason", JSON.optional(reason) { .string($0.code) }),
            ("message", JSON.optional(reason) { .string($0.message) }),
        ])
    }
}

extension UploadRecord {
    var json: JSON {
        func text(_ value: String?) -> JSON { JSON.optional(value) { .string($0) } }
        return .object([
            ("upload_id", .integer(id)), ("uploader", .string(uploader)),
            ("idempotency_key", text(idempotencyKey)), ("original_key", text(originalKey)),
            ("original_sha256", text(originalSHA256)),
            ("original_bytes", JSON.optional(originalByteCount) { .integer($0) }),
            ("headline", text(headline)), ("caption", text(caption)), ("link", text(link)),
            ("category", text(category)), ("activity", text(activity)),
            ("latitude", JSON.optional(latitude) { .number($0) }),
            ("longitude", JSON.optional(longitude) { .number($0) }), ("place", text(place)),
            ("taken_at", JSON.optional(takenAt) { .string($0.stamp) }),
            ("uploaded_at", .string(createdAt.stamp)),
        ])
    }
}
