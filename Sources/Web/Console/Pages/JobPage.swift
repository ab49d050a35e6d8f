import CivilCalendar
import FoundationEssentials
import HTTPServer
import Ingestion
import JobQueue
import JobStore
import Pages

/// One job, with all its attempts and its photo.
struct JobPage: Sendable {
    let site: ConsoleSite
    let visit: Visit

    func response(_ number: Int64) async throws -> HTTPResponse {
        let store = site.jobs
        guard let job = try await store.job(JobID(rawValue: number)) else {
            throw ConsoleError.notFound(
                "There is no job \(number): it never existed, or its history has been pruned.")
        }
        let attempts = try await store.attempts(of: job.id)
        let replays = try await store.replays(of: job.id)
        let isOfUpload = JobDefinition.of(job.kind)?.subject == .upload
        let upload = isOfUpload ? try await store.uploads([job.subject])[job.subject] : nil
        let obstacle = try await JobObstacle.of(job, store)
        let neighbours = try await neighbours(of: job)
        return visit.page("Job \(job.id)") {
            """
            \(facts(job, obstacle))
            \(actions(job))
            \(photo(job, upload))
            <h2>Attempts</h2>
            \(attempts.isEmpty ? "<p class=\"empty\">No attempt has ended yet.</p>" : .all(attempts.map(attempt)))
            \(replays.isEmpty ? .empty : "<h2>Replays</h2>\(table(replays))")
            \(upload.map { "<h2>Upload</h2>\(facts($0))" as HTML } ?? .empty)
            \(neighbours.isEmpty ? .empty : "<h2>Others that ended with this reason</h2>\(table(neighbours))")
            """
        }
    }

    private func facts(_ job: JobRecord, _ obstacle: String?) -> HTML {
        .facts([
            ("kind", "\(job.kind.rawValue)"), ("state", .badge(job.state.rawValue)),
            ("reason", job.reason.map { "\($0.code): \(.said($0.message))" }),
            ("waits for", obstacle.map { "\($0)" }),
            ("queue", "\(job.queue), priority \(job.priority)"),
            ("uploader", .link(job.fairKey, "/jobs?uploader=\(Form.encoded(job.fairKey))")),
            ("subject", "\(job.subject)"),
            ("worker", job.worker.map { .link("\($0)", "/jobs?worker=\($0)") }),
            ("stage", job.stage.map { "\($0)" }),
            ("cancel", job.isCancelRequested ? "requested; its worker will stop it" : nil),
            ("enqueued", .time(job.createdAt)), ("runs at", job.runAt.map { .time($0) }),
            ("started", job.startedAt.map { .time($0) }), ("finished", job.finishedAt.map { .time($0) }),
            ("tries", "\(job.attempt) (\(job.failures) failed, \(job.crashes) crashed)"),
            ("suspect", job.deaths > 0 ? "workers died while they ran it: \(job.deaths)" : nil),
        ])
    }

    private func actions(_ job: JobRecord) -> HTML {
        guard visit.mayAct else { return .empty }
        let links = BulkAction.allCases.filter { $0.states.contains(job.state) }.map { action -> HTML in
            .link(action.rawValue.capitalized, "/jobs/change?job=\(job.id)&action=\(action.rawValue)")
        }
        return links.isEmpty ? .empty : "<p class=\"orders\">\(HTML.all(links, between: " "))</p>"
    }

    private func photo(_ job: JobRecord, _ upload: UploadRecord?) -> HTML {
        guard upload?.originalKey != nil else { return .empty }
        return Picture.blurred("/jobs/\(job.id)/photo", "The photo of job \(job.id)")
    }

    private func attempt(_ attempt: AttemptRecord) -> HTML {
        let stages = attempt.stages.map { (name: $0.stage, milliseconds: $0.duration / .milliseconds(1)) }
        return """
            <section class="attempt"><h3>Attempt \(attempt.attempt): \(attempt.outcome)</h3>
            \(.facts([
                ("worker", "\(attempt.worker)"), ("started", .time(attempt.startedAt)),
                ("took", "\(Duration.seconds(attempt.endedAt.timeIntervalSince(attempt.startedAt)).fine)"),
                ("reason", attempt.reason.map { "\($0.code): \(.said($0.message))" }),
                ("cause", attempt.cause.map { "<pre>\($0)</pre>" }),
                ("renderer", attempt.verdict.map { "<pre>\($0)</pre>" }),
                ("in the log", "<code>lease=\(attempt.lease) attempt=\(attempt.attempt)</code>"),
            ]))
            \(stages.isEmpty ? .empty : Chart.stages(stages))</section>
            """
    }

    private func table(_ replays: [ReplayRecord]) -> HTML {
        .table(
            "Replays", ["When", "By", "Had been", "Why"],
            replays.map { replay in
                [
                    .time(replay.at), .said(replay.by),
                    "\(replay.from.rawValue) \(replay.reason?.code ?? "")",
                    .said(replay.why),
                ]
            }, empty: "")
    }

    private func facts(_ upload: UploadRecord) -> HTML {
        let place = upload.latitude.flatMap { latitude in upload.longitude.map { "\(latitude), \($0)" } }
        return .facts([
            ("number", "\(upload.id)"), ("uploader", .said(upload.uploader)),
            ("headline", upload.headline.map { .said($0) }), ("caption", upload.caption.map { .said($0) }),
            ("link", upload.link.map { .said($0) }), ("category", upload.category.map { .said($0) }),
            ("activity", upload.activity.map { .said($0) }), ("place", upload.place.map { .said($0) }),
            ("position", place.map { .link($0, "/places?point=\(Form.encoded($0))") }),
            ("taken", upload.takenAt.map { .time($0) }), ("sent", .time(upload.createdAt)),
            ("bytes", upload.originalByteCount.map { "\($0)" }),
            ("original", upload.originalKey.map { "<code>\($0)</code>" }),
        ])
    }

    /// The next older jobs that ended with the same reason.
    private func neighbours(of job: JobRecord) async throws -> [JobRecord] {
        guard let reason = job.reason, job.state != .succeeded else { return [] }
        var filter = JobFilter()
        filter.states = [job.state]
        filter.reason = reason.code
        return try await site.jobs.jobs(filter, before: job.id, limit: 10)
    }

    private func table(_ jobs: [JobRecord]) -> HTML {
        .table(
            "Jobs with the same reason", ["Job", "Kind", "Uploader", "Finished", "Message"],
            jobs.map { job in
                [
                    .link(job.id.description, "/jobs/\(job.id)"), "\(job.kind.rawValue)", .said(job.fairKey),
                    .time(job.finishedAt), .said(job.reason?.message),
                ]
            }, empty: "")
    }
}
