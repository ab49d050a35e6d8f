package import Tokens

/// A JSON value that a client has sent.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(_ json: StrictJSON) {
        self =
            switch json {
            case .null: .null
            case .bool(let bool): .bool(bool)
            case .number(let number): number.integer.map(JSONValue.integer) ?? .number(number.value)
            case .string(let text): .string(text)
            case .array(let items): .array(items.map(JSONValue.init))
            // Names that only look the same are one name here, and none of ours has such twins.
            case .object(let members):
                .object(
                    Dictionary(
                        members.map { ($0.name, JSONValue($0.value)) }, uniquingKeysWith: { _, last in last })
                )
            }
    }

    /// The members of an object; nil for anything else.
    package static func members(of bytes: [UInt8]) throws(StrictJSONError) -> [String: JSONValue]? {
        guard case .object(let members) = JSONValue(try StrictJSONParser.parse(bytes)) else { return nil }
        return members
    }
}
