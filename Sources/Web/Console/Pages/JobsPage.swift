import CivilCalendar
import FoundationEssentials
import HTTPServer
import JobQueue
import JobStore
import Pages

/// A list of jobs. The filter is in the address.
struct JobsPage: Sendable {
    let site: ConsoleSite
    let visit: Visit

    private static let size = 50

    func response() async throws -> HTTPResponse {
        let form = visit.form
        let filter = try JobQuery(form).filter
        let jobs = try await find(filter, form)
        let page = jobs.prefix(Self.size)
        return visit.page("Jobs") {
            """
            <form class="filter" action="/jobs">\(JobQuery.fields(form))
            <button class="primary">Show</button> <a href="/jobs">Show all</a> <a href="/jobs/groups">Groups of alike failures</a></form>
            \(orders(form, filter))
            \(table(Array(page)))
            \(more(form, jobs.count > Self.size ? page.last : nil))
            """
        }
    }

    /// The latest first: jobs that did not succeed by their ends, and others by their numbers, each by an index.
    private func find(_ filter: JobFilter, _ form: Form) async throws -> [JobRecord] {
        let store = site.jobs
        let cursor = (form["after"] ?? "").split(separator: "-").compactMap { Int64($0) }
        guard filter.ids.isEmpty, !filter.states.isEmpty,
            filter.states.allSatisfy(JobState.unsuccessful.contains)
        else {
            return try await store.jobs(filter, before: cursor.first.map(JobID.init), limit: Self.size + 1)
        }
        let position =
            cursor.count == 2 && JobQuery.years.contains(Date(timeIntervalSince1970: Double(cursor[1]) / 1e6))
            ? UnsuccessfulJob.Position(
                finishedAt: Date(timeIntervalSince1970: Double(cursor[1]) / 1e6),
                job: JobID(rawValue: cursor[0])) : nil
        let found = try await store.unsuccessful(
            filter, latestFirst: true, after: position, limit: Self.size + 1)
        guard !found.isEmpty else { return [] }
        var these = JobFilter()
        these.ids = found.map(\.id)
        let records = try await store.jobs(these, limit: found.count)
        let byID = Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return found.compactMap { byID[$0.id] }
    }

    private func orders(_ form: Form, _ filter: JobFilter) -> HTML {
        guard visit.mayAct, !filter.isEmpty else { return .empty }
        let query = form.query(with: [("after", nil)])
        let links = BulkAction.allCases.map { action -> HTML in
            .link(action.rawValue.capitalized, "/jobs/change?\(query)&action=\(action.rawValue)")
        }
        return "<p class=\"orders\">All that match: \(HTML.all(links, between: " "))</p>"
    }

    private func table(_ jobs: [JobRecord]) -> HTML {
        let heads: [HTML] = [
            "Job", "Kind", "Queue", "State", "Tries", "Uploader", "Enqueued", "Finished", "Reason", "Message",
        ]
        let rows = jobs.map { job -> [HTML] in
            let pick: HTML =
                visit.mayAct
                ? "<label class=\"pick\"><input type=\"checkbox\" name=\"job\" value=\"\(job.id)\"><span class=\"hidden\">Select job \(job.id)</span></label>"
                : .empty
            return [
                "\(pick)\(.link(job.id.description, "/jobs/\(job.id)"))", "\(job.kind.rawValue)",
                "\(job.queue)",
                .badge(job.state.rawValue), "\(job.attempt)", .said(job.fairKey), .time(job.createdAt),
                .time(job.finishedAt), "\(job.reason?.code ?? "–")",
                .said(job.reason?.message ?? job.stage.map { "now: \($0)" }),
            ]
        }
        let list = HTML.table(
            "Jobs, newest first", heads, rows, empty: "No job matches. Remove a condition of the filter.")
        guard visit.mayAct, !jobs.isEmpty else { return list }
        let buttons = BulkAction.allCases.map { action -> HTML in
            "<button name=\"action\" value=\"\(action.rawValue)\">\(action.rawValue.capitalized)</button>"
        }
        return """
            <form action="/jobs/change">\(list)<p class="orders">The selected jobs: \(HTML.all(buttons, between: " "))</p></form>
            """
    }

    /// `17-1780000000000000`: the job, and when it finished in microseconds since 1970.
    private static func position(of job: JobRecord) -> String {
        let finished = job.finishedAt.map { "-\(Int64(($0.timeIntervalSince1970 * 1e6).rounded()))" }
        return job.id.description + (finished ?? "")
    }

    private func more(_ form: Form, _ last: JobRecord?) -> HTML {
        let first: HTML =
            form["after"] == nil ? .empty : .link("First page", "/jobs?\(form.query(with: [("after", nil)]))")
        guard let last else { return "<p class=\"pages\">\(first)</p>" }
        let next = "/jobs?\(form.query(with: [("after", Self.position(of: last))]))"
        return "<p class=\"pages\">\(first) <a rel=\"next\" href=\"\(next)\">Older jobs</a></p>"
    }
}
