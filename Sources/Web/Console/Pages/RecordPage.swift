import FoundationEssentials
import HTTPServer
import JobStore
import Pages
import Posts

/// What operators did, from the console and from the command line.
struct RecordPage: Sendable {
    let site: ConsoleSite
    let visit: Visit

    private static let size = 50

    func response() async throws -> HTTPResponse {
        let found = try await site.actions.latest(before: visit.form.number("after"), limit: Self.size + 1)
        let decisions = try await DecisionStore(pool: site.operators).latestByPeople(limit: Self.size)
        let more: HTML =
            found.count > Self.size
            ? "<p class=\"pages\"><a rel=\"next\" href=\"/record?after=\(found[Self.size - 1].id)\">Older actions</a></p>"
            : .empty
        return visit.page("Record") {
            """
            \(.table(
                "Actions of operators, latest first",
                ["Action", "When", "Who", "From", "What", "Target", "Filter", "Why", "Done", "End"],
                found.prefix(Self.size).map(row), empty: "Nobody has changed anything yet."))
            \(more)
            <h2>The latest decisions</h2>
            \(.table(
                "Decisions of people, latest first", ["Decision", "When", "Who", "What", "On", "Note"],
                decisions.map { decision in
                    [
                        "\(decision.id)", .time(decision.at), .said(decision.decider), "\(decision.kind.rawValue)",
                        decision.subject.comment > 0
                            ? .said("comment \(decision.subject.comment)")
                            : .link("post \(decision.subject.post)", "/posts/\(decision.subject.post)"), .said(decision.note),
                    ]
                }, empty: "Nobody has decided on anything yet."))
            """
        }
    }

    private func row(_ action: OperatorActionRecord) -> [HTML] {
        [
            .link("\(action.id)", "/record/\(action.id)"), .time(action.startedAt),
            "\(.said(action.by)) (\(action.role))", "\(action.source)", "\(action.action)",
            .said(action.target), filter(action), .said(action.why), "\(action.done) of \(action.matching)",
            end(action),
        ]
    }

    private func filter(_ action: OperatorActionRecord) -> HTML {
        let parts = [
            action.filter.flatMap { $0.isEmpty ? nil : $0 }, action.uploader.map { "uploader \($0)" },
        ]
        let text = parts.compactMap(\.self).joined(separator: ", ")
        return text.isEmpty ? "–" : .said(text)
    }

    private func end(_ action: OperatorActionRecord) -> HTML {
        if let fault = action.fault { return "\(.badge("failed")) \(fault)" }
        if let end = action.endedAt { return .time(end) }
        return site.runs.isRunning(action.id)
            ? .badge("running") : "not ended; last progress \(.time(action.progressedAt))"
    }

    /// One action, with its progress.
    func response(_ number: Int64) async throws -> HTTPResponse {
        guard let action = try await site.actions.action(number) else {
            throw ConsoleError.notFound("There is no action \(number).")
        }
        let isRunning = site.runs.isRunning(number)
        var response = visit.page("Action \(number): \(action.action)") {
            """
            <div \(isRunning ? "id=\"progress\"" as HTML : .empty)>
            <label>Progress <progress max="\(max(1, action.matching))" value="\(action.done)"></progress></label> \(action.done) of \(action.matching)
            \(.facts([
                ("who", "\(.said(action.by)) (\(action.role)), \(action.source)"), ("began", .time(action.startedAt)),
                ("target", action.target.map { .said($0) }), ("filter", filter(action)),
                ("why", action.why.map { .said($0) }), ("end", end(action)),
            ]))</div>
            \(isRunning ? visit.button("Stop", "/record/\(number)/stop") : .empty)
            <p>\(.link("All actions", "/record"))</p>
            """
        }
        // Without a script the page is loaded again, too.
        if isRunning { response.headers.add("Refresh", "2") }
        return response
    }
}
