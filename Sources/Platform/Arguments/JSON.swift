import PlainText

/// A JSON value whose objects keep the order of their keys.
package enum JSON: Sendable {
    case null
    case string(String)
    case integer(Int64)
    /// A number. One that is not finite is written as `null`, because RFC 8259 has no other way.
    case number(Double)
    case bool(Bool)
    case array([JSON])
    case object([(String, JSON)])

    /// The value of an optional: `null` for nil.
    package static func optional<T>(_ value: T?, _ make: (T) -> JSON) -> JSON { value.map(make) ?? .null }

    /// The value on one line, without spaces between tokens.
    ///
    /// Numbers have the fewest digits that read back as the same `Double`, and always a `.` or an exponent (`1.0`).
    /// Control characters (also those above ASCII) and line separators are escaped, so that a line stays one line
    /// and is safe to print.
    package var line: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .string(let string): text += string.quotedAsJSON
        case .integer(let number): text += number.description
        case .number(let number): text += number.isFinite ? number.description : "null"
        case .bool(let bool): text += bool ? "true" : "false"
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                text += member.0.quotedAsJSON
                text += ":"
                member.1.write(to: &text)
            }
            text += "}"
        }
    }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(nilLiteral: ()) { self = .null }
}
