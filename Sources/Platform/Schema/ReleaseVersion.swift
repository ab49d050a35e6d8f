/// The version of a release of Darkroom, such as 0.1.0.
package struct ReleaseVersion: Sendable, Equatable, Comparable, CustomStringConvertible {
    package static let current = ReleaseVersion("0.1.0")!

    private let parts: [Int]

    /// Nil if the text is not three numbers, separated by full stops.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, parts.allSatisfy({ $0 != nil }) else { return nil }
        self.parts = parts.compactMap(\.self)
    }

    package var description: String { parts.map(String.init).joined(separator: ".") }

    package static func < (left: Self, right: Self) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }
}
