import Imaging
import PlainText

/// Reads as much of an ICC profile (ICC.1:2022) as the choice of a conversion needs.
enum ColourProfile {
    /// The profile's name, from the tag 'desc'.
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
            String(decoding: units, as: UTF16.self).unicodeScalars.filter { !$0.canSteerTerminal })
    }

    static func isGrey(_ profile: [UInt8]) -> Bool { profile.withUnsafeBytes { $0.has("GRAY", at: 16) } }

    /// Whether the table of the perceptual intent (A2B0) is the profile's only one to the connection space.
    ///
    /// libvips 8.14 ignores such a profile if another intent is requested.
    static func isPerceptualOnly(_ profile: [UInt8]) -> Bool {
        profile.withUnsafeBytes { bytes in
            guard let count = bytes.big32(128), count <= 200 else { return false }
            func holds(_ tag: StaticString) -> Bool {
                (0..<count).contains { bytes.has(tag, at: 132 + 12 * $0) }
            }
            return holds("A2B0") && !holds("A2B1")
        }
    }

    /// Whether pixels with this profile look right when they are treated as sRGB.
    ///
    /// It goes by the name: a false name changes only the colours of the photo that carries it.
    static func isPlainSRGB(_ profile: [UInt8]) -> Bool {
        guard let name = description(profile), profile.withUnsafeBytes({ $0.has("RGB ", at: 16) }) else {
            return false
        }
        return name == "sRGB IEC61966-2.1" || name == "sRGB" || name == "GIMP built-in sRGB"
    }
}
