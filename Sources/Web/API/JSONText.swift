import PlainText

/// JSON as text (RFC 8259).
package enum JSONText {
    package static func string(_ text: String) -> String { text.quotedAsJSON }

    /// - Parameter members: the values are JSON texts.
    package static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(string($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    package static func array(_ items: [String]) -> String { "[" + items.joined(separator: ",") + "]" }
}
