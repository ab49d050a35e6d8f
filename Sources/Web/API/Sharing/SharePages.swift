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
    /// The width of the picture that other programs show large, in pixels.
    private static let width = 1200

    let client: DarkroomClient
    let options: SharingOptions
    /// How long caches may keep a page, in seconds: as long as a picture.
    let maxAge: Int

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard [.get, .head].contains(request.method) else {
            var problem = Problem(.methodNotAllowed, "Here, the methods are GET and HEAD.")
            problem.headers.add("Allow", "GET, HEAD")
            throw problem
        }
        guard request.segments.count == 2, let number = Int64(request.segments[1]), number > 0,
            let row = try await row(of: number)
        else {
            return response(
                404, head: "<meta name=\"robots\" content=\"noindex\">", title: "No such post",
                body: """
                    <h1>No such post</h1><p>It was deleted, or it is not shown any more.</p>
                    """)
        }
        return try page(of: number, row)
    }

    private func row(of post: Int64) async throws -> PostgresRow? {
        try await client.read(
            """
            select d.headline, d.caption, d.display_name, d.published_at, d.place_name, d.city_name, d.division_name, d.country_name,
                   d.width is null as is_text, p.media_key, p.width, p.height,
                   (select r.attributions from darkroom.posting_rules() r) as attributions
            from darkroom.post_details(\(post)) d
            left join lateral (
                select * from jsonb_to_recordset(d.pictures) p (media_key text, format text, width integer, height integer)
                where p.format = 'jpeg' order by p.width > \(Self.width), abs(p.width - \(Self.width)) limit 1) p on true
            """
        ).first
    }

    private func page(of number: Int64, _ row: PostgresRow) throws -> HTTPResponse {
        let headline: String? = try row.decode("headline")
        let caption: String? = try row.decode("caption")
        let name: String? = try row.decode("display_name")
        let published: Date = try row.decode("published_at")
        let isText: Bool = try row.decode("is_text")
        let key: String? = try row.decode("media_key")
        let attributions: [String] = try row.decode("attributions", as: [String]?.self) ?? []
        var names: [String] = []
        for level in ["place_name", "city_name", "division_name", "country_name"] {
            if let name = try row.decode(level, as: String?.self), !names.contains(name) {
                names.append(name)
            }
        }
        let place = names.isEmpty ? nil : names.joined(separator: ", ")
        let plain = isText ? "A post" : "A photo"
        let title = Self.line(
            headline ?? caption ?? place.map { "\(plain) from \($0)" } ?? plain, atMost: Self.longestTitle)
        let text = Self.line(
            [headline == nil ? nil : caption, place].compactMap(\.self).joined(separator: " – "),
            atMost: Self.longestText)
        let address = "\(options.address)/\(Self.root)/\(number)"
        var head: HTML = """
            <meta name="description" content="\(text)">
            <link rel="canonical" href="\(address)">
            <meta property="og:type" content="article">
            <meta property="og:url" content="\(address)">
            <meta property="og:title" content="\(title)">
            <meta property="og:description" content="\(text)">
            <meta property="article:published_time" content="\(published.ISO8601Format())">
            <meta name="twitter:card" content="\(key == nil ? "summary" : "summary_large_image")">

            """
        var body: HTML = headline.map { "<h1 dir=\"auto\">\($0)</h1>" } ?? .empty
        if let key {
            let picture = "\(options.address)/\(APIServer.root)/pictures/\(key)"
            let (width, height) = (
                try row.decode("width", as: Int.self), try row.decode("height", as: Int.self)
            )
            head += """
                <meta property="og:image" content="\(picture)">
                <meta property="og:image:type" content="image/jpeg">
                <meta property="og:image:width" content="\(width)">
                <meta property="og:image:height" content="\(height)">
                <meta property="og:image:alt" content="\(title)">

                """
            body += "<img src=\"\(picture)\" width=\"\(width)\" height=\"\(height)\" alt=\"\(title)\">"
        }
        if let caption { body += "<p class=\"caption\" dir=\"auto\">\(caption)</p>" }
        let said = [name, place].compactMap(\.self).map { "<bdi>\($0)</bdi>" as HTML }
        body += "<p class=\"soft\">\(HTML.all(said, between: " · "))</p>"
        if let link = options.appLink {
            body += "<p><a href=\"\(link.replacing("{post_id}", with: "\(number)"))\">Open in the app</a></p>"
        }
        if place != nil, !attributions.isEmpty {
            body += "<footer class=\"soft\">\(attributions.joined(separator: " "))</footer>"
        }
        return response(200, head: head, title: title, body: body)
    }

    private static let style = """
        body{font:1rem/1.5 system-ui,sans-serif;max-width:45rem;margin:0 auto;padding:1rem;color:#1b1b1f;background:#fff}\
        img{display:block;max-width:100%;height:auto;border-radius:.5rem}h1{font-size:1.5rem;line-height:1.25}\
        h1,p{overflow-wrap:anywhere}.caption{white-space:pre-line}.soft{color:#55555e}footer{font-size:.85rem;margin-top:2rem}\
        @media(prefers-color-scheme:dark){body{color:#e9e9ee;background:#17171a}.soft{color:#a9a9b4}a{color:#9cc3ff}}
        """
    private static let styleHash = Data(SHA256Digest(hashing: Array(style.utf8)).bytes).base64EncodedString()

    /// The page loads its own pictures, and nothing else.
    private var policy: String {
        "default-src 'none'; img-src 'self' data:\(options.address.isEmpty ? "" : " \(options.address)/"); "
            + "style-src 'sha256-\(Self.styleHash)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }

    private func response(_ status: Int, head: HTML, title: String, body: HTML) -> HTTPResponse {
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
            <body><main>
            \(body)
            </main></body>
            </html>

            """
        return HTTPResponse(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "public, max-age=\(maxAge)",
                "Content-Security-Policy": policy, "Referrer-Policy": "strict-origin-when-cross-origin",
            ], content: .bytes(Array(page.text.utf8)))
    }

    /// A text in one line, cut between words if it is too long.
    private static func line(_ text: String, atMost most: Int) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard line.count > most else { return line }
        let start = line.prefix(most - 1)
        let end = start.lastIndex(of: " ").map { start[..<$0] } ?? start
        return end + "…"
    }
}
