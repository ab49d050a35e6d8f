import CExpat

/// Reads the properties of an XMP packet (XMP specification part 1, chapter 7): attributes and elements of an
/// `rdf:Description`, as a text, an address in `rdf:resource`, or a list of texts.
///
/// What a property's structure has, such as the place that a photo shows, is no property of the photo.
final class XMPParser {
    /// The usual prefixes of the namespaces in which properties are looked up.
    private static let prefixes = [
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf", "http://ns.adobe.com/exif/1.0/": "exif",
        "http://ns.adobe.com/tiff/1.0/": "tiff", "http://ns.adobe.com/xap/1.0/": "xmp",
        "http://ns.adobe.com/xap/1.0/rights/": "xmpRights", "http://ns.adobe.com/xmp/note/": "xmpNote",
        "http://ns.adobe.com/photoshop/1.0/": "photoshop",
        "http://cipa.jp/exif/1.0/": "exifEX", "http://purl.org/dc/elements/1.1/": "dc",
        "http://creativecommons.org/ns#": "cc",
        "http://web.resource.org/cc/": "cc",
    ]
    /// The prefixes of properties.
    private static let known = Set(prefixes.values.filter { $0 != "rdf" }.map { $0[...] })
    private static let transparent: Set<String> = [
        "rdf:Alt", "rdf:Bag", "rdf:Seq", "rdf:li", "rdf:value", "rdf:Description",
    ]
    private static let mostLevels = 64
    /// Of all packets of a photo. The masks of a photo editor have tens of thousands, which may stand before the position.
    static let mostElementsAndAttributes = 200_000
    private static let mostValues = 16
    private static let mostBytes = 1 << 16

    private let parser: XML_Parser
    private var properties: [String: [String]] = [:]
    /// How many elements and attributes may still be read.
    private var most: Int
    private var isStopped = false
    /// The open elements: the prefixes that each has declared, and whether its text is one of the open property, not of a
    /// structure in it.
    private var open: [(name: String, declared: [String], isText: Bool)] = []
    /// The namespaces of each prefix, the innermost last.
    private var namespaces: [String: [String]] = [:]
    /// The open property, the number of elements that were open before it, and its texts.
    private var property: (name: String, level: Int, values: [String])?
    /// Where the text in the default language is among those of the open property.
    private var defaultText: Int?
    /// The text of the open property since its last tag.
    private var text: [UInt8] = []

    private init(_ parser: XML_Parser, most: Int) { (self.parser, self.most) = (parser, most) }

    /// - Parameter most: how many elements and attributes may still be read.
    static func properties(of packet: [UInt8], most: inout Int) -> [String: [String]] {
        let bytes = readable(packet)
        var left = most
        let (properties, isWhole) = parse(bytes, most: &left)
        guard !isWhole, let repaired = withReferences(bytes) else {
            most = left
            return properties
        }
        // What was read twice counts once.
        return properties.merging(parse(repaired, most: &most).properties) { first, _ in first }
    }

