import FoundationEssentials
import PlainText

extension Recipe {
    /// Tells recipes apart: 64 bits of the recipe written as JSON with sorted keys, by ``fingerprint(_:)``.
    ///
    /// The name and version count too, so that a new version renders anew also where nothing else changed.
    package var checksum: UInt64 {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(self) else { preconditionFailure("a recipe is plain JSON") }
        return fingerprint(json)
    }
}
