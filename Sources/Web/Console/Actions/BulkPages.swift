import FoundationEssentials
import HTTPServer
import JobQueue
import JobStore
import Pages

/// Replaying, discarding, cancelling and releasing jobs: first what would be changed, then the change.
struct BulkPages: Sendable {
    let site: ConsoleSite
    let visit: Visit

    private static let shownFirst = 10

    private struct Order {
        let action: BulkAction
        let filter: JobFilter
    }

    /// The order that the fields describe.
    private func order() async throws -> Order {
        guard let action = visit.form["action"].flatMap(BulkAction.init) else {
            throw ConsoleError.badRequest("Choose what to do: replay, discard, cancel or release.")
        }
        var filter = try JobQuery(visit.form).filter
        // Nothing was selected: that must not mean everything.
        guard !filter.isEmpty else { throw ConsoleError.badRequest("Select jobs, or give a filter.") }
        if let odd = filter.states.first(where: { !action.states.contains($0) }) {
            throw ConsoleError.badRequest(
                "Jobs that are \(odd.rawValue) cannot be \(action.participle); those that are "
                    + "\(action.states.map(\.rawValue).joined(separator: ", ")) can.")
        }
        if filter.states.isEmpty { filter.states = filter.ids.isEmpty ? action.usual : action.states }
        if filter.ids.isEmpty {
            // Exclude jobs that finish from here on: a replayed job that fails again would match forever.
            // In whole seconds, as the form of the dry run sends it.
            let now = Date(
                timeIntervalSince1970: try await site.jobs.now().timeIntervalSince1970.rounded(.down))
            filter.before = min(filter.before ?? now, now)
        }
        return Order(action: action, filter: filter)
    }

    /// The dry run.
    func rehearsal() async throws -> HTTPResponse {
        let order = try await order()
        let counts = try await order.action.count(order.filter, site.jobs)
        let total = counts.reduce(0) { $0 + $1.jobs }
        let first = try await order.action.pages(order.filter, site.jobs)(Self.shownFirst)
        let verb = order.action.rawValue.capitalized
        return visit.page("\(verb) jobs") {
            """
            <p><b>\(total)</b> \(total == 1 ? "job" : "jobs") would be \(order.action.participle). Nothing has been changed yet.</p>
            \(.table(
                "Jobs by state and reason", ["State", "Reason", "Jobs"],
                counts.map { [.badge($0.state.rawValue), "\($0.reason ?? "–")", "\($0.jobs)"] },
                empty: "No job can be \(order.action.participle) now."))
            \(first.isEmpty ? .empty : "<h2>The first \(first.count)</h2>\(table(first))")
            \(total == 0 ? .empty : confirmation(order, verb, total))
            """
        }
    }

    private func table(_ jobs: [BulkAction.Candidate]) -> HTML {
        .table(
            "The first jobs", ["Job", "Kind", "State", "Uploader", "Reason", "Message"],
            jobs.map { job in
                [
                    .link(job.id.description, "/jobs/\(job.id)"), "\(job.kind.rawValue)",
                    .badge(job.state.rawValue),
                    .said(job.uploader), "\(job.reason?.code ?? "–")", .said(job.reason?.message),
                ]
            }, empty: "")
    }

    private func confirmation(_ order: Order, _ verb: String, _ total: Int) -> HTML {
        let before: HTML =
            order.filter.ids.isEmpty
            ? "<input type=\"hidden\" name=\"before\" value=\"\(order.filter.before?.formatted(.iso8601) ?? "")\">"
            : .empty
        return visit.form(
            "/jobs/change",
            """
            \(visit.form.hidden(without: ["after", "before", "why", "rate"]))\(before)
            \(.field("why", "Why", nil, hint: "for the record"))
            \(.field("rate", "Jobs per second, at most", nil, hint: "no limit"))
            <button class="primary">\(verb) \(total) \(total == 1 ? "job" : "jobs")</button>
            """)
    }

    func begin() async throws -> HTTPResponse {
        let order = try await order()
        var rate: Double?
        if let text = visit.form["rate"] {
            guard let number = Double(text), (0.001...1_000_000).contains(number) else {
                throw ConsoleError.badRequest("“\(text)” is no number of jobs per second.")
            }
            rate = number
        }
        var record = visit.action("\(order.action.rawValue) jobs")
        record.describe(order.filter)
        record.matching = try await order.action.count(order.filter, site.jobs).reduce(0) { $0 + $1.jobs }
        let number = try await site.runs.start(order.action, order.filter, record, rate: rate, site.jobs)
        return HTTPResponse(redirectingTo: "/record/\(number)")
    }
}
