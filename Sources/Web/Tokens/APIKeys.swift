import Digests

/// The API keys of servers that vouch for people: the SHA-256 of each, in a file of lines `name sha256 [note]`.
///
/// Empty lines and those that begin with `#` say nothing. A name is 1 to 100 of A–Z, a–z, 0–9, `.`, `_` and `-`. Two lines may
/// have the same name, so that a server can change its key. A plain hash is enough, because a key has 256 random bits.
package struct APIKeys: Sendable {
    /// What every key begins with, so that it is recognized in a log or a repository.
    package static let prefix = "drk_"
    /// The most lines with a key.
    package static let most = 1000

    private let entries: [(name: String, digest: SHA256Digest)]

    package var count: Int { entries.count }

    /// The keys in `contents`: 0 to `most` of them.
    init(_ contents: [UInt8]) throws(KeyFault) {
        guard let text = String(validating: contents, as: UTF8.self) else {
            throw KeyFault(.malformed, "the file is not UTF-8")
        }
        var entries: [(name: String, digest: SHA256Digest)] = []
        var digests: Set<SHA256Digest> = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let fields = line.split(maxSplits: 2, whereSeparator: \.isWhitespace)
            guard let name = fields.first, !name.hasPrefix("#") else { continue }
            guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameByte) else {
                throw KeyFault(.malformed, "line \(index + 1): a name is 1 to 100 letters, digits, or . _ -")
            }
            guard fields.count >= 2, let digest = SHA256Digest(hex: fields[1]) else {
                throw KeyFault(
                    .malformed, "line \(index + 1): the name is not followed by a SHA-256 of 64 digits")
            }
            guard digests.insert(digest).inserted else {
                throw KeyFault(.malformed, "line \(index + 1): the file has this key twice")
            }
            entries.append((String(name), digest))
        }
        guard entries.count <= Self.most else {
            throw KeyFault(.count, "the file has \(entries.count) keys; at most \(Self.most) are allowed")
        }
        self.entries = entries
    }

    /// The name of the key; nil if there is no such key. It compares with every key, and the time does not depend on where
    /// two hashes differ.
    func name(of key: String) -> String? {
        guard Self.hasForm(key) else { return nil }
        let digest = SHA256Digest(hashing: key.utf8)
        var name: String?
        for entry in entries where entry.digest.isEqualInConstantTime(to: digest) { name = entry.name }
        return name
    }

    /// Whether the text is the prefix and 32 bytes in base64url.
    private static func hasForm(_ key: String) -> Bool {
        key.utf8.starts(with: prefix.utf8)
            && Base64URL.decode(key.utf8.dropFirst(prefix.utf8.count))?.count == 32
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension APIKeys {
    /// A new key and its line for the file, without a line end.
    package struct New: Sendable {
        /// The key itself. It is not kept anywhere: show it once.
        package let key: String
        package let line: String
    }

    /// Makes a key from 256 bits of the system's random numbers.
    ///
    /// - Parameters:
    ///   - name: see `APIKeys`. Nil is returned for any other text.
    ///   - note: one line; empty for none.
    package static func make(name: String, note: String = "") -> New? {
        guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy(isNameByte),
            !note.contains(where: \.isNewline)
        else { return nil }
        var generator = SystemRandomNumberGenerator()
        let random = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let key = prefix + Base64URL.encode(random)
        let line = "\(name) \(SHA256Digest(hashing: key.utf8))" + (note.isEmpty ? "" : " \(note)")
        return New(key: key, line: line)
    }
}
