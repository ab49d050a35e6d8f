import DarkroomClient
import Digests
import FoundationEssentials
import HTTPServer
import Pages
import Postgres

/// A page for each post that everybody may see, which names what other programs show when people send its address: the title, a
/// text and the picture (the Open Graph protocol, ogp.me).
struct SharePages: Sendable {
    /// Where the addresses of the pages begin.
    static let root = "p"
    /// What most programs show of a title and of a text, in characters.
    private static let longestTitle = 100
    private static let longestText = 200
    /// The width of the picture that other programs show large, in pixels, and the least of one that they do.
    private static let width = 1200
    private static let leastWidth = 300

    let client: DarkroomClient
    let options: SharingOptions

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard [.get, .head].contains(request.method) else {
            var problem = Problem(.methodNotAllowed, "Here, the methods are GET and HEAD.")
            problem.headers.add("Allow", "GET, HEAD")
            throw problem
        }
        let path = request.segments.dropFirst()
        let text = path.last == "" ? path.dropLast() : path
        guard text.count == 1, let first = text.first, let number = Int64(first), number > 0,
            "\(number)" == first,
            let row = try await row(of: number)
        else {
            return refusal(404, title: "No such post", "It was deleted, or it is not shown any more.")
        }
        let (head, title, body) = try page(of: number, row)
        var response = response(200, "public, max-age=\(Self.maxAge)", head: head, title: title, body: body)
        guard case .bytes(let bytes) = response.content else { return response }
        let tag = "\"\(SHA256Digest(hashing: bytes).hex.prefix(32))\""
        response.headers.add("ETag", tag)
        return request.hasTag(tag) ? HTTPResponse(status: 304, headers: response.headers) : response
    }

    /// A problem for people, who see it in a browser.
    func page(of problem: Problem) -> HTTPResponse {
        var page = refusal(problem.code.status, title: problem.code.title, problem.detail)
        for field in problem.response.headers.fields where page.headers[field.name] == nil {
            page.headers.add(field.name, field.value)
        }
        return page
    }

    private func refusal(_ status: Int, title: String, _ detail: String) -> HTTPResponse {
        response(
            status, "no-store", head: "<meta name=\"robots\" content=\"noindex\">", title: title,
            body: "<main><h1>\(title)</h1><p>\(detail)</p></main>")
    }

    /// A page is gone as soon as its post: caches may keep it for so many seconds, as the post itself.
    private static let maxAge = 5

    private func row(of post: Int64) async throws -> PostgresRow? {
        try await client.write(
            """
            select d.headline, d.caption, d.link, d.venue_name, d.credit, d.licence, d.display_name, d.published_at,
                   d.place_name, d.city_name, d.division_name, d.country_name, d.width is null as is_text,
                   p.media_key, p.format, p.width, p.height,
                   (select r.attributions from darkroom.posting_rules() r) as attributions
            from darkroom.post_details(\(post)) d
            left join lateral (
                select * from jsonb_to_recordset(d.pictures) p (media_key text, format text, width integer, height integer)
                order by p.format <> 'jpeg', p.width > \(Self.width), abs(p.width - \(Self.width)) limit 1) p on true
            """
        ).first
    }

    private func page(of number: Int64, _ row: PostgresRow) throws -> (head: HTML, title: String, body: HTML)
    {
        func text(_ name: String) throws -> String? { try row.decode(name) }
        let (headline, caption, link) = (try text("headline"), try text("caption"), try text("link"))
        let published: Date = try row.decode("published_at")
        var names: [String] = []
        for level in ["place_name", "city_name", "division_name", "country_name"] {
            if let name = try text(level), !names.contains(name) { names.append(name) }
        }
        let place = names.isEmpty ? nil : names.joined(separator: ", ")
        let plain = try row.decode("is_text", as: Bool.self) ? "A post" : "A photo"
        let whatAndWhere = place.map { "\(plain) from \($0)" } ?? plain
        let title = Self.line(headline ?? caption ?? whatAndWhere, atMost: Self.longestTitle)
        let description = Self.line(
            [headline == nil ? nil : caption, place].compactMap(\.self).joined(separator: " – "),
            atMost: Self.longestText)
        let address = "\(options.address)/\(Self.root)/\(number)"
        var head: HTML = """
            <link rel="canonical" href="\(address)">
            <meta property="og:type" content="article">
            <meta property="og:url" content="\(address)">
            <meta property="og:title" content="\(title)">
            <meta property="article:published_time" content="\(published.ISO8601Format())">

            """
        if !description.isEmpty {
            head += """
                <meta name="description" content="\(description)">
                <meta property="og:description" content="\(description)">

                """
        }
        if !options.host.isEmpty { head += "<meta property=\"og:site_name\" content=\"\(options.host)\">\n" }
        var body: HTML = "<h1 dir=\"auto\">\(headline ?? whatAndWhere)</h1>"
        var isLarge = false
        if let key = try text("media_key"), let format = try text("format") {
            let picture = "/\(APIServer.root)/pictures/\(key)"
            let (width, height) = (
                try row.decode("width", as: Int.self), try row.decode("height", as: Int.self)
            )
            isLarge = width >= Self.leastWidth
            head += """
                <meta property="og:image" content="\(options.address)\(picture)">
                <meta property="og:image:type" content="image/\(format)">
                <meta property="og:image:width" content="\(width)">
                <meta property="og:image:height" content="\(height)">
                <meta property="og:image:alt" content="\(whatAndWhere)">

                """
            // On the server that the page is on, by whatever name it was reached.
            body += """
                <img src="\(options.path)\(picture)" width="\(width)" height="\(height)" alt="\(whatAndWhere)">
                """
        }
        head += "<meta name=\"twitter:card\" content=\"\(isLarge ? "summary_large_image" : "summary")\">\n"
        if let caption { body += "<p class=\"caption\" dir=\"auto\">\(caption)</p>" }
        if let link {
            body += "<p><a href=\"\(link)\" rel=\"nofollow ugc noopener\"><bdi>\(link)</bdi></a></p>"
        }
        let author = try text("display_name")
        let said = [author, try text("venue_name"), place].compactMap(\.self).map {
            "<bdi>\($0)</bdi>" as HTML
        }
        let day = published.ISO8601Format().prefix(10)
        body += """
            <p class="soft">\(HTML.all(said + ["<time datetime=\"\(day)\">\(day)</time>"], between: " · "))</p>
            """
        let rights = [try text("credit").map { "Photo: \($0)" }, try text("licence")].compactMap(\.self)
        if !rights.isEmpty {
            body += "<p class=\"soft\">\(HTML.all(rights.map { "<bdi>\($0)</bdi>" }, between: " · "))</p>"
        }
        if let link = options.appLink {
            body += "<p><a href=\"\(link.replacing("{post_id}", with: "\(number)"))\">Open in the app</a></p>"
        }
        var page: HTML = "<main>\(body)</main>"
        let attributions: [String] = try row.decode("attributions", as: [String]?.self) ?? []
        if place != nil, !attributions.isEmpty {
            page += "<footer class=\"soft\">\(attributions.joined(separator: " "))</footer>"
        }
        return (head, title, page)
    }

    private static let style = """
        body{font:1rem/1.5 system-ui,sans-serif;max-width:45rem;margin:0 auto;padding:1rem;color:#1b1b1f;background:#fff}\
        img{display:block;max-width:100%;height:auto;border-radius:.5rem}h1{font-size:1.5rem;line-height:1.25}\
        h1,p{overflow-wrap:anywhere}.caption{white-space:pre-line}.soft{color:#55555e}footer{font-size:.85rem;margin-top:2rem}\
        @media(prefers-color-scheme:dark){body{color:#e9e9ee;background:#17171a}.soft{color:#a9a9b4}a{color:#9cc3ff}}
        """
    private static let styleHash = Data(SHA256Digest(hashing: Array(style.utf8)).bytes).base64EncodedString()

    /// The page loads its own pictures, and nothing else.
    private static let policy =
        "default-src 'none'; img-src 'self' data:; style-src 'sha256-\(styleHash)'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"

    private func response(_ status: Int, _ caching: String, head: HTML, title: String, body: HTML)
        -> HTTPResponse
    {
        let page: HTML = """
            <!doctype html>
            <html lang="en" prefix="og: https://ogp.me/ns#">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <link rel="icon" href="data:,">
            \(head)<style>\(HTML(stringLiteral: Self.style))</style>
            </head>
            <body>
            \(body)
            </body>
            </html>

            """
        return HTTPResponse(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": caching,
                "Content-Security-Policy": Self.policy, "Referrer-Policy": "strict-origin-when-cross-origin",
            ], content: .bytes(Array(page.text.utf8)))
    }

    /// A text in one line, cut if it is too long: between words, if one ends in its last third.
    private static func line(_ text: String, atMost most: Int) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard line.count > most else { return line }
        let start = line.prefix(most - 1)
        let end = start.lastIndex(of: " ").map { start[..<$0] } ?? ""
        return (end.count * 3 >= most * 2 ? end : start) + "…"
    }
}
