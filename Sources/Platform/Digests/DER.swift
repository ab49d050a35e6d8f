/// The few forms of DER (ITU-T X.690) that public keys and signatures need.
enum DER {
    /// The number with these big-endian bytes, which may begin with zeros.
    static func integer(_ magnitude: some Collection<UInt8>) -> [UInt8] {
        var digits = Array(magnitude.drop { $0 == 0 })
        // A first bit of 1 would make the number negative.
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return element(tag: 0x02, digits)
    }

    static func sequence(_ content: [UInt8]) -> [UInt8] { element(tag: 0x30, content) }

    /// A string of whole bytes.
    static func bitString(_ content: [UInt8]) -> [UInt8] { element(tag: 0x03, [0] + content) }

    /// A public key (RFC 5280, section 4.1) whose `algorithm` is the identifier with its parameters, both encoded.
    static func subjectPublicKeyInfo(algorithm: [UInt8], key: [UInt8]) -> [UInt8] {
        sequence(sequence(algorithm) + bitString(key))
    }

    private static func element(tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
