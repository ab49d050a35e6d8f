import HTTPServer
import JobStore
import Pages
import Postgres
import Posts

/// What is kept of a person, and erasures.
struct PeoplePage: Sendable {
    let site: ConsoleSite
    let visit: Visit

    func response() async throws -> HTTPResponse {
        let people = PersonStore(pool: site.operators)
        let person = visit.form["person"]
        let traces = try await person.asyncMap { try await people.traces(of: $0) }
        let quota = try await person.asyncMap { try await self.quota(of: $0) }
        let erasures = try await people.erasures(limit: 50)
        return visit.page("People") {
            """
            <form class="filter" action="/people">\(HTML.field("person", "Person", person, hint: "the identifier of the uploader"))
            <button class="primary">Look</button></form>
            \(person.map { found($0, traces ?? [], quota ?? .empty) })
            <h2>Erasures</h2>
            \(HTML.table(
                "Erasures, latest first", ["Erasure", "State", "Ordered", "By", "Finished", "Erased so far"],
                erasures.map(row), empty: "Nobody has been erased."))
            """
        }
    }

    private func row(_ erasure: PersonErasure) -> [HTML] {
        let counts = erasure.counts.filter { $0.rows > 0 }.map { "\($0.rows) \($0.what)" }
        return [
            "\(erasure.id)", .badge(erasure.state.rawValue), .time(erasure.requestedAt),
            .said(erasure.requestedBy),
            .time(erasure.finishedAt), "\(counts.isEmpty ? "–" : counts.joined(separator: ", "))",
        ]
    }

    private func found(_ person: String, _ traces: [(what: String, rows: Int)], _ quota: HTML) -> HTML {
        """
        <h2>What is kept of \(HTML.said(person))</h2>
        \(HTML.table("What is kept", ["What", "Rows"], traces.map { ["\($0.what)", "\($0.rows)"] }, empty: "Nothing."))
        <p>\(HTML.link("Jobs of this person", "/jobs?uploader=\(Form.encoded(person))"))</p>
        \(quota)
        \(erase(person))
        """
    }

    private func quota(of person: String) async throws -> HTML {
        let rows = try await site.operators.query("select * from darkroom.upload_quota(\(person))")
        guard let row = rows.first else { return .empty }
        func number(_ column: String) throws -> HTML {
            try row.decode(column, as: Int64?.self).map { "\($0)" } ?? "any number"
        }
        return .facts([
            ("photos a day", try number("photos_a_day")), ("photos left", try number("photos_left")),
            ("bytes a day", try number("bytes_a_day")), ("bytes left", try number("bytes_left")),
        ])
    }

    private func erase(_ person: String) -> HTML {
        guard visit.mayAct else { return .empty }
        guard visit.session.isFresh else {
            return """
                <p>To erase a person, sign in again with a new link: the last time must be within \(Int(ConsoleSessions.freshness.inSeconds / 60)) minutes.</p>
                """
        }
        return visit.form(
            "/people/erase",
            """
            <input type="hidden" name="person" value="\(person)">
            \(HTML.field("repeated", "Write the identifier again", nil))
            \(HTML.field("why", "Why", nil, hint: "for the record"))
            <button class="danger">Erase everything of this person</button>
            <p class="quiet">This cannot be undone.</p>
            """)
    }
}

extension Optional where Wrapped: Sendable {
    fileprivate func asyncMap<T>(_ body: (Wrapped) async throws -> T) async rethrows -> T? {
        guard let self else { return nil }
        return try await body(self)
    }
}
