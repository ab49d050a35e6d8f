import CivilCalendar
import HTTPServer
import MediaStore
import Pages
import Postgres

/// What is wrong, how to mend it, and the figures.
struct OverviewPage: Sendable {
    let site: ConsoleSite
    let visit: Visit

    func response() async throws -> HTTPResponse {
        let findings = try await site.findings()
        let figures = try await OverviewFigures.read(site, since: nil)
        let store = await Self.store(site)
        return visit.page("Overview") {
            """
            \(Self.findings(findings + store))
            <p id="stale" role="alert" hidden></p>
            <div id="live" data-source="/live">\(figures.markup)</div>
            """
        }
    }

    private static func findings(_ findings: [ConsoleFinding]) -> HTML {
        guard !findings.isEmpty else { return "<p class=\"fine\">Nothing is wrong.</p>" }
        let items = findings.map { finding -> HTML in
            let remedy = finding.remedy.map { "<p>To mend it: <code>\($0)</code></p>" as HTML }
            return """
                <li class="\(finding.remedy == nil ? "note" : "wrong")"><b>\(finding.remedy == nil ? "Note" : "Wrong"): \(finding.what).</b> \(finding.detail)\(remedy)</li>
                """
        }
        return
            "<section aria-label=\"What is wrong\"><ul class=\"findings\">\(HTML.all(items))</ul></section>"
    }

    private static func store(_ site: ConsoleSite) async -> [ConsoleFinding] {
        do {
            let media = site.media
            _ = try await withDeadline(.seconds(2)) { try await media.check() }
            return []
        } catch {
            return [
                ConsoleFinding(
                    what: "media store", detail: "\(error)",
                    remedy: "darkroom doctor, on the machine of this server")
            ]
        }
    }
}
