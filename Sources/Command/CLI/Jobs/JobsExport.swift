import Arguments
import CommandSupport
import Ingestion
import JobQueue
import JobStore

enum JobsExport {
    static let command = Command(
        "export", "Write jobs with their attempts as JSON lines.",
        discussion: """
            Writes one object per line, newest job first: the job, its attempts and replays, and for jobs that \
            publish an upload, the upload with the key of its original. It reads jobs in pages, so it can export any number of them. A job \
            that changes meanwhile is written as it was when its page was read.
            """,
        options: JobFilterOptions.options(states: JobState.allCases) + [
            .value("limit", "N", "write at most N jobs (default: all that match)"), Settings.database,
        ],
        positionals: [JobFilterOptions.numbers],
        examples: [
            Example("darkroom jobs export --since 1d > jobs.jsonl", "saves the jobs of the last day"),
            Example(
                "darkroom jobs export --state failed | jq -r .upload.original_key",
                "lists the originals of failed photos"),
        ]
    ) { arguments in
        let filter = try JobFilterOptions.filter(arguments)
        var left = try arguments.int("limit", in: 1...1_000_000_000) ?? .max
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            try await JobFilterOptions.checkQueue(filter.queue, store)
            var cursor: JobID?
            while left > 0 {
                let page = try await store.jobs(filter, before: cursor, limit: min(left, pageSize))
                guard let last = page.last else { break }
                try await write(page, store)
                cursor = last.id
                left -= page.count
            }
        }
    }

    private static let pageSize = 500

    private static func write(_ page: [JobRecord], _ store: JobStore) async throws {
        let attempts = try await store.attempts(of: page.map(\.id))
        let replays = try await store.replays(of: page.map(\.id))
        let uploads = try await store.uploads(page.filter(\.hasUpload).map(\.subject))
        for job in page {
            let upload = job.hasUpload ? uploads[job.subject] : nil
            Output.line(
                JSON.object(
                    job.fields + [
                        ("attempts", .array((attempts[job.id] ?? []).map(\.json))),
                        ("replays", .array((replays[job.id] ?? []).map(\.json))),
                        ("upload", JSON.optional(upload, \.json)),
                    ]
                ).line)
        }
    }
}

extension JobRecord {
    fileprivate var hasUpload: Bool { JobDefinition.of(kind)?.subject == .upload }
}
