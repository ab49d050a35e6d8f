import HTTPServer
import JobStore
import Pages

/// Failures that are alike, with one example of each.
struct JobGroupsPage: Sendable {
    let site: ConsoleSite
    let visit: Visit

    func response() async throws -> HTTPResponse {
        let groups = try await site.jobs.failureGroups()
        return visit.page("Alike failures") {
            """
            <p>Of the latest \(FailureGroup.limit) jobs that failed, and as many that were rejected. Two are alike if kind, reason and message are the same but for numbers.</p>
            \(.table(
                "Groups of alike failures", ["Jobs", "Kind", "State", "Reason", "Message", "Latest", "Example"],
                groups.map { group in
                    let query = "kind=\(group.kind)&state=\(group.state)&reason=\(Form.encoded(group.reason ?? ""))"
                    return [
                        .link("\(group.count)", "/jobs?\(query)"), "\(group.kind)", .badge(group.state),
                        "\(group.reason ?? "–")", .said(group.message), .time(group.latest),
                        .link("job \(group.example)", "/jobs/\(group.example)"),
                    ]
                }, empty: "No job has failed."))
            """
        }
    }
}
