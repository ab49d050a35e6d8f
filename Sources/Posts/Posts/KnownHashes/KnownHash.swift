/// A PDQ hash as lists and rows have it.
package struct KnownHash: Sendable, Equatable {
    /// 64 hexadecimal digits.
    package let hexadecimal: String
    /// 0 to 100. Hashes below ``leastQuality`` are never compared.
    package let quality: Int

    package static let leastQuality = 50

    package init(hexadecimal: String, quality: Int) {
        self.hexadecimal = hexadecimal
        self.quality = quality
    }
}

/// The list of known photos that a photo is on.
package struct ListMatch: Sendable, Equatable {
    package let list: Int64
    /// Only for moderators and operators.
    package let name: String
    /// The number of bits, of 256, in which the hashes differ.
    package let distance: Int

    package init(list: Int64, name: String, distance: Int) {
        self.list = list
        self.name = name
        self.distance = distance
    }
}
