package import Digests

/// The location of a file in the media store: a relative path such as `originals/ab/cd/abcd…`.
///
/// Keys come from job payloads, which other programs write, so a value of this type proves that the text was checked:
/// 1 to 512 bytes of visible ASCII, with components of at most 255 bytes separated by single slashes, none of them
/// empty or starting with a dot. Keys are ASCII only, so that two keys are equal exactly when their bytes are.
package struct MediaKey: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 512

    /// The checked path, relative to the root of the store.
    package let path: String

    /// Checks `text`; throws `MediaError` with code `keyEscapesStore` if it is not a key.
    package init(validating text: String) throws(MediaError) {
        if let fault = Self.fault(in: text.utf8) {
            let shown = text.prefix(80).unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
            throw MediaError(
                .keyEscapesStore, path: shown,
                message: "is not a media key: \(fault); use the key returned when the file was stored")
        }
        path = text
    }

    /// A path that this module has built itself.
    init(trusted path: String) {
        assert(Self.fault(in: path.utf8) == nil)
        self.path = path
    }

    /// The key of the original that has these bytes.
    package init(ofOriginal digest: SHA256Digest) { self.init(of: digest, in: .originals, suffix: "") }

    /// The place of a file that is named by the digest of its bytes.
    init(of digest: SHA256Digest, in tree: MediaTree, suffix: String) {
        let hex = digest.hex
        let (first, second) = Self.directories(of: hex)
        self.init(trusted: "\(tree.rawValue)/\(first)/\(second)/\(hex)\(suffix)")
    }

    static func directories(of hex: String) -> (first: String, second: String) {
        (String(hex.prefix(2)), String(hex.dropFirst(2).prefix(2)))
    }

    package var description: String { path }

    /// Whether this is the key of an original.
    package var isOriginal: Bool { MediaTree.originals.contains(self) }

    private static func fault(in text: String.UTF8View) -> String? {
        if text.isEmpty { return "it is empty" }
        if text.count > maximumLength { return "it is longer than \(maximumLength) bytes" }
        if text.first == UInt8(ascii: "/") { return "it is an absolute path" }
        if text.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) {
            return "it has a character that is not visible ASCII"
        }
        for component in text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if component.isEmpty { return "it has an empty component" }
            if component.first == UInt8(ascii: ".") { return "it has a component that starts with a dot" }
            if component.count > 255 { return "it has a component longer than 255 bytes" }
        }
        return nil
    }
}

/// The two trees of a store; the raw value is the directory's name.
enum MediaTree: String, CaseIterable {
    case originals, renditions

    /// Originals contain positions and are private to the owner and group; renditions are public.
    var fileMode: UInt32 { self == .originals ? 0o640 : 0o644 }
    var directoryMode: UInt32 { self == .originals ? 0o770 : 0o775 }

    func contains(_ key: MediaKey) -> Bool { key.path.hasPrefix(rawValue + "/") }
}

extension MediaKey {
    /// The SHA-256 that its name tells; nil if its name is something else, as other programs may choose for originals.
    var sha256: SHA256Digest? {
        let name = path.split(separator: "/").last?.split(separator: ".").first
        return name.flatMap { SHA256Digest(hex: String($0)) }
    }
}
