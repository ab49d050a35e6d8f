package import FoundationEssentials

/// A type that PostgreSQL has arrays of: one-dimensional SQL arrays, or `bytea` for `UInt8`.
package protocol PostgresArrayElement {
    static func postgresText(of array: [Self]) throws -> String
    static func array(postgresText: String) throws -> [Self]
}

extension Array: PostgresEncodable where Element: PostgresArrayElement {
    package var postgresText: String? { get throws { try Element.postgresText(of: self) } }
}

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    package init(postgresText: String) throws { self = try Element.array(postgresText: postgresText) }
}

extension UInt8: PostgresArrayElement {
    package static func postgresText(of array: [UInt8]) -> String { byteaText(array) }
    package static func array(postgresText: String) throws -> [UInt8] { try byteaBytes(postgresText) }
}

extension PostgresArrayElement where Self: PostgresEncodable & PostgresDecodable {
    package static func postgresText(of array: [Self]) throws -> String {
        var text = "{"
        for (index, element) in array.enumerated() {
            if index > 0 { text += "," }
            guard let value = try element.postgresText else {
                text += "NULL"
                continue
            }
            // Every element is quoted, so that "NULL", "" and "a,b" stay the strings they are.
            text += "\""
            for scalar in value.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { text += "\\" }
                text.unicodeScalars.append(scalar)
            }
            text += "\""
        }
        return text + "}"
    }

    package static func array(postgresText: String) throws -> [Self] {
        var parser = ArrayParser(postgresText)
        return try parser.elements().map { try $0.map(Self.init(postgresText:)) ?? Self.fromPostgresNull() }
    }
}

extension PostgresArrayElement where Self: FixedWidthInteger & PostgresEncodable & PostgresDecodable {
    /// Without quotes, because lists of job numbers are long.
    package static func postgresText(of array: [Self]) -> String {
        var text = "{"
        text.reserveCapacity(array.count * 12)
        for (index, element) in array.enumerated() {
            if index > 0 { text += "," }
            text += String(element)
        }
        return text + "}"
    }
}

extension String: PostgresArrayElement {}
extension Bool: PostgresArrayElement {}
extension Int: PostgresArrayElement {}
extension Int16: PostgresArrayElement {}
extension Int32: PostgresArrayElement {}
extension Int64: PostgresArrayElement {}
extension Double: PostgresArrayElement {}
extension UUID: PostgresArrayElement {}
extension Date: PostgresArrayElement {}
extension Data: PostgresArrayElement {}
extension Optional: PostgresArrayElement
where Wrapped: PostgresArrayElement & PostgresEncodable & PostgresDecodable {}

/// Parses the output syntax of one-dimensional arrays.
/// Source: PostgreSQL documentation, 8.15.6 "Array Input and Output Syntax".
private struct ArrayParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The elements' texts, nil for NULL.
    mutating func elements() throws(PostgresError) -> [String?] {
        try expect("{")
        var elements: [String?] = []
        if take("}") {
            try expectEnd()
            return elements
        }
        repeat { elements.append(try element()) } while take(",")
        try expect("}")
        try expectEnd()
        return elements
    }

    private mutating func element() throws(PostgresError) -> String? {
        if peek == UInt8(ascii: "{") {
            throw PostgresError(.decoding, "has an array with more than one dimension")
        }
        var content: [UInt8] = []
        guard take("\"") else {
            while let byte = peek, byte != UInt8(ascii: ","), byte != UInt8(ascii: "}") {
                content.append(byte)
                position += 1
            }
            let text = String(decoding: content, as: UTF8.self)
            return text == "NULL" ? nil : text
        }
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = peek else { throw malformed }
                content.append(escaped)
                position += 1
            default: content.append(byte)
            }
        }
        throw malformed
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }
    private var malformed: PostgresError { PostgresError(.decoding, "has a text that is not an array") }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(PostgresError) {
        guard take(character) else { throw malformed }
    }

    private func expectEnd() throws(PostgresError) {
        guard position == bytes.count else { throw malformed }
    }
}
