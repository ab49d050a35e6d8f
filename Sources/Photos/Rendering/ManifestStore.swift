import Imaging

/// A manifest store of C2PA (Content Credentials): JUMBF boxes (ISO 19566-5) with claims in CBOR (RFC 8949).
///
/// Only the claim generator is read: the program that made the active claim, which is the last one in the store (C2PA
/// specification 2.1, sections 10.3 and 11.1). Signatures are not checked.
enum ManifestStore {
    /// Of a longer store, the rest is not read. Bytes.
    static let longest = 4 << 20
    private static let deepest = 8

    /// The claim generator's name, as one line; nil if the bytes are damaged or do not say it.
    static func claimGenerator(in bytes: [UInt8]) -> String? {
        var claim: ArraySlice<UInt8>?
        visit(bytes[...], depth: 0) { claim = $0 }
        var reader = claim.map { CBORReader($0) }
        return reader?.claimGenerator().flatMap { PhotoCredit.clean($0) }
    }

    /// Calls `body` with the content of each claim.
    private static func visit(_ bytes: ArraySlice<UInt8>, depth: Int, _ body: (ArraySlice<UInt8>) -> Void) {
        guard depth < deepest else { return }
        var rest = bytes
        var isClaim = false
        while let (kind, content, after) = box(rest) {
            rest = after
            switch kind {
            case "jumb": visit(content, depth: depth + 1, body)
            case "jumd":
                // A type of 16 bytes, a byte of flags, and the label up to a zero.
                let label = content.dropFirst(17).prefix { $0 != 0 }
                isClaim = label.elementsEqual("c2pa.claim".utf8) || label.elementsEqual("c2pa.claim.v2".utf8)
            case "cbor" where isClaim: body(content)
            default: break
            }
        }
    }

    /// The first box: its kind, its content and what follows.
    private static func box(
        _ bytes: ArraySlice<UInt8>
    ) -> (kind: String, content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        guard bytes.count >= 8 else { return nil }
        func number(_ offset: Int, _ count: Int) -> UInt64 {
            bytes.dropFirst(offset).prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
        }
        let kind = String(decoding: bytes.dropFirst(4).prefix(4), as: UTF8.self)
        var header = 8
        var size = number(0, 4)
        if size == 1 {
            guard bytes.count >= 16 else { return nil }
            (header, size) = (16, number(8, 8))
        } else if size == 0 {
            size = UInt64(bytes.count)
        }
        guard size >= UInt64(header), size <= UInt64(bytes.count) else { return nil }
        return (kind, bytes.dropFirst(header).prefix(Int(size) - header), bytes.dropFirst(Int(size)))
    }
}

/// Walks over CBOR. Nil means damaged bytes, or what claims do not contain.
private struct CBORReader {
    private enum Major: UInt8 {
        case unsigned, negative, bytes, text, array, map, tag, simple
    }

    private var rest: ArraySlice<UInt8>
    private static let deepest = 16

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Reads a claim, which is a map. A claim of the first version has one text, later ones have a map or a list of maps.
    mutating func claimGenerator() -> String? {
        var name: String?
        forEachEntry { reader, key in
            switch key {
            case "claim_generator": name = reader.text()
            case "claim_generator_info":
                guard let found = reader.generatorName() else { return false }
                name = name ?? found
            default: return reader.skip(depth: 0)
            }
            return name != nil
        }
        return name
    }

    private mutating func generatorName() -> String? {
        if let first = rest.first, Major(rawValue: first >> 5) == .array {
            guard let (_, count) = header(), count > 0 else { return nil }
        }
        var name: String?
        forEachEntry { reader, key in
            guard key == "name", name == nil else { return reader.skip(depth: 0) }
            name = reader.text()
            return name != nil
        }
        return name
    }

    /// Calls `body` at the value of each entry with a text as its key, until it returns false.
    private mutating func forEachEntry(_ body: (inout CBORReader, String) -> Bool) {
        guard let (major, count) = header(), major == .map else { return }
        for _ in 0..<min(count, UInt64(rest.count)) {
            guard let key = text(), body(&self, key) else { return }
        }
    }

    private mutating func text() -> String? {
        guard let (major, count) = header(), major == .text, count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return String(validating: rest.prefix(Int(count)), as: UTF8.self)
    }

    /// Skips one value.
    private mutating func skip(depth: Int) -> Bool {
        guard depth < Self.deepest, let (major, count) = header() else { return false }
        switch major {
        case .unsigned, .negative, .simple: return true
        case .bytes, .text:
            guard count <= UInt64(rest.count) else { return false }
            rest = rest.dropFirst(Int(count))
            return true
        case .tag: return skip(depth: depth + 1)
        case .array, .map:
            // Every value takes a byte, so a larger count is damaged.
            guard count <= UInt64(rest.count) else { return false }
            for _ in 0..<(major == .map ? 2 * count : count) where !skip(depth: depth + 1) { return false }
            return true
        }
    }

    /// The kind of the next value, and its number or length. Values of indefinite length are not read.
    private mutating func header() -> (Major, UInt64)? {
        guard let first = rest.popFirst(), let major = Major(rawValue: first >> 5) else { return nil }
        let short = first & 31
        guard short >= 24 else { return (major, UInt64(short)) }
        guard short <= 27 else { return nil }
        let size = 1 << (Int(short) - 24)
        guard rest.count >= size else { return nil }
        defer { rest = rest.dropFirst(size) }
        return (major, rest.prefix(size).reduce(0) { $0 << 8 | UInt64($1) })
    }
}
