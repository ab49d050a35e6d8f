extension XMPBlock {
    /// `dc:creator`; several are separated by commas.
    var creator: String? {
        let names = values("dc:creator")
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
    var credit: String? { values("photoshop:Credit").first }
    /// `dc:rights`, in the first of its languages, which is the default.
    var copyright: String? { values("dc:rights").first }
    /// The address of the licence's page: `xmpRights:WebStatement`, or else Creative Commons' `cc:license`.
    var licence: String? { values("xmpRights:WebStatement").first ?? values("cc:license").first }

    /// The texts of a property, which has its usual prefix and is an attribute, an element with a text, an address in
    /// `rdf:resource`, or a list of `rdf:li`. Only its first occurrence counts; at most 16 texts, within 64 KiB.
    private func values(_ name: String) -> [String] {
        let bytes = text.utf8
        let key = Array(name.utf8)
        var rest = bytes[...]
        while let start = rest.firstIndex(of: key[0]) {
            rest = bytes[start...]
            guard rest.starts(with: key), start > bytes.startIndex else {
                rest = rest.dropFirst()
                continue
            }
            let before = bytes[bytes.index(before: start)]
            rest = rest.dropFirst(key.count)
            let after = rest.prefix(1 << 16)
            if before == UInt8(ascii: "<"), let next = after.first,
                Self.isSpace(next) || next == UInt8(ascii: ">") || next == UInt8(ascii: "/")
            {
                return Self.contents(of: Array(after), name: key)
            }
            if Self.isSpace(before), let value = Self.quoted(after) { return [value] }
        }
        return []
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// The value of an attribute, whose name ends where `bytes` begin.
    private static func quoted(_ bytes: some Collection<UInt8>) -> String? {
        let equals = bytes.drop(while: isSpace)
        guard equals.first == UInt8(ascii: "=") else { return nil }
        let value = equals.dropFirst().drop(while: isSpace)
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return nil
        }
        return plain(value.dropFirst().prefix { $0 != quote })
    }

    /// The texts of an element, whose name in the start tag ends where `bytes` begin.
    private static func contents(of bytes: [UInt8], name: [UInt8]) -> [String] {
        let tag = bytes.prefix { $0 != UInt8(ascii: ">") }
        let resource = Array("rdf:resource".utf8)
        for at in tag.indices where tag[at...].starts(with: resource) {
            return quoted(tag[(at + resource.count)...]).map { [$0] } ?? []
        }
        guard tag.last != UInt8(ascii: "/") else { return [] }
        var found: [String] = []
        var rest = bytes.dropFirst(tag.count + 1)
        var isText = true
        let end = Array("/".utf8) + name
        while found.count < 16 {
            let content = rest.prefix { $0 != UInt8(ascii: "<") }
            if isText, content.contains(where: { !isSpace($0) }) { found.append(plain(content)) }
            rest = rest.dropFirst(content.count + 1)
            guard !rest.isEmpty, !rest.starts(with: end) else { break }
            isText = rest.starts(with: Array("rdf:li".utf8))
            rest = rest.dropFirst(rest.prefix { $0 != UInt8(ascii: ">") }.count + 1)
        }
        return found
    }

    /// With the five entities of XML and numbers of characters replaced. Nothing else is one: a packet cannot define any.
    private static func plain(_ bytes: some Collection<UInt8>) -> String {
        let parts = String(decoding: bytes, as: UTF8.self).split(
            separator: "&", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts[0])) { text, part in
            guard let end = part.prefix(12).firstIndex(of: ";"), let scalar = character(part[..<end]) else {
                return text + "&" + part
            }
            return text + String(scalar) + part[end...].dropFirst()
        }
    }

    private static func character(_ entity: Substring) -> Character? {
        switch entity {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard entity.first == "#" else { return nil }
            let digits = entity.dropFirst()
            let number =
                digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap { Unicode.Scalar($0) }.map { Character($0) }
        }
    }
}
