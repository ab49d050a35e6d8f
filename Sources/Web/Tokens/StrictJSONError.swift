/// Why bytes are not accepted as JSON. It contains none of them.
package struct StrictJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// The bytes do not follow the grammar of RFC 8259, or are not UTF-8.
        case malformed
        /// An object has two members of the same name.
        case duplicate
        /// Arrays and objects are nested more deeply than `StrictJSONParser.deepest`.
        case deep
        /// A number is too large to be represented.
        case number
    }

    package var code: Code
    /// The byte at which it was found, from 0.
    package var position: Int

    package var description: String {
        let fault =
            switch code {
            case .malformed: "it does not follow the grammar of JSON"
            case .duplicate: "an object has two members of the same name"
            case .deep: "arrays and objects are nested more than \(StrictJSONParser.deepest) levels deep"
            case .number: "a number is too large"
            }
        return "\(fault) (byte \(position))"
    }
}
