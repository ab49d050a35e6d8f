/// A 64-bit FNV-1a hash that tells texts apart (http://www.isthe.com/chongo/tech/comp/fnv/).
///
/// Anyone can make two texts with the same fingerprint, so it only guards against mistakes.
@inlinable package func fingerprint(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
