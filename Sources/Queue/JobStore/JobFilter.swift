package import FoundationEssentials
package import JobQueue
import Postgres

/// Selects jobs. A property that is empty or nil selects all.
package struct JobFilter: Sendable {
    package var ids: [JobID] = []
    package var states: [JobState] = []
    package var kinds: [JobKind] = []
    package var queue: String?
    package var reason: String?
    /// A part of the message or of its cause; case does not matter.
    package var text: String?
    /// The uploader.
    package var fairKey: String?
    /// The worker of the last attempt.
    package var worker: WorkerID?
    /// Finished (or, if unfinished, enqueued) at this time or later.
    package var since: Date?
    /// Finished (or, if unfinished, enqueued) before this time.
    package var before: Date?

    package init() {}

    /// Whether it selects every job.
    package var isEmpty: Bool {
        ids.isEmpty && states.isEmpty && kinds.isEmpty && queue == nil && reason == nil && text == nil
            && fairKey == nil && worker == nil && since == nil && before == nil
    }

    /// A condition on `darkroom.all_jobs`.
    var condition: PostgresQuery {
        """
        (\(ids.isEmpty)::bool or job_id = any (\(ids.map(\.rawValue))::bigint[]))
        and (\(states.isEmpty)::bool or state = any (\(states.map(\.rawValue))::darkroom.job_state[]))
        and (\(kinds.isEmpty)::bool or kind = any (\(kinds.map(\.rawValue))))
        and (\(queue)::text is null or queue = \(queue))
        and (\(reason)::text is null or reason = \(reason))
        and (\(text)::text is null or message ilike '%' || \(escapedText) || '%' or cause ilike '%' || \(escapedText) || '%')
        and (\(fairKey)::text is null or fair_key = \(fairKey))
        and (\(worker?.rawValue)::bigint is null or worker_id = \(worker?.rawValue))
        and (\(since)::timestamptz is null or coalesce(finished_at, created_at) >= \(since))
        and (\(before)::timestamptz is null or coalesce(finished_at, created_at) < \(before))
        """
    }

    /// `text` with the wildcards of `LIKE` escaped.
    private var escapedText: String? {
        text.map { text in
            String(text.flatMap { "\\%_".contains($0) ? ["\\", $0] : [$0] })
        }
    }
}
