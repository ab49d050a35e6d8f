/// Who made a photo, and on what terms others may use it: what its renditions may carry if the recipe says so.
package struct PhotoCredit: Codable, Sendable, Hashable {
    /// Who made it (`dc:creator`); several are separated by commas.
    package private(set) var creator: String?
    /// Whom to name next to it (`photoshop:Credit`).
    package private(set) var credit: String?
    /// The copyright notice (`dc:rights`).
    package private(set) var copyright: String?
    /// The address of a page about its licence (`xmpRights:WebStatement`).
    package private(set) var licence: String?

    /// The longest value, in Unicode scalars.
    package static let longest = 500

    /// Cleans the values. What is then empty, or no web address, is nil.
    ///
    /// - Returns: nil if nothing is left.
    package init?(creator: String?, credit: String?, copyright: String?, licence: String?) {
        self.creator = creator.flatMap { Self.clean($0) }
        self.credit = credit.flatMap { Self.clean($0) }
        self.copyright = copyright.flatMap { Self.clean($0) }
        self.licence = licence.flatMap { Self.webAddress($0) }
        if self.creator == nil, self.credit == nil, self.copyright == nil, self.licence == nil { return nil }
    }

    /// Whether no value would be changed by cleaning it. A value that was decoded need not be clean.
    var isClean: Bool {
        PhotoCredit(creator: creator, credit: credit, copyright: copyright, licence: licence) == self
    }

    /// One line without anything that is not seen: no control characters, no marks that turn the direction of writing, no
    /// private or unassigned code points. White space becomes single spaces. The end of a long text is cut off.
    package static func clean(_ text: String) -> String? {
        var kept = String.UnicodeScalarView()
        var count = 0
        var isAfterSpace = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                isAfterSpace = count > 0
                continue
            }
            guard isShown(scalar) else { continue }
            guard count + (isAfterSpace ? 2 : 1) <= longest else { break }
            if isAfterSpace {
                kept.append(" ")
                count += 1
                isAfterSpace = false
            }
            kept.append(scalar)
            count += 1
        }
        return kept.isEmpty ? nil : String(kept)
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Persian and the scripts of India need the two joiners inside words.
        case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
        case .control, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// An http or https address (RFC 3986) without a user's name; nil for everything else. An address is never shortened.
    package static func webAddress(_ text: String) -> String? {
        guard let address = clean(text), text.unicodeScalars.count <= longest else { return nil }
        let lower = address.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }) else { return nil }
        let rest = address.utf8.dropFirst(scheme.utf8.count)
        let host = rest.prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        let refused = Array("\"<>\\^`{|}".utf8)
        guard !host.isEmpty, !host.contains(UInt8(ascii: "@")),
            rest.allSatisfy({ 0x21...0x7E ~= $0 && !refused.contains($0) })
        else { return nil }
        return address
    }
}
