/// Tells texts apart: FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/).
///
/// Anybody can make two texts of the same fingerprint, so it guards against mistakes only.
package func fingerprint(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
