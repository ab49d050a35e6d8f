import HTTPServer
import Pages

/// A whole page.
struct ConsolePage {
    let response: HTTPResponse

    private static let operatorPages: [(path: String, title: String)] = [
        ("/", "Overview"), ("/jobs", "Jobs"), ("/queues", "Queues"), ("/review", "Review"),
        ("/policies", "Policies"), ("/people", "People"), ("/places", "Places"), ("/record", "Record"),
    ]
    private static let moderatorPages: [(path: String, title: String)] = [("/review", "Review")]

    init(title: String, status: Int = 200, visit: Visit? = nil, body: () throws -> HTML) rethrows {
        let header = visit.map(Self.header) ?? .empty
        let markup: HTML = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title) · Darkroom</title>
            <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
            <link rel="stylesheet" href="/console.css"><link rel="icon" href="data:,">
            <script src="/console.js" defer></script></head>
            <body><a class="skip" href="#main">Skip to the content</a>
            \(header)
            <main id="main"><h1>\(title)</h1>
            \(try body())
            </main></body></html>

            """
        response = HTTPResponse(status: status, contentType: "text/html; charset=utf-8", body: markup.text)
    }

    private static func header(_ visit: Visit) -> HTML {
        let pages = visit.session.role == .operator ? operatorPages : moderatorPages
        let here = "/" + (visit.request.segments.first ?? "")
        let links = pages.map { page -> HTML in
            page.path == here
                ? "<li><a href=\"\(page.path)\" aria-current=\"page\">\(page.title)</a></li>"
                : "<li><a href=\"\(page.path)\">\(page.title)</a></li>"
        }
        return """
            <header><p class="brand">Darkroom</p><nav aria-label="Pages"><ul>\(HTML.all(links))</ul></nav>
            <form method="post" action="/sign-out" class="inline who"><input type="hidden" name="form_token" value="\(visit.session.formToken)">
            <span>\(visit.session.name), \(visit.session.role.rawValue)\(visit.mayAct ? "" : ", read-only")</span> <button>Sign out</button></form></header>
            """
    }
}

extension HTTPResponse {
    /// After a form, so that going back does not send it again.
    init(redirectingTo path: String) {
        self.init(status: 303, headers: ["Location": path, "Cache-Control": "no-store"])
    }
}
