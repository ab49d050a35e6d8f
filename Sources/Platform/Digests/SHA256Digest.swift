import PlainText

/// A SHA-256 digest (FIPS 180-4).
package struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    /// Big-endian words, so that the digest compares and hashes without an array.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The digest of `bytes`.
    package init(hashing bytes: some Sequence<UInt8>) {
        let hasher = SHA256Hasher()
        if bytes.withContiguousStorageIfAvailable({ hasher.update(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { hasher.update($0) }
        }
        self = hasher.finish()
    }

    /// The digest with these 32 bytes; `nil` for any other count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var rest = bytes.makeIterator()
        func word() -> UInt64 {
            var word: UInt64 = 0
            for _ in 0..<8 { word = word << 8 | UInt64(rest.next() ?? 0) }
            return word
        }
        words = (word(), word(), word(), word())
    }

    /// The digest written as 64 hexadecimal digits of either case; `nil` for any other text.
    package init?(hex: some StringProtocol) {
        guard hex.utf8.count == 64 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        var high: UInt8?
        for character in hex.utf8 {
            guard let digit = Self.value(ofHexDigit: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        self.init(bytes: bytes)
    }

    /// The 32 bytes of the digest.
    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    /// The digest as 64 lower-case hexadecimal digits.
    package var hex: String { bytes.hexadecimal }

    package var description: String { hex }

    package static func == (left: SHA256Digest, right: SHA256Digest) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }

    private static func value(ofHexDigit character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
