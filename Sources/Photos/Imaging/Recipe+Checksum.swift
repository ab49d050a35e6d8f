import FoundationEssentials
import PlainText

extension Recipe {
    /// Distinguishes recipes: the 64-bit ``fingerprint(_:)`` of the recipe as JSON with sorted keys.
    ///
    /// It covers the name and version, so that a new version renders photos again even if nothing else changed.
    package var checksum: UInt64 {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(self) else { preconditionFailure("a recipe is plain JSON") }
        return fingerprint(json)
    }
}
