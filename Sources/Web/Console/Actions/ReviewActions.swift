import HTTPServer
import Pages
import Posts

/// Decisions of moderators. The log of decisions is their record.
struct ReviewActions: Sendable {
    let site: ConsoleSite
    let visit: Visit

    private var store: ReviewStore { ReviewStore(pool: site.reviewing(visit.session)) }

    private func action() throws -> ReviewAction {
        let form = visit.form
        switch form["decision"] {
        case "approve": return .approve
        case "restore": return .restore
        case "remove":
            guard form["law"] == nil || form["terms"] == nil else {
                throw ConsoleError.badRequest(
                    "Give a clause of the terms or a provision of the law, not both.")
            }
            return .remove(form["law"].map { .law($0) } ?? .terms(form["terms"]))
        default: throw ConsoleError.badRequest("Choose a decision: approve, remove or restore.")
        }
    }

    func decide(_ post: Int64) async throws -> HTTPResponse {
        let action = try action()
        let outcome: ReviewOutcome
        do {
            outcome = try await store.review(
                post, action, by: visit.session.name, note: visit.form["note"],
                seen: visit.form.number("seen"))
        } catch let error as ReviewError {
            return conflict(error, post)
        } catch is PostError {
            throw ConsoleError.notFound("There is no post \(post).")
        }
        return HTTPResponse(
            redirectingTo:
                "/review?done=\(post)&decision=\(action.kind.rawValue)&seen=\(outcome.decision)")
    }

    private func conflict(_ error: ReviewError, _ post: Int64) -> HTTPResponse {
        let why: HTML =
            switch error.code {
            case .decidedMeanwhile(let reviewer, _, let seconds):
                "\(HTML.said(reviewer)) has decided on it \(seconds) s ago. Look at the post again: if you then decide otherwise, your decision counts."
            case .notApplicable(let state):
                "The post is \(state.rawValue) now, and this decision does not apply."
            case .leaving: "Its uploader has deleted it, and it is being erased."
            case .locatedTooExactly:
                "It would show its location more exactly than the policy in force allows. An operator has to run “darkroom posts relocate --post \(post)” first."
            }
        return visit.page("Post \(post) was not changed", status: 409) {
            "<p>\(why)</p><p>\(HTML.link("Look at post \(post)", "/posts/\(post)")) \(HTML.link("Back to the list", "/review"))</p>"
        }
    }

    func decideOnSeveral() async throws -> HTTPResponse {
        let posts = Set(visit.form.all("post").compactMap { Int64($0) }).sorted()
        guard !posts.isEmpty else { throw ConsoleError.badRequest("Select posts first.") }
        let kind = try action().kind
        let problems = try await store.review(
            posts, kind, by: visit.session.name, note: visit.form["note"],
            terms: kind == .remove ? visit.form["terms"] : nil)
        return visit.page("\(posts.count - problems.count) of \(posts.count) posts were decided") {
            """
            \(problems.isEmpty ? .empty : "<ul>\(HTML.all(problems.map { "<li>\($0)</li>" }))</ul>")
            <p>\(HTML.link("Back to the list", "/review"))</p>
            """
        }
    }
}
