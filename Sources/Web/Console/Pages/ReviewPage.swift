import CivilCalendar
import FoundationEssentials
import HTTPServer
import Pages
import Posts

/// What waits for a moderator, the most urgent first.
struct ReviewPage: Sendable {
    let site: ConsoleSite
    let visit: Visit

    private static let size = 20

    func response() async throws -> HTTPResponse {
        let form = visit.form
        let state = form["state"].flatMap(PostState.init)
        let alike = form.number("like")
        let reported = form.number("reporters")
        let position = form["after"].flatMap(ReviewItem.Position.init)
        let store = ReviewStore(pool: site.reviewing(visit.session))
        let items = try await store.waiting(
            in: state, like: alike, reportedWith: reported, after: position, limit: Self.size + 1)
        let page = Array(items.prefix(Self.size))
        return visit.page(state == .published ? "Reported, not hidden" : "Review") {
            """
            \(done(form))
            \(tabs(state))
            \(alike.map { "<p>Only posts whose photos look like that of \(HTML.link("post \($0)", "/posts/\($0)")).</p>" as HTML })
            \(reported.map { "<p>Only posts that the reporters of \(HTML.link("post \($0)", "/posts/\($0)")) reported too.</p>" as HTML })
            \(page.isEmpty ? "<p class=\"empty\">Nothing waits for a decision.</p>" : list(page))
            \(items.count > Self.size ? more(form, page.last) : .empty)
            \(visit.mayAct ? Self.keys : .empty)
            """
        }
    }

    static let keys: HTML = """
        <p class="quiet keys">Keys: <kbd>a</kbd> approves, <kbd>r</kbd> removes, <kbd>h</kbd> leaves the post and goes to the next one, <kbd>u</kbd> undoes, <kbd>s</kbd> shows the picture.</p>
        """

    private func done(_ form: Form) -> HTML {
        guard let post = form.number("done"), let kind = form["decision"] else { return .empty }
        let undo =
            kind == "remove"
            ? visit.form(
                "/posts/\(post)/decide", class: "inline",
                "<input type=\"hidden\" name=\"decision\" value=\"restore\">\(Self.seen(form.number("seen") ?? 0))<button data-key=\"u\">Undo</button>"
            )
            : .empty
        return """
            <p class="done" role="status">\(HTML.link("Post \(post)", "/posts/\(post)")): \(Self.participles[kind] ?? "decided"). \(undo)</p>
            """
    }

    private static let participles = ["approve": "approved", "remove": "removed", "restore": "restored"]

    private func tabs(_ state: PostState?) -> HTML {
        let tabs: [(String, PostState?)] = [
            ("Everything", nil), ("Held", .held), ("Hidden", .hidden), ("Reported, not hidden", .published),
            ("Appealed removals", .removed),
        ]
        let items = tabs.map { name, one -> HTML in
            let path = one.map { "/review?state=\($0.rawValue)" } ?? "/review"
            return one == state
                ? "<li><a href=\"\(path)\" aria-current=\"true\">\(name)</a></li>"
                : "<li>\(HTML.link(name, path))</li>"
        }
        return "<ul class=\"tabs\">\(HTML.all(items))</ul>"
    }

    private func list(_ items: [ReviewItem]) -> HTML {
        let cards = HTML.all(items.map(card), between: "\n")
        let bulk: HTML =
            visit.mayAct
            ? """
            <div class="bulk"><form method="post" action="/review/decide" id="several" class="action"><input type="hidden" name="form_token" value="\(visit.session.formToken)">
            \(HTML.field("terms", "Clause of the terms", nil, hint: "for removals"))
            \(HTML.field("note", "Note", nil))
            <button name="decision" value="approve">Approve the selected</button> <button name="decision" value="remove">Remove the selected</button></form></div>
            """ : .empty
        return "<ol class=\"cards\">\(cards)</ol>\(bulk)"
    }

    private func card(_ item: ReviewItem) -> HTML {
        let post = item.position.post
        let waited = Duration.seconds(max(0, -item.position.openedAt.timeIntervalSinceNow)).short
        let picture =
            item.picture == nil
            ? "<p class=\"empty\">A text without a photo</p>"
            : Picture.blurred(
                "/posts/\(post)/picture?size=small", "The photo of post \(post)")
        let pick: HTML =
            visit.mayAct
            ? "<label class=\"pick\"><input type=\"checkbox\" name=\"post\" value=\"\(post)\" form=\"several\"> Select</label>"
            : .empty
        return """
            <li class="card" tabindex="-1"><h2>\(HTML.link("Post \(post)", "/posts/\(post)")) \(HTML.badge(item.state.rawValue))</h2>
            \(picture)
            <p>\(HTML.said(item.title))</p>
            \(HTML.facts([
                ("cause", "\(item.cause)"), ("severity", "\(item.position.severity)"),
                ("score", "\((item.position.score * 100).rounded() / 100)"), ("reports", "\(item.reportCount)"),
                ("waits for", "\(waited)"), ("appeal", item.appeal.map { "number \($0)" }),
                ("uploader", .said(item.uploader)), ("deleted", item.isDeleted ? "by its uploader" : nil),
            ]))
            \(pick)
            \(visit.form("/posts/\(post)/decide", class: "inline", Self.seen(item.seen) + Self.buttons))
            <a href="/review?like=\(post)">Look-alikes</a></li>
            """
    }

    /// The latest decision that the page shows.
    private static func seen(_ decision: Int64) -> HTML {
        "<input type=\"hidden\" name=\"seen\" value=\"\(decision)\">"
    }

    private static let buttons: HTML = """
        <button name="decision" value="approve" data-key="a">Approve</button> <button name="decision" value="remove" data-key="r">Remove</button>
        """

    private func more(_ form: Form, _ last: ReviewItem?) -> HTML {
        guard let last else { return .empty }
        let query = form.query(with: [
            ("after", last.position.description), ("done", nil), ("decision", nil), ("seen", nil),
        ])
        return "<p class=\"pages\"><a rel=\"next\" href=\"/review?\(query)\">Less urgent posts</a></p>"
    }
}
