import FoundationEssentials
import HTTPServer
import Pages
import Postgres
import Posts

/// The policy in force, and a trial of another one against the last month.
struct PoliciesPage: Sendable {
    let site: ConsoleSite
    let visit: Visit

    func response() async throws -> HTTPResponse {
        let policies = ModerationPolicyStore(pool: site.operators)
        let all = try await policies.all()
        let inForce = try await policies.inForce()
        var candidate = inForce
        let preset = visit.form["preset"].flatMap(PolicyPreset.init)
        if let preset {
            preset.apply(to: &candidate)
        } else {
            try PolicyForm.apply(visit.form, to: &candidate, inForce)
        }
        let changes = PolicyForm.changes(from: inForce, to: candidate)
        let trial = visit.form["try"] == nil ? nil : try await self.trial(of: candidate, policies)
        return visit.page("Policies") {
            """
            <p>Policy \(inForce.version) is in force since \(.time(inForce.createdAt)): \(.said(inForce.note))</p>
            <p>Presets: \(HTML.all(PolicyPreset.allCases.map { .link($0.rawValue, "/policies?preset=\($0.rawValue)") }, between: " "))</p>
            \(trial)
            \(changes.isEmpty ? .empty : "<h2>Changes</h2><ul>\(HTML.all(changes.map { "<li>\($0)</li>" }))</ul>\(set(candidate, inForce))")
            <form class="policy" action="/policies"><h2>Values</h2>\(fields(candidate))
            <p class="orders"><button class="primary" name="try" value="month">Try against the last month</button> <button>Show the changes</button></p></form>
            <h2>Earlier policies</h2>
            \(HTML.table(
                "Policies, latest first", ["Version", "Since", "Note", "Changes"],
                zip(all, all.dropFirst()).map { new, old in
                    ["\(new.version)", .time(new.createdAt), .said(new.note), "\(PolicyForm.changes(from: old, to: new).joined(separator: "; "))"]
                }, empty: "This is the first policy."))
            """
        }
    }

    private func fields(_ policy: ModerationPolicy) -> HTML {
        .all(
            PolicyParameter.all.map { parameter in
                .field(parameter.name, "\(parameter.name): \(parameter.meaning)", parameter.text(in: policy))
            }, between: "\n")
    }

    private func set(_ candidate: ModerationPolicy, _ inForce: ModerationPolicy) -> HTML {
        let hidden = PolicyParameter.all.filter { $0.text(in: candidate) != $0.text(in: inForce) }.map {
            "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.text(in: candidate))\">" as HTML
        }
        return visit.form(
            "/policies",
            """
            \(HTML.all(hidden))<input type="hidden" name="version" value="\(inForce.version)">
            \(HTML.field("note", "Note", nil, hint: "why; it is needed")) <button class="primary">Put it in force</button>
            """)
    }

    private func trial(of candidate: ModerationPolicy, _ policies: ModerationPolicyStore) async throws -> HTML
    {
        let since = Date(timeIntervalSinceNow: -30 * 86_400)
        let result = try await withDeadline(.seconds(60)) {
            try await PolicyForm.explained { try await policies.trial(of: candidate, since: since) }
        }
        return """
            <section aria-label="Trial"><h2>Against the last month</h2>
            <p>\(result.posts) posts with \(result.reports) reports. Both policies would have hidden \(result.hiddenByBoth).</p>
            \(difference("Only the tried policy would have hidden", result.onlyByCandidate))
            \(difference("Only the policy in force would have hidden", result.onlyByInForce))</section>
            """
    }

    private func difference(_ title: String, _ difference: PolicyTrialResult.Difference) -> HTML {
        """
        <h3>\(title) \(difference.count)</h3><p>Of these, people removed \(difference.removed) and approved \(difference.approved).</p>
        \(HTML.table(
            title, ["Post", "When", "Cause", "Reports", "Score", "Threshold"],
            difference.examples.map { example in
                [
                    .link("\(example.post)", "/posts/\(example.post)"), .time(example.hiding.at),
                    "\(example.hiding.cause.rawValue)", "\(example.hiding.reports)",
                    "\((example.hiding.score * 100).rounded() / 100)", "\((example.hiding.threshold * 100).rounded() / 100)",
                ]
            }, empty: "None."))
        """
    }
}
