/// Boxes of the ISO base media file format (ISO/IEC 14496-12, 4.2).
extension [UInt8] {
    static func big(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(name.utf8) + content
    }

    static func fullBox(
        _ name: String, version: UInt8 = 0, flags: UInt8 = 0, _ content: [UInt8]
    ) -> [UInt8] {
        box(name, [version, 0, 0, flags] + content)
    }
}
