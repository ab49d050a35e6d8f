/// The name of an object: 1 to 1024 bytes of UTF-8, any characters.
///
/// Two keys are the same if their bytes are: unlike `String`, which takes `é` and `e` with an accent for equal.
package struct ObjectKey: Sendable, Hashable, Comparable, CustomStringConvertible {
    package static let maximumLength = 1024

    package let text: String

    /// Throws ``ObjectStoreError`` with code `invalidRequest` for an empty or too long text.
    package init(_ text: String) throws(ObjectStoreError) {
        guard (1...Self.maximumLength).contains(text.utf8.count) else {
            throw ObjectStoreError(
                .invalidRequest, operation: "name an object",
                message: "a key has 1 to \(Self.maximumLength) bytes, and this one has \(text.utf8.count)")
        }
        self.text = text
    }

    package var description: String { text }

    package static func == (left: ObjectKey, right: ObjectKey) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    package static func < (left: ObjectKey, right: ObjectKey) -> Bool { left.text.precedes(right.text) }
}
