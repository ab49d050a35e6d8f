/// A piece of a page, written as an interpolated string: its literals are markup, and every value is escaped.
///
/// `"<b>\(name)</b>"` cannot become other markup, whatever the name is. A value of this type is inserted as it is. Attributes
/// are always in double quotes.
package struct HTML: Sendable, ExpressibleByStringInterpolation {
    package private(set) var text: String

    package init(stringLiteral markup: String) { text = markup }
    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    private init(text: String) { self.text = text }

    package static let empty: HTML = ""

    package static func + (left: HTML, right: HTML) -> HTML { HTML(text: left.text + right.text) }
    package static func += (left: inout HTML, right: HTML) { left.text += right.text }

    /// The pieces one after the other.
    package static func all(_ pieces: [HTML], between: HTML = "") -> HTML {
        HTML(text: pieces.map(\.text).joined(separator: between.text))
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            HTML.escape(value.description, into: &text)
        }

        package mutating func appendInterpolation(_ markup: HTML) { text += markup.text }

        package mutating func appendInterpolation(_ markup: HTML?) { if let markup { text += markup.text } }

        /// The attribute, or nothing.
        package mutating func appendInterpolation(_ attribute: Attribute) {
            guard attribute.isSet else { return }
            text += " \(attribute.name)"
        }
    }

    /// An attribute without a value, such as `checked`.
    package struct Attribute {
        fileprivate let name: StaticString
        fileprivate let isSet: Bool

        package static func when(_ isSet: Bool, _ name: StaticString) -> Attribute {
            Attribute(name: name, isSet: isSet)
        }
    }

    private static func escape(_ value: String, into text: inout String) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            // HTML has no such characters, not even as references.
            case "\0"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{7F}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
