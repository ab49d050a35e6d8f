/// A value of JSON (RFC 8259), with no more than one meaning.
///
/// Foundation's decoder takes the last of two members of the same name, where the program that signed the token may have
/// taken the first.
package enum StrictJSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A finite number.
    case number(Number)
    case string(String)
    case array([StrictJSON])
    /// No name comes twice.
    case object([Member])

    package struct Number: Hashable, Sendable {
        package let value: Double
        /// Exact, where `value` may be rounded; nil for what is no whole number of 64 bits.
        package let integer: Int64?
    }

    package struct Member: Hashable, Sendable {
        package let name: String
        package let value: StrictJSON
    }

    /// The member of this name of an object; nil if there is none, and for other values.
    package subscript(name: String) -> StrictJSON? {
        guard case .object(let members) = self else { return nil }
        // Two strings that are written differently can be equal in Swift.
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    package var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    package var isObject: Bool {
        guard case .object = self else { return false }
        return true
    }
}

extension StrictJSON.Number: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    package init(_ value: Double) {
        self.init(value: value, integer: Int64(exactly: value))
    }

    package init(integerLiteral value: Int64) {
        self.init(value: Double(value), integer: value)
    }

    package init(floatLiteral value: Double) { self.init(value) }
}

extension String {
    /// Whether both have the same bytes in UTF-8. `==` also holds for texts that only look the same.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
