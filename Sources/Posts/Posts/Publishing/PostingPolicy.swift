package import FoundationEssentials

/// What is said of a photo and published with it.
package struct PostedText: Sendable, Equatable {
    package var headline: String?
    package var caption: String?
    package var category: String?
    package var link: String?

    package init(
        headline: String? = nil, caption: String? = nil, category: String? = nil, link: String? = nil
    ) {
        self.headline = headline
        self.caption = caption
        self.category = category
        self.link = link
    }
}

/// What posts must and must not say: the rule, without its effects.
///
/// What no text may be (too long, with control characters, a link without a host) is refused at the enqueue; this is
/// what a house wants beyond, and may change while uploads wait.
package struct PostingPolicy: Sendable, Equatable {
    /// Raw values are those of `darkroom.posting_policies.link`.
    package enum LinkRule: String, CaseIterable, Sendable {
        case optional, required, refused
    }

    package let version: Int
    package var headlineRequired = false
    package var captionRequired = false
    package var categoryRequired = false
    /// The categories there are; nil for any.
    package var categories: [String]?
    package var link = LinkRule.optional
    /// In lower case; a link may lead to them and to their subdomains. Nil for any.
    package var linkHosts: [String]?
    package var note = ""
    package var createdAt = Date(timeIntervalSince1970: 0)

    package init(version: Int) { self.version = version }

    /// What is wrong with a post's texts, the first thing first; nil where nothing is.
    package func objection(to text: PostedText) -> PostingObjection? {
        if headlineRequired, text.headline == nil { return .headlineMissing }
        if captionRequired, text.caption == nil { return .captionMissing }
        if let category = text.category {
            if let categories, !categories.contains(category) {
                return .categoryUnknown(category, known: categories)
            }
        } else if categoryRequired {
            return .categoryMissing
        }
        guard let url = text.link else { return link == .required ? .linkMissing : nil }
        if link == .refused { return .linkRefused }
        if let linkHosts {
            let host = Self.host(of: url)
            guard linkHosts.contains(where: { Self.isAt(host, $0) }) else {
                return .linkHostRefused(host, allowed: linkHosts)
            }
        }
        // Refused at the enqueue by now, but not by every release before.
        return WebLink.isOne(url) ? nil : .linkMalformed
    }

    /// Whether a host is a domain or below it, byte for byte.
    private static func isAt(_ host: String, _ domain: String) -> Bool {
        host.utf8.elementsEqual(domain.utf8)
            || host.utf8.reversed().starts(with: ".\(domain)".utf8.reversed())
    }

    /// The host of an http URL, in lower case, as a browser takes it: a backslash ends it like a slash, and what stands
    /// before an @ is not part of it (WHATWG URL Standard, section 4.4).
    ///
    /// Byte by byte: to Swift a slash and a combining mark after it are one character, which is no slash.
    static func host(of url: String) -> String {
        let bytes = Array(url.utf8)
        guard let start = bytes.firstRange(of: Array("://".utf8))?.upperBound else { return "" }
        var authority = bytes[start...].prefix { !hostEnds.contains($0) }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
        if authority.first == UInt8(ascii: "[") {
            authority = authority.prefix { $0 != UInt8(ascii: "]") }.dropFirst()
        } else {
            authority = authority.prefix { $0 != UInt8(ascii: ":") }
        }
        if authority.last == UInt8(ascii: ".") { authority = authority.dropLast() }
        return String(decoding: authority, as: UTF8.self).lowercased()
    }

    private static let hostEnds = Array("/?#\\".utf8)
}

/// What a posting policy has against a post: a code for programs and a sentence that its uploader can be shown.
package enum PostingObjection: Sendable, Equatable {
    case headlineMissing
    case captionMissing
    case categoryMissing
    case categoryUnknown(String, known: [String])
    case linkMissing
    case linkRefused
    case linkHostRefused(String, allowed: [String])
    case linkMalformed

    package var code: String {
        switch self {
        case .headlineMissing: "headline_missing"
        case .captionMissing: "caption_missing"
        case .categoryMissing: "category_missing"
        case .categoryUnknown: "category_unknown"
        case .linkMissing: "link_missing"
        case .linkRefused: "link_refused"
        case .linkHostRefused: "link_host_refused"
        case .linkMalformed: "link_malformed"
        }
    }

    package var message: String {
        switch self {
        case .headlineMissing: "A headline is required here. Please add one."
        case .captionMissing: "A caption is required here. Please add one."
        case .categoryMissing: "A category is required here. Please choose one."
        case .categoryUnknown(let category, let known):
            "There is no category “\(category)” here. Please choose one of: \(Self.list(known))."
        case .linkMissing: "A link is required here. Please add one."
        case .linkRefused: "Links are not taken here. Please leave it out."
        case .linkHostRefused(let host, let allowed):
            "Links to \(host.isEmpty ? "such an address" : host) are not taken here. Please link to: \(Self.list(allowed))."
        case .linkMalformed: "The link is no address of a page. Please give one like https://example.org/."
        }
    }

    /// At most ten, so that a sentence remains one.
    private static func list(_ names: [String]) -> String {
        names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and \(names.count - 10) more" : "")
    }
}