    private static func parse(
        _ bytes: [UInt8], most: inout Int
    ) -> (properties: [String: [String]], isWhole: Bool) {
        // Zeros at the beginning are UTF-16, behind its mark or without one. Else it is UTF-8, whatever it says.
        let isUTF16 = bytes.prefix(4).contains(0)
        guard !bytes.isEmpty, bytes.count <= CInt.max, let parser = XML_ParserCreate(isUTF16 ? nil : "UTF-8")
        else { return ([:], true) }
        defer { XML_ParserFree(parser) }
        let reading = XMPParser(parser, most: most)
        defer { most = reading.most }
        XML_SetUserData(parser, Unmanaged.passUnretained(reading).toOpaque())
        XML_SetElementHandler(
            parser,
            { context, name, attributes in
                XMPParser.of(context).begin(String(cString: name!), attributes)
            }, { context, _ in XMPParser.of(context).end() })
        XML_SetCharacterDataHandler(parser) { context, bytes, count in
            XMPParser.of(context).add(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        }
        // It could define entities that grow.
        XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in XMPParser.of(context).stop() }
        return withExtendedLifetime(reading) {
            let status = bytes.withUnsafeBytes {
                XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), CInt($0.count), 1)
            }
            return (reading.properties, status == XML_STATUS_OK)
        }
    }

    /// A packet as XML, which some programs do not quite write.
    private static func readable(_ packet: [UInt8]) -> [UInt8] {
        var bytes = packet.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        if bytes.first == 0, bytes.count > 3, bytes[bytes.startIndex + 2] != 0 {
            bytes = bytes.drop { $0 == 0 }
        }
        guard !bytes.prefix(4).contains(0) else { return Array(bytes) }
        // Control characters.
        for at in bytes.indices where bytes[at] < 0x20 && ![0x0A, 0x0D, 0x09].contains(bytes[at]) {
            bytes[at] = 0x20
        }
        if String(validating: bytes, as: UTF8.self) == nil { bytes = withWindowsLetters(bytes)[...] }
        // A declaration that is not at the beginning, and characters that XML does not have.
        for mark in [Array("<?xml ".utf8), [0xEF, 0xBF, 0xBF], [0xEF, 0xBF, 0xBE]] {
            for at in bytes.indices.dropFirst() where bytes[at] == mark[0] && bytes[at...].starts(with: mark)
            {
                let end = mark[0] == 0x3C ? bytes[at...].firstIndex(of: 0x3E) : at + mark.count - 1
                // Without an end here, none behind has one: each search would go through the rest again.
                guard let end else { break }
                for place in at...end { bytes[place] = 0x20 }
            }
        }
        return Array(bytes)
    }

    /// With `&amp;` for each `&` that begins nothing XML knows, and `&lt;` for each `<` that begins no tag; nil if there is none.
    private static func withReferences(_ bytes: [UInt8]) -> [UInt8]? {
        guard !bytes.prefix(4).contains(0) else { return nil }
        let names = ["amp;", "lt;", "gt;", "quot;", "apos;", "#"].map { Array($0.utf8) }
        var result: [UInt8] = []
        var end = 0
        for at in bytes.indices {
            let reference: StaticString
            switch bytes[at] {
            case UInt8(ascii: "&") where !names.contains { bytes[(at + 1)...].starts(with: $0) }:
                reference = "&amp;"
            case UInt8(ascii: "<") where !bytes[(at + 1)...].prefix(1).contains(where: beginsTag):
                reference = "&lt;"
            default: continue
            }
            result += bytes[end..<at]
            reference.withUTF8Buffer { result += $0 }
            end = at + 1
        }
        return end > 0 ? result + bytes[end...] : nil
    }

    /// Whether a `<` with this behind it is one of XML's: a letter, which may be one of another script, or one of `_:/!?`.
    private static func beginsTag(_ byte: UInt8) -> Bool {
        byte >= 0x80 || 0x41...0x5A ~= byte & 0xDF || "_:/!?".utf8.contains(byte)
    }

    /// What is no UTF-8 taken for Windows-1252.
    private static func withWindowsLetters(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var rest = bytes.makeIterator()
        var at = bytes.startIndex
        var parser = Unicode.UTF8.ForwardParser()
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let letter):
                text += letter
                at += letter.count
            case .error(let length):
                for byte in bytes[at..<at + length] { text += String(IPTCBlock.windowsLetter(byte)).utf8 }
                at += length
            case .emptyInput: return text
            }
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMPParser {
        Unmanaged<XMPParser>.fromOpaque(context!).takeUnretainedValue()
    }

    private typealias RawAttributes = UnsafeMutablePointer<UnsafePointer<XML_Char>?>

    /// Nil once there are more than any photo has.
    private func counted(_ attributes: RawAttributes?) -> [(name: String, value: String)]? {
        most -= 1
        var pairs: [(name: String, value: String)] = []
        var at = attributes
        while let name = at?[0], let value = at?[1], most >= 0 {
            most -= 1
            pairs.append((String(cString: name), String(cString: value)))
            at = at?.advanced(by: 2)
        }
        return most >= 0 ? pairs : nil
    }

    /// Expat may still end the element that has just begun.
    private func stop() {
        isStopped = true
        XML_StopParser(parser, 0)
    }

    private func begin(_ rawName: String, _ attributes: RawAttributes?) {
        guard open.count < Self.mostLevels, let attributes = counted(attributes) else { return stop() }
        var declared: [String] = []
        for attribute in attributes where attribute.name.hasPrefix("xmlns:") || attribute.name == "xmlns" {
            let prefix = String(attribute.name.dropFirst(6))
            declared.append(prefix)
            namespaces[prefix, default: []].append(attribute.value)
        }
        let name = usualName(rawName.contains(":") ? rawName : ":" + rawName)
        let isInDescription = open.last?.name == "rdf:Description"
        if property != nil {
            keepText()
            if attributes.contains(where: { $0 == ("xml:lang", "x-default") }) {
                defaultText = property?.values.count
            }
            let isText = open.last?.isText == true && Self.transparent.contains(name)
            open.append((name, declared, isText))
            return
        }
        open.append((name, declared, true))
        // What another node refers to is no description of the photo.
        let isReferredTo =
            name == "rdf:Description"
            && attributes.contains { attribute in
                switch usualName(attribute.name) {
                case "rdf:nodeID", "rdf:ID": true
                case "rdf:about": attribute.value.hasPrefix("#")
                default: false
                }
            }
        if isReferredTo {
            property = ("", open.count - 1, [])
            return
        }
        if name != "rdf:Description", isInDescription || Self.isKnown(name) {
            let value = attributes.first { ["rdf:resource", "rdf:value"].contains(usualName($0.name)) }?.value
            property = (name, open.count - 1, value.map { [$0] } ?? [])
            defaultText = nil
            text = []
            return
        }
        for attribute in attributes {
            let name = usualName(attribute.name)
            if Self.isKnown(name), properties[name] == nil { properties[name] = [attribute.value] }
        }
    }

    private func end() {
        guard !isStopped else { return }
        keepText()
        for prefix in open.removeLast().declared { namespaces[prefix]?.removeLast() }
        guard var ended = property, ended.level == open.count else { return }
        if let at = defaultText, ended.values.indices.contains(at) {
            ended.values.insert(ended.values.remove(at: at), at: 0)
        }
        if properties[ended.name] == nil { properties[ended.name] = ended.values }
        property = nil
    }

    private func add(_ bytes: UnsafeRawBufferPointer) {
        if property != nil, text.count < Self.mostBytes { text += bytes }
    }

    /// Adds what was read since the last tag, if it is not a part of a structure.
    private func keepText() {
        defer { text = [] }
        guard let values = property?.values.count, values < Self.mostValues, open.last?.isText == true,
            text.contains(where: { $0 > 0x20 })
        else { return }
        property?.values.append(String(decoding: text, as: UTF8.self))
    }

    private static func isKnown(_ name: String) -> Bool {
        name.firstIndex(of: ":").map { known.contains(name[..<$0]) } ?? false
    }

    /// With the usual prefix of its namespace, or as it is: a prefix without a namespace is taken for the usual one.
    private func usualName(_ name: String) -> String {
        guard let colon = name.firstIndex(of: ":") else { return name }
        let prefix = String(name[..<colon])
        guard let namespace = namespaces[prefix]?.last else {
            return prefix.isEmpty ? String(name[name.index(after: colon)...]) : name
        }
        return (Self.prefixes[namespace] ?? Self.prefixes[namespace + "/"] ?? namespace) + name[colon...]
    }
}
