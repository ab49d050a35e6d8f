import PlainText

extension ObjectStoreError {
    static func malformed(_ why: String) -> ObjectStoreError {
        ObjectStoreError(
            .malformedLocation, operation: "read the location of the object store",
            message: "\(why); write it like \(ObjectStoreLocation.example)")
    }
}

extension ObjectStoreLocation {
    static func withoutScheme(_ text: String) throws(ObjectStoreError) -> Substring {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .malformed("it has a character that is not visible ASCII")
        }
        guard text.lowercased().hasPrefix("s3://") else { throw .malformed("it does not begin with s3://") }
        if text.contains("#") { throw .malformed("it has a #") }
        return text.dropFirst(5)
    }

    static func parameters(_ text: Substring?) throws(ObjectStoreError) -> [String: String] {
        var found: [String: String] = [:]
        for pair in text?.split(separator: "&", omittingEmptySubsequences: false) ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard ["endpoint", "region", "style"].contains(name) else {
                // Not shown: it may be somebody's secret.
                throw .malformed(
                    "after the question mark come endpoint, region and style, joined by &, and nothing else")
            }
            guard parts.count == 2, !parts[1].isEmpty else { throw .malformed("\(name) has no value") }
            guard let value = String(parts[1]).percentDecoded() else {
                throw .malformed("the value of \(name) has a % without two hexadecimal digits")
            }
            guard found.updateValue(value, forKey: name) == nil else {
                throw .malformed("\(name) is there twice")
            }
        }
        return found
    }

    /// Amazon's rules: 3 to 63 lower-case letters, digits, dots and hyphens.
    static func bucket(_ name: String) throws(ObjectStoreError) -> String {
        if name.contains("@") {
            throw .malformed(
                "keys do not belong there; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
        }
        let inner = Set("abcdefghijklmnopqrstuvwxyz0123456789.-".utf8)
        let outer = inner.subtracting(".-".utf8)
        guard (3...63).contains(name.utf8.count), inner.isSuperset(of: name.utf8), !name.contains(".."),
            let first = name.utf8.first, let last = name.utf8.last, outer.isSuperset(of: [first, last]),
            !isIPv4(name)
        else {
            throw .malformed(
                "a bucket's name has 3 to 63 lower-case letters, digits, dots and hyphens, and begins and ends with a letter or digit"
            )
        }
        return name
    }

    static func prefix(_ text: String) throws(ObjectStoreError) -> String {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        if trimmed.isEmpty {
            guard text.isEmpty else { throw .malformed("the prefix is empty") }
            return ""
        }
        guard trimmed.utf8.count <= 256 else { throw .malformed("the prefix has more than 256 characters") }
        for component in trimmed.split(separator: "/", omittingEmptySubsequences: false) {
            if component.isEmpty || component == "." || component == ".." {
                throw .malformed("the prefix has an empty part, or one that is . or ..")
            }
            guard component.utf8.allSatisfy({ String(UnicodeScalar($0)).percentEncoded().utf8.count == 1 })
            else {
                throw .malformed("the prefix has letters, digits, - . _ ~ and slashes, and nothing else")
            }
        }
        return trimmed + "/"
    }

    static func region(_ name: String) throws(ObjectStoreError) -> String {
        guard (1...64).contains(name.utf8.count),
            name.utf8.allSatisfy({
                $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") || ($0 >= 0x30 && $0 <= 0x39)
                    || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A)
            })
        else { throw .malformed("a region has letters, digits and hyphens, such as eu-central-1") }
        return name
    }

    static func endpoint(_ text: String) throws(ObjectStoreError) -> Endpoint {
        let lower = text.lowercased()
        let isEncrypted = lower.hasPrefix("https://")
        guard isEncrypted || lower.hasPrefix("http://") else {
            throw .malformed("the endpoint begins with https:// or http://")
        }
        var rest = lower.dropFirst(isEncrypted ? 8 : 7)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        if rest.contains("@") {
            throw .malformed("keys do not belong there; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
        }
        if rest.contains("/") || rest.contains("?") {
            throw .malformed("the endpoint is a host and perhaps a port, without a path")
        }
        var host = rest
        var port: UInt16?
        if let colon = rest.lastIndex(of: ":"), rest.last != "]" {
            let digits = rest[rest.index(after: colon)...]
            guard let number = UInt16(digits), number > 0, !digits.hasPrefix("+") else {
                throw .malformed("the endpoint's port is a number from 1 to 65535")
            }
            host = rest[..<colon]
            port = number == (isEncrypted ? 443 : 80) ? nil : number
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let inner = isBracketed ? host.dropFirst().dropLast() : host
        let isValid =
            !inner.isEmpty && host.utf8.count <= 255
            && inner.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."):
                    true
                case UInt8(ascii: "-"), UInt8(ascii: "_"): !isBracketed
                case UInt8(ascii: ":"): isBracketed
                default: false
                }
            }
        guard isValid else {
            throw .malformed("the endpoint's host is a name, an IPv4 address, or an IPv6 address in brackets")
        }
        return Endpoint(isEncrypted: isEncrypted, host: String(host), port: port)
    }

    static func isIPv4(_ host: some StringProtocol) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}

extension ObjectStoreLocation.Endpoint {
    /// Whether the host is an address, or means this machine: no bucket's name can come before it.
    var isAddress: Bool { host.hasPrefix("[") || ObjectStoreLocation.isIPv4(host) }

    /// Whether the host is this machine, which no proxy leads to.
    var isLoopback: Bool {
        host == "localhost" || host == "[::1]"
            || (ObjectStoreLocation.isIPv4(host) && host.hasPrefix("127."))
    }
}
