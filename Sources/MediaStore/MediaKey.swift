/// A path within the media store that cannot leave it.
package struct MediaKey: Hashable, Sendable {
    /// Components joined by single slashes, without a leading one.
    package let path: String

    /// - Parameter path: at most 1,024 bytes of components that are not empty, `.` or `..`, without
    ///   control characters.
    /// - Throws: ``MediaError`` with `keyEscapesStore`.
    package init(validating path: String) throws {
        let components = path.split(separator: "/", omittingEmptySubsequences: false)
        let isSafe =
            path.utf8.count <= 1024
            && components.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 255 }
            && path.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
        guard isSafe else {
            throw MediaError(.keyEscapesStore, "the key is not a path within the media store")
        }
        self.path = path
    }

    /// `tree/ab/cd/abcd…extension`
    init(tree: String, digest: SHA256Digest, extension: String) {
        let hex = digest.description
        let first = hex.prefix(2)
        let second = hex.dropFirst(2).prefix(2)
        path = "\(tree)/\(first)/\(second)/\(hex)\(`extension`)"
    }

    var directory: String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
