/// Points of Curve25519 that are no keys: anyone can sign for them.
enum Ed25519Points {
    /// The y coordinates, in little-endian bytes, of the points whose order divides 8: 0, 1, those of order 8, and −1,
    /// and then p and p + 1, which are 0 and 1 written otherwise (RFC 8032, section 5.1.3, and RFC 7748, section 7).
    private static let smallOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
            0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ],
        [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
            0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
        ],
        nearPrime(0xec), nearPrime(0xed), nearPrime(0xee),
    ]

    private static func nearPrime(_ low: UInt8) -> [UInt8] {
        [low] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
    }

    static func check(_ key: [UInt8]) throws(VerificationKeyError) {
        guard key.count == 32 else {
            throw VerificationKeyError(.malformed, "an Ed25519 key has 32 bytes")
        }
        // The highest bit is the sign of x.
        let y = key.dropLast() + [key[31] & 0x7f]
        guard !smallOrder.contains(Array(y)) else {
            throw VerificationKeyError(.weak, "anyone can sign for this Ed25519 key")
        }
    }
}
