import FoundationEssentials

extension Recipe {
    /// Tells recipes apart: 64 bits of the recipe written as JSON with sorted keys, by FNV-1a
    /// (http://www.isthe.com/chongo/tech/comp/fnv/).
    ///
    /// The name and version count too, so that a new version renders anew also where nothing else changed.
    package var checksum: UInt64 {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(self) else { preconditionFailure("a recipe is plain JSON") }
        return json.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
