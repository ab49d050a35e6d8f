package import FoundationEssentials

/// The texts that are published with a photo.
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

/// The rule for what posts must and must not say, without its effects.
///
/// Texts that are never valid (too long, with control characters, a link without a host) are refused when they are
/// enqueued. This rule has the operator's further wishes, which can change while uploads wait.
package struct PostingPolicy: Sendable, Equatable {
    /// Raw values are those of `darkroom.posting_policies.link`.
    package enum LinkRule: String, CaseIterable, Sendable {
        case optional, required, refused
    }

    package let version: Int
    package var headlineRequired = false
    package var captionRequired = false
    package var categoryRequired = false
    /// The allowed categories; nil for any.
    package var categories: [String]?
    package var link = LinkRule.optional
    /// Links may lead to these hosts, in lower case, and their subdomains. Nil for any.
    package var linkHosts: [String]?
    package var note = ""
    package var createdAt = Date(timeIntervalSince1970: 0)

    package init(version: Int) { self.version = version }

    /// The first problem with a post's texts; nil if there is none.
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
        // Older releases did not refuse these when they were enqueued.
        return WebLink.isOne(url) ? nil : .linkMalformed
    }

    /// Whether a host is a domain or one of its subdomains, compared byte by byte.
    private static func isAt(_ host: String, _ domain: String) -> Bool {
        host.utf8.elementsEqual(domain.utf8)
            || host.utf8.reversed().starts(with: ".\(domain)".utf8.reversed())
    }

    /// The host of an http URL in lower case, as browsers parse it: a backslash ends it like a slash, and text before
    /// an @ is not part of it (WHATWG URL Standard, section 4.4).
    ///
    /// It works on bytes, because to Swift a slash with a combining mark is one character and not a slash.
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

/// An objection of a posting policy to a post: a code for programs and a message for the uploader.
package enum PostingObjection: Sendable, Equatable {
    case headlineMissing
    case captionMissing
    case categoryMissing
    case categoryUnknown(String, known: [String])
    case linkMissing
    case linkRefused
    case linkHostRefused(String, allowed: [String])
    case linkMalformed

    /// Raw values are reasons of rejections.
    package enum Code: String, CaseIterable, Sendable {
        case headlineMissing = "headline_missing"
        case captionMissing = "caption_missing"
        case categoryMissing = "category_missing"
        case categoryUnknown = "category_unknown"
        case linkMissing = "link_missing"
        case linkRefused = "link_refused"
        case linkHostRefused = "link_host_refused"
        case linkMalformed = "link_malformed"
    }

    package var code: Code {
        switch self {
        case .headlineMissing: .headlineMissing
        case .captionMissing: .captionMissing
        case .categoryMissing: .categoryMissing
        case .categoryUnknown: .categoryUnknown
        case .linkMissing: .linkMissing
        case .linkRefused: .linkRefused
        case .linkHostRefused: .linkHostRefused
        case .linkMalformed: .linkMalformed
        }
    }

    package var message: String {
        switch self {
        case .headlineMissing: "A headline is required here. Please add one."
        case .captionMissing: "A caption is required here. Please add one."
        case .categoryMissing: "A category is required here. Please choose one."
        case .categoryUnknown(let category, let known):
            "The category “\(category)” does not exist here. Please choose one of: \(Self.list(known))."
        case .linkMissing: "A link is required here. Please add one."
        case .linkRefused: "Links are not allowed here. Please remove the link."
        case .linkHostRefused(let host, let allowed):
            "Links to \(host.isEmpty ? "this address" : host) are not allowed here. Please link to: \(Self.list(allowed))."
        case .linkMalformed: "This is not a valid page address. Please use one like https://example.org/."
        }
    }

    /// Lists at most ten, so that the message stays short.
    private static func list(_ names: [String]) -> String {
        names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and \(names.count - 10) more" : "")
    }
}
