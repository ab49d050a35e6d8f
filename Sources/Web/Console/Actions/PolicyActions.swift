import HTTPServer
import JobStore
import Posts

/// Putting a moderation policy in force.
struct PolicyActions: Sendable {
    let site: ConsoleSite
    let visit: Visit

    func set() async throws -> HTTPResponse {
        guard let note = visit.form["note"] else {
            throw ConsoleError.badRequest("Say in the note why the policy changes.")
        }
        let policies = ModerationPolicyStore(pool: site.operators)
        let form = visit.form
        var action = visit.action("set policy")
        action.why = note
        try await site.actions.record(action) {
            try await PolicyForm.explained {
                _ = try await policies.set(note: note) { policy in
                    guard form.number("version") == Int64(policy.version) else {
                        throw ConsoleError.badRequest(
                            "Policy \(policy.version) came into force meanwhile. Look at it first.")
                    }
                    try PolicyForm.apply(form, to: &policy, policy)
                }
            }
        }
        return HTTPResponse(redirectingTo: "/policies")
    }
}
