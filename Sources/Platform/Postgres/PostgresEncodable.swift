package import FoundationEssentials
import PlainText

/// A value that can be bound as a parameter.
package protocol PostgresEncodable {
    /// The value in PostgreSQL's text format; nil is NULL. Throws if the value has no such text.
    var postgresText: String? { get throws }
}

/// A value that can be read from a column.
package protocol PostgresDecodable {
    /// Parses PostgreSQL's text format. Throws `PostgresError` with code `decoding`; `PostgresRow` adds the column.
    init(postgresText: String) throws
    /// The value for NULL. The default throws; `Optional` returns nil.
    static func fromPostgresNull() throws -> Self
}

extension PostgresDecodable {
    package static func fromPostgresNull() throws -> Self {
        throw PostgresError(.decoding, "is NULL, but \(Self.self) was requested")
    }
}

extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
    package var postgresText: String? { get throws { try rawValue.postgresText } }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    package init(postgresText: String) throws {
        guard let value = Self(rawValue: try RawValue(postgresText: postgresText)) else {
            throw undecodable(Self.self)
        }
        self = value
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    package var postgresText: String? { get throws { try self?.postgresText } }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    package init(postgresText: String) throws { self = try Wrapped(postgresText: postgresText) }
    package static func fromPostgresNull() throws -> Wrapped? { nil }
}

extension String: PostgresEncodable, PostgresDecodable {
    package var postgresText: String? { self }
    package init(postgresText: String) { self = postgresText }
}

extension Bool: PostgresEncodable, PostgresDecodable {
    package var postgresText: String? { self ? "true" : "false" }
    package init(postgresText: String) throws {
        switch postgresText {
        case "t": self = true
        case "f": self = false
        default: throw undecodable(Bool.self)
        }
    }
}

extension PostgresEncodable where Self: FixedWidthInteger {
    package var postgresText: String? { String(self) }
}

extension PostgresDecodable where Self: FixedWidthInteger {
    package init(postgresText: String) throws {
        guard let value = Self(postgresText) else { throw undecodable(Self.self) }
        self = value
    }
}

extension Int: PostgresEncodable, PostgresDecodable {}
extension Int16: PostgresEncodable, PostgresDecodable {}
extension Int32: PostgresEncodable, PostgresDecodable {}
extension Int64: PostgresEncodable, PostgresDecodable {}

extension Double: PostgresEncodable, PostgresDecodable {
    package var postgresText: String? {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
        return description
    }
    package init(postgresText: String) throws {
        guard let value = Double(postgresText) else { throw undecodable(Double.self) }
        self = value
    }
}

extension UUID: PostgresEncodable, PostgresDecodable {
    package var postgresText: String? { uuidString }
    package init(postgresText: String) throws {
        guard let value = UUID(uuidString: postgresText) else { throw undecodable(UUID.self) }
        self = value
    }
}

/// `bytea`, in PostgreSQL's hex format.
extension Data: PostgresEncodable, PostgresDecodable {
    package var postgresText: String? { byteaText(self) }
    package init(postgresText: String) throws { self = Data(try byteaBytes(postgresText)) }
}

func undecodable(_ type: Any.Type) -> PostgresError {
    PostgresError(.decoding, "has a text that is not of type \(type)")
}

func byteaText(_ bytes: some Collection<UInt8>) -> String {
    "\\x" + bytes.hexadecimal
}

/// Reads both formats of `bytea_output`: behind a connection pooler, a session may have another than ours.
func byteaBytes(_ text: String) throws(PostgresError) -> [UInt8] {
    var text = text
    let bytes: [UInt8]? = text.withUTF8 { utf8 in
        guard utf8.count >= 2, utf8[0] == UInt8(ascii: "\\"), utf8[1] == UInt8(ascii: "x") else {
            return escapedBytes(utf8)
        }
        guard utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count / 2 - 1)
        for index in stride(from: 2, to: utf8.count, by: 2) {
            guard let high = utf8[index].hexadecimalDigit, let low = utf8[index + 1].hexadecimalDigit else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
    guard let bytes else { throw undecodable([UInt8].self) }
    return bytes
}

/// The format `escape`: printable ASCII as it is, a doubled backslash, and `\ooo` in octal for all else.
private func escapedBytes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let backslash = UInt8(ascii: "\\")
    var bytes: [UInt8] = []
    var rest = text[...]
    while let first = rest.popFirst() {
        guard first == backslash else {
            guard (0x20...0x7E).contains(first) else { return nil }
            bytes.append(first)
            continue
        }
        if rest.first == backslash {
            bytes.append(rest.removeFirst())
            continue
        }
        let digits = rest.prefix(3).map { $0 &- UInt8(ascii: "0") }
        guard digits.count == 3, digits[0] < 4, digits.allSatisfy({ $0 < 8 }) else { return nil }
        bytes.append(digits[0] << 6 | digits[1] << 3 | digits[2])
        rest = rest.dropFirst(3)
    }
    return bytes
}
