/// Reads an ICC profile (ICC.1:2022) as far as the choice of a conversion takes.
enum ColourProfile {
    /// The name, of the tag 'desc'.
    static func description(_ profile: [UInt8]) -> String? {
        profile.withUnsafeBytes { bytes in
            guard let count = bytes.big32(128), count <= 200 else { return nil }
            for index in 0..<count {
                let at = 132 + 12 * index
                guard bytes.has("desc", at: at), let start = bytes.big32(at + 4) else { continue }
                if bytes.has("desc", at: start), let length = bytes.big32(start + 8) {
                    let end = min(start + 12 + min(length, 64), bytes.count)
                    guard start + 12 <= end else { return nil }
                    return text(bytes[start + 12..<end].prefix { $0 != 0 }.map { UInt16($0) })
                }
                if bytes.has("mluc", at: start), let length = bytes.big32(start + 20),
                    let offset = bytes.big32(start + 24)
                {
                    let units = (0..<min(length / 2, 64)).compactMap { bytes.big16(start + offset + 2 * $0) }
                    return text(units.map { UInt16($0) })
                }
            }
            return nil
        }
    }

    private static func text(_ units: [UInt16]) -> String {
        String(
            String(decoding: units, as: UTF16.self).unicodeScalars.filter {
                $0.value >= 32 && $0.value != 127
            })
    }

    /// Whether the profile's only table to the connection space (A2B0) is that of the perceptual intent.
    ///
    /// libvips 8.14 ignores such a profile where another intent is asked for.
    static func isPerceptualOnly(_ profile: [UInt8]) -> Bool {
        profile.withUnsafeBytes { bytes in
            guard let count = bytes.big32(128), count <= 200 else { return false }
            func holds(_ tag: StaticString) -> Bool {
                (0..<count).contains { bytes.has(tag, at: 132 + 12 * $0) }
            }
            return holds("A2B0") && !holds("A2B1")
        }
    }

    /// Whether pixels of this profile are shown right when they are taken as sRGB.
    ///
    /// By name: whoever writes a false name changes the colours of their own photo only.
    static func isPlainSRGB(_ profile: [UInt8]) -> Bool {
        guard let name = description(profile), profile.withUnsafeBytes({ $0.has("RGB ", at: 16) }) else {
            return false
        }
        return name == "sRGB IEC61966-2.1" || name == "sRGB" || name == "GIMP built-in sRGB"
    }
}
