/// What is a valid link of a post, without regular expressions: to compare with `darkroom.is_link` for every character.
///
/// It is an `http` or `https` URL in any case, with a host, an optional port, and no credentials, spaces or control
/// characters. The host ends where the WHATWG URL Standard ends it (section 3.2, forbidden host code points). It also
/// must not have characters that are invisible or change the direction of the text after them.
enum WebLink {
    static func isOne(_ text: String) -> Bool {
        // Compare scalars, because to Swift a slash with a combining mark is one character and not a slash.
        guard let rest = afterScheme(Array(text.unicodeScalars)) else { return false }
        let authority = rest.prefix { !"/?#".unicodeScalars.contains($0) }
        guard rest[authority.endIndex...].allSatisfy({ !isRefusedInPath($0.value) }) else { return false }
        let port: ArraySlice<Unicode.Scalar>
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return false }
            let number = authority[(authority.startIndex + 1)..<end]
            guard number.contains(":"), number.allSatisfy({ $0 == ":" || $0 == "." || isHexadecimal($0) })
            else { return false }
            port = authority[(end + 1)...]
        } else {
            let host = authority.prefix { $0 != ":" }
            guard host.allSatisfy(isTakenInHost), let first = host.first(where: { $0 != "-" && $0 != "_" }),
                !first.isASCII || first == "%" || isAlphanumeric(first)
            else { return false }
            port = authority[host.endIndex...]
        }
        return port.isEmpty
            || port.first == ":" && port.dropFirst().allSatisfy { ("0"..."9").contains($0) }
    }

    private static func afterScheme(_ text: [Unicode.Scalar]) -> ArraySlice<Unicode.Scalar>? {
        guard let colon = text.firstIndex(of: ":"), colon <= 5 else { return nil }
        let scheme = text[..<colon].map { $0.isASCII ? $0.value | 0x20 : 0 }
        guard ["http", "https"].contains(where: { $0.unicodeScalars.map(\.value) == scheme }) else {
            return nil
        }
        return text[colon...].starts(with: "://".unicodeScalars) ? text[(colon + 3)...] : nil
    }

    private static func isTakenInHost(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return !isControl(scalar.value) && !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
            && !"#/:<>?@[\\]^|".unicodeScalars.contains(scalar)
    }

    /// The same characters as PostgreSQL's `\s` in Unicode locales, which excludes no-break spaces.
    private static func isRefusedInPath(_ value: UInt32) -> Bool {
        switch value {
        case 0x20, 0x1680, 0x2000...0x2006, 0x2008...0x200A, 0x2028, 0x2029, 0x202D, 0x202E, 0x205F, 0x3000:
            true
        default: isControl(value)
        }
    }

    private static func isControl(_ value: UInt32) -> Bool {
        value < 0x20 || (0x7F...0x9F).contains(value)
    }

    private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "A"..."Z", "a"..."z": true
        default: false
        }
    }

    private static func isHexadecimal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "A"..."F", "a"..."f": true
        default: false
        }
    }
}
