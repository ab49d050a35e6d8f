import FoundationEssentials
import HTTPServer
import Pages
import Posts

/// A post that is reviewed: its pictures, reports, decisions and appeals.
struct PostPage: Sendable {
    let site: ConsoleSite
    let visit: Visit

    func response(_ number: Int64) async throws -> HTTPResponse {
        let pool = site.reviewing(visit.session)
        let store = ReviewStore(pool: pool)
        guard let post = try await store.post(number) else {
            throw ConsoleError.notFound("There is no post \(number).")
        }
        let alike = post.pictures.isEmpty ? [] : try await store.waiting(like: number, limit: 12)
        let statement = try await statement(post)
        return visit.page("Post \(number)") {
            """
            <div class="post">\(pictures(post))<div>
            \(facts(post))
            \(decide(post))</div></div>
            \(lookAlikes(post, alike.filter { $0.position.post != number }))
            <h2>Reports</h2>\(table(post.reports))
            \(post.reports.contains { $0.undecided > 1 } ? "<p><a href=\"/review?reporters=\(post.post)\">Decide on all that its reporters reported</a></p>" : .empty)
            \(post.appeals.isEmpty ? .empty : "<h2>Appeals</h2>\(table(post.appeals))")
            <h2>Decisions</h2>\(table(post, post.decisions))
            \(statement)
            <p><a href="/review" data-key="h">Back to the list</a></p>
            \(visit.mayAct ? ReviewPage.keys : .empty)
            """
        }
    }

    private func pictures(_ post: ReviewedPost) -> HTML {
        post.pictures.isEmpty
            ? "<p class=\"empty\">A text without a photo</p>"
            : Picture.blurred("/posts/\(post.post)/picture", "The photo of post \(post.post)")
    }

    private func facts(_ post: ReviewedPost) -> HTML {
        .facts([
            ("state", .badge(post.state)), ("headline", post.headline.map { .said($0) }),
            ("caption", post.caption.map { .said($0) }), ("link", post.link.map { .said($0) }),
            ("venue", post.venueName.map { .said($0) }), ("credit", post.credit.map { .said($0) }),
            ("licence", post.licence.map { .said($0) }),
            ("uploader", .said(post.uploader)),
            (
                "history",
                "posts: \(post.uploaderPosts)\(post.uploaderPosts == 1000 ? "+" : ""), removed: \(post.uploaderRemovals)"
            ),
            ("deleted", post.isDeleted ? "by its uploader: it never comes back" : nil),
        ])
    }

    private func decide(_ post: ReviewedPost) -> HTML {
        guard !post.mayDecide.isEmpty else { return "<p>Nothing can be decided now.</p>" }
        let keys = ["approve": "a", "remove": "r", "restore": "u"]
        let buttons = post.mayDecide.map { kind -> HTML in
            "<button name=\"decision\" value=\"\(kind)\" data-key=\"\(keys[kind] ?? "")\">\(kind.capitalized)</button>"
        }
        return visit.form(
            "/posts/\(post.post)/decide",
            """
            <input type="hidden" name="seen" value="\(post.seen)">
            \(HTML.field("terms", "Clause of the terms", nil, hint: "for a removal"))
            \(HTML.field("law", "Provision of the law", nil, hint: "or this"))
            \(HTML.field("note", "Note", nil))
            <p class="orders">\(HTML.all(buttons, between: " "))</p>
            """)
    }

    private func lookAlikes(_ post: ReviewedPost, _ alike: [ReviewItem]) -> HTML {
        let removed = post.decisions.compactMap(\.similar).first
        let numbers = (removed.map { [$0] } ?? []) + alike.map(\.position.post)
        guard !numbers.isEmpty else { return .empty }
        let cards = numbers.map { number -> HTML in
            """
            <li class="card"><p>\(HTML.link("Post \(number)", "/posts/\(number)"))\(number == removed ? ", removed" : "")</p>\(Picture.blurred("/posts/\(number)/picture?size=small", "The photo of post \(number)"))</li>
            """
        }
        return """
            <h2>Look-alikes</h2><ol class="cards">\(HTML.all(cards))</ol>
            <p><a href="/review?like=\(post.post)">Decide on all that look alike</a></p>
            """
    }

    private func table(_ reports: [ReviewedPost.Report]) -> HTML {
        .table(
            "Reports, latest first",
            ["When", "Reason", "Words", "Counts", "Reporter was right", "Wrong", "Undecided", "Group"],
            reports.map { report in
                let counted =
                    report.disregarded ?? report.counted.map { "\(($0 * 100).rounded() / 100)" } ?? "–"
                return [
                    .time(report.at), "\(report.reason)", .said(report.details), "\(counted)",
                    "\(report.agreed)",
                    "\(report.disagreed)", "\(report.undecided)\(report.undecided == 100 ? "+" : "")",
                    "\(report.group.map(String.init) ?? "–")",
                ]
            }, empty: "Nobody has reported it.")
    }

    private func table(_ appeals: [AppealRecord]) -> HTML {
        .table(
            "Appeals", ["Appeal", "When", "Text", "Decided"],
            appeals.map { appeal in
                [
                    "\(appeal.id)", .time(appeal.at), .said(appeal.text),
                    appeal.decision.map { "by decision \($0)" } ?? .badge("open"),
                ]
            }, empty: "")
    }

    private func table(_ post: ReviewedPost, _ decisions: [ReviewedPost.Decision]) -> HTML {
        .table(
            "Decisions, latest first", ["Decision", "When", "What", "By", "Cause", "Note"],
            decisions.map { decision in
                let id: HTML =
                    visit.session.role == .operator
                    ? .link("\(decision.id)", "/posts/\(post.post)?statement=\(decision.id)")
                    : "\(decision.id)"
                return [
                    id, .time(decision.at), "\(decision.kind)",
                    decision.decider.map { .said($0) } ?? "a rule",
                    "\(decision.cause ?? "–")", .said(decision.note),
                ]
            }, empty: "Nothing has been decided yet.")
    }

    /// The statement of reasons, which operators may read.
    private func statement(_ post: ReviewedPost) async throws -> HTML {
        guard visit.session.role == .operator, let decision = visit.form.number("statement"),
            post.decisions.contains(where: { $0.id == decision })
        else { return .empty }
        guard
            let statement = try await DecisionStore(pool: site.operators).statementOfReasons(for: decision)
        else { return "<p>Decision \(decision) restricts nothing, so there is no statement of reasons.</p>" }
        return """
            <section><h2>Statement of reasons for decision \(decision)</h2>
            \(HTML.facts([
                ("restriction", "\(statement.restriction)"), ("scope", "\(statement.scope)"),
                ("duration", "\(statement.duration)"), ("facts", "\(statement.facts.joined(separator: " "))"),
                ("ground", "\(statement.groundText)"), ("explanation", "\(statement.explanation)"),
                ("decided by", statement.isAutomaticallyDecided ? "a rule" : "a person"),
                ("redress", "\(statement.redress)"),
            ]))</section>
            """
    }
}
