/// What a job does, by the name of a registered kind.
///
/// The constant of each kind stands next to its handler. Any well-formed name is a value, so that a process can list and
/// move jobs of a kind that only a later release knows; it runs none that it has no handler for.
package struct JobKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    /// Nil for what cannot be the name of a kind: that has 1 to 50 characters of `a` to `z`, `0` to `9` and `_`, and
    /// begins with a letter.
    package init?(rawValue: String) {
        guard rawValue.utf8.count <= 50, let first = rawValue.utf8.first, Self.isLetter(first),
            rawValue.utf8.allSatisfy({
                Self.isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "_")
            })
        else { return nil }
        self.rawValue = rawValue
    }

    /// The kind of a name in the source.
    ///
    /// - Precondition: the name is well-formed.
    package init(_ name: StaticString) {
        guard let kind = Self(rawValue: "\(name)") else {
            preconditionFailure("\(name) is not a kind's name")
        }
        self = kind
    }

    package var description: String { rawValue }

    private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
}
