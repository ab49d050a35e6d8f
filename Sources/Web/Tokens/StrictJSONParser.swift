/// Reads one JSON value that fills all of the bytes.
package struct StrictJSONParser {
    /// The most levels of arrays and objects.
    package static let deepest = 16
    /// The most characters of a number: every `Double` has a shorter form.
    package static let longestNumber = 800

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The value in `bytes`, which may begin and end with white space.
    package static func parse(_ bytes: [UInt8]) throws(StrictJSONError) -> StrictJSON {
        var parser = StrictJSONParser(bytes)
        let value = try parser.value()
        guard parser.position == bytes.count else { throw parser.error(.malformed) }
        return value
    }

    private func error(_ code: StrictJSONError.Code) -> StrictJSONError {
        StrictJSONError(code: code, position: position)
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { position += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// A value with the white space around it.
    private mutating func value() throws(StrictJSONError) -> StrictJSON {
        skipSpace()
        defer { skipSpace() }
        switch next {
        case UInt8(ascii: "{"): return try nested { parser throws(StrictJSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(StrictJSONError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func nested(
        _ read: (inout StrictJSONParser) throws(StrictJSONError) -> StrictJSON
    ) throws(StrictJSONError) -> StrictJSON {
        guard depth < Self.deepest else { throw error(.deep) }
        depth += 1
        position += 1
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func object() throws(StrictJSONError) -> StrictJSON {
        var members: [StrictJSON.Member] = []
        var names: Set<[UInt8]> = []
        skipSpace()
        if skip("}") { return .object([]) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error(.malformed) }
            let name = try string()
            guard names.insert(Array(name.utf8)).inserted else { throw error(.duplicate) }
            skipSpace()
            guard skip(":") else { throw error(.malformed) }
            members.append(StrictJSON.Member(name: name, value: try value()))
        } while skip(",")
        guard skip("}") else { throw error(.malformed) }
        return .object(members)
    }

    private mutating func array() throws(StrictJSONError) -> StrictJSON {
        var values: [StrictJSON] = []
        skipSpace()
        if skip("]") { return .array([]) }
        repeat { values.append(try value()) } while skip(",")
        guard skip("]") else { throw error(.malformed) }
        return .array(values)
    }

    private mutating func literal(_ text: String, _ value: StrictJSON) throws(StrictJSONError) -> StrictJSON {
        guard bytes[position...].starts(with: text.utf8) else { throw error(.malformed) }
        position += text.utf8.count
        return value
    }
}

// MARK: - Numbers and strings

extension StrictJSONParser {
    private mutating func digits() throws(StrictJSONError) {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw error(.malformed) }
    }

    private mutating func number() throws(StrictJSONError) -> StrictJSON.Number {
        let start = position
        _ = skip("-")
        // No digit follows a leading zero.
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        // Reading digits takes time that grows with the square of their count.
        guard position - start <= Self.longestNumber else { throw error(.number) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw error(.number) }
        // A number just outside of 64 bits is rounded into them.
        let isPlain = text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
        return StrictJSON.Number(value: value, integer: isPlain ? Int64(text) : Int64(exactly: value))
    }

    private mutating func string() throws(StrictJSONError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw error(.malformed) }
            position += 1
            if byte == UInt8(ascii: "\\") {
                text.append(contentsOf: try escaped())
            } else {
                text.append(byte)
            }
        }
        guard skip("\""), let string = String(validating: text, as: UTF8.self) else {
            throw error(.malformed)
        }
        return string
    }

    /// What follows a backslash, in UTF-8.
    private mutating func escaped() throws(StrictJSONError) -> [UInt8] {
        guard let byte = next else { throw error(.malformed) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try scalar()
        default: throw error(.malformed)
        }
    }

    /// The scalar whose four digits follow, or those of a pair of surrogates. Half a pair is refused.
    private mutating func scalar() throws(StrictJSONError) -> [UInt8] {
        var value = try codeUnit()
        if (0xd800...0xdbff).contains(value) {
            guard skip("\\"), skip("u") else { throw error(.malformed) }
            let low = try codeUnit()
            guard (0xdc00...0xdfff).contains(low) else { throw error(.malformed) }
            value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw error(.malformed) }
        return Array(String(scalar).utf8)
    }

    private mutating func codeUnit() throws(StrictJSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error(.malformed)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
