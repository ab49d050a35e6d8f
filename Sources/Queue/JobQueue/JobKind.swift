/// The name of a kind of job.
///
/// Each kind's constant is next to its handler. Any well-formed name is valid, so that a process can list and move jobs
/// of a kind that only a later release knows. It runs only kinds that it has a handler for.
package struct JobKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    /// Nil unless the name has 1 to 40 characters of `a` to `z`, `0` to `9` and `_`, and begins with a letter.
    package init?(rawValue: String) {
        guard rawValue.utf8.count <= 40, let first = rawValue.utf8.first, Self.isLetter(first),
            rawValue.utf8.allSatisfy({
                Self.isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "_")
            })
        else { return nil }
        self.rawValue = rawValue
    }

    /// A kind named in the source code.
    ///
    /// - Precondition: the name is well-formed.
    package init(_ name: StaticString) {
        guard let kind = Self(rawValue: "\(name)") else {
            preconditionFailure("\(name) is not a valid name for a kind")
        }
        self = kind
    }

    package var description: String { rawValue }

    private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
}
