import Posts
import Testing

extension PostingPolicyTests {
    /// What an upload says, and what the policy objects to in it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: PostedText
        let objections: [String]
        let change: @Sendable (inout PostingPolicy) -> Void

        init(
            _ name: String, _ text: PostedText, _ objections: String...,
            policy change: @escaping @Sendable (inout PostingPolicy) -> Void = { _ in }
        ) {
            (testDescription, self.text, self.objections, self.change) = (name, text, objections, change)
        }
    }

    struct PostedText: Sendable {
        var headline: String?
        var caption: String?
        var category: String?
        var link: String?
        var accuracy: Double?
    }

    /// To Swift a space with a combining mark is not a space.
    static func words(_ text: String) -> [String] {
        text.unicodeScalars.split(separator: " ").map { String($0) }
    }

    static let ours = ["example.org", "maps.example"]

    static func link(_ url: String, _ host: String? = nil) -> Case {
        guard let host else {
            return Case("link \(url)", PostedText(link: url), policy: { $0.linkHosts = ours })
        }
        return Case("link \(url)", PostedText(link: url), "link_host_refused \(host)") { $0.linkHosts = ours }
    }

    static let cases: [Case] = [
        Case("nothing said, nothing required", PostedText()),
        Case(
            "everything said",
            PostedText(headline: "a", caption: "b", category: "c", link: "https://x.org", accuracy: 1e6)),
        Case("no headline", PostedText(caption: "b"), "headline_missing") { $0.headlineRequired = true },
        Case("a headline", PostedText(headline: "b")) { $0.headlineRequired = true },
        Case("no caption", PostedText(headline: "b"), "caption_missing") { $0.captionRequired = true },
        Case("no category", PostedText(), "category_missing") { $0.categoryRequired = true },
        Case("no category, some known", PostedText()) { $0.categories = ["food"] },
        Case("a known category", PostedText(category: "food")) { $0.categories = ["art", "food"] },
        Case("another category", PostedText(category: "foods"), "category_unknown “foods” food") {
            $0.categories = ["food"]
        },
        Case("a category in capitals", PostedText(category: "FOOD")) { $0.categories = ["Food"] },
        Case("a category composed otherwise", PostedText(category: "cafe\u{301}")) {
            $0.categories = ["caf\u{e9}"]
        },
        Case("no link", PostedText(), "link_missing") { $0.link = .required },
        Case("a link, required", PostedText(link: "http://x.org")) { $0.link = .required },
        Case("a link, refused", PostedText(link: "http://x.org"), "link_refused") { $0.link = .refused },
        Case("no link, refused", PostedText()) { $0.link = .refused },
        Case("a link refused is not a wrong host too", PostedText(link: "http://x.org"), "link_refused") {
            $0.link = .refused
            $0.linkHosts = ours
        },
        Case("an exact position", PostedText(accuracy: 100)) { $0.mostAccuracyMetres = 100 },
        Case("no known accuracy", PostedText()) { $0.mostAccuracyMetres = 100 },
        Case("a vague position", PostedText(accuracy: 100.25), "location_too_inaccurate 101 100") {
            $0.mostAccuracyMetres = 100
        },
        Case("all objections are told", PostedText(), "headline_missing", "caption_missing") {
            $0.headlineRequired = true
            $0.captionRequired = true
        },
        link("https://example.org"), link("https://example.org/a?b#c"),
        link("http://www.example.org:8080/"), link("HTTPS://EXAMPLE.ORG/"),
        link("https://example.org./"), link("https://a.b.maps.example?x"),
        link("https://badexample.org/", "badexample.org"),
        link("https://example.org.evil.net/", "example.org.evil.net"),
        link("https://evil.net/example.org", "evil.net"),
        link("https://evil.net?x.example.org", "evil.net"),
        link("https://evil.net#.example.org", "evil.net"),
        link("https://evil.net\\.example.org", "evil.net"),
        link("https://example.org@evil.net/", "evil.net"),
        link("https://example.org:x@evil.net/", "evil.net"),
        // To Swift a mark and the character before it are one; to a browser the host has already ended.
        link("https://evil.net/\u{301}.example.org/", "evil.net"),
        link("https://evil.net/\u{FE0F}.example.org/", "evil.net"),
        link("https://evil.net/\u{200D}.example.org/", "evil.net"),
        link("https://evil.net?\u{301}.example.org", "evil.net"),
        link("https://evil.net#\u{301}.example.org", "evil.net"),
        link("https://evil.net\\\u{301}.example.org", "evil.net"),
        link("https://evil.net:\u{301}.example.org/", "evil.net"),
        link("https://a@\u{301}evil.net/", "\u{301}evil.net"),
        link("https://\u{301}example.org/", "\u{301}example.org"),
        link("https://a.\u{301}example.org/", "a.\u{301}example.org"),
        link("https://[::1]/", "::1"),
        link("https://\u{435}xample.org/", "\u{435}xample.org"),
    ]
}
