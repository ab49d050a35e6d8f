import Imaging

/// The meaning and range of the values.
extension HEIFItems {
    /// Reads the `colr` property of type `nclx` (ISO/IEC 14496-12, 12.1.5) of the primary item, else of its first tile. Without
    /// one, the sequence header of AV1 counts, in its `av1C` or in its data.
    ///
    /// libheif 1.15 treats grey as full range, whatever the file says.
    mutating func readColours(of primary: Int, _ properties: Properties) {
        var wanted: Set<Int> = [primary]
        if let part = self.parts(of: primary).first(where: { _ in true }) { wanted.insert(part) }
        var said: (points: CodePoints, matrix: Int, isLimited: Bool)?
        var isGrey = false
        var isDeep = false
        var header: AV1SequenceHeader?
        forFirstAssociations(of: wanted, properties) { item, associations in
            for box in associations.compactMap({ properties[$0] }) {
                let start = box.content.lowerBound
                if bytes.has("av1C", at: box.header), box.content.count >= 4 {
                    isGrey = bytes[start + 2] & 0x10 != 0
                    isDeep = bytes[start + 2] & 0x40 != 0
                    header =
                        AV1SequenceHeader(bytes, units: start + 4..<box.content.upperBound)
                        ?? data(of: item).flatMap { AV1SequenceHeader(bytes, units: $0) }
                }
                if bytes.has("hvcC", at: box.header), box.content.count > 17 {
                    isMonochrome = bytes[start + 16] & 3 == 0
                    isDeep = bytes[start + 17] & 7 != 0
                }
                if bytes.has("colr", at: box.header), bytes.has("nclx", at: start),
                    box.content.count >= 11, said == nil || item == primary,
                    let primaries = bytes.big16(start + 4), let transfer = bytes.big16(start + 6),
                    let matrix = bytes.big16(start + 8)
                {
                    said = (
                        CodePoints(primaries: primaries, transfer: transfer), matrix,
                        bytes[start + 10] & 0x80 == 0
                    )
                }
            }
        }
        codePoints = said?.points ?? header?.codePoints
        isMonochrome = isMonochrome || isGrey
        let (matrix, isLimited) = said.map { ($0.matrix, $0.isLimited) } ?? (header?.matrix, false)
        hasUnreadableColours = matrix == 0 && isLimited && !isMonochrome || matrix == 8 && isDeep
        isLimitedGrey = isGrey && (said?.isLimited ?? header?.isLimited ?? false)
    }
}

/// What a sequence header (AV1 Bitstream and Decoding Process Specification, 5.5) says about colours.
private struct AV1SequenceHeader {
    /// Whether it is grey of limited range.
    private(set) var isLimited = false
    private(set) var codePoints: CodePoints?
    private(set) var matrix: Int?

    /// Nil unless the first unit after any temporal delimiter is a complete sequence header with a size.
    init?(_ bytes: UnsafeRawBufferPointer, units: Range<Int>) {
        var start = units.lowerBound
        if units.count > 2, bytes[start] & 0xFE == 0x12, bytes[start + 1] == 0 { start += 2 }
        guard units.upperBound - start > 2, bytes[start] & 0xFE == 0x0A, bytes[start + 1] < 0x80 else {
            return nil
        }
        start += 2
        let end = min(start + Int(bytes[start - 1]), units.upperBound)
        var bits = BitCursor(bytes: bytes, position: start * 8, end: end * 8)
        let profile = bits.take(3)
        bits.skip(1)
        let isReduced = bits.flag()
        if isReduced { bits.skip(5) } else { Self.skipOperatingPoints(&bits) }
        let (widthBits, heightBits) = (bits.take(4) + 1, bits.take(4) + 1)
        bits.skip(widthBits + heightBits)
        if !isReduced, bits.flag() { bits.skip(7) }
        bits.skip(3)
        if !isReduced { Self.skipTools(&bits) }
        bits.skip(3)
        let isDeep = bits.flag()
        if profile == 2, isDeep { bits.skip(1) }
        let isGrey = profile != 1 && bits.flag()
        if bits.flag() {
            codePoints = CodePoints(primaries: bits.take(8), transfer: bits.take(8))
            matrix = bits.take(8)
        }
        isLimited = isGrey && !bits.flag()
        if bits.isOver { return nil }
    }

    private static func skipOperatingPoints(_ bits: inout BitCursor) {
        var delayBits: Int?
        if bits.flag() {
            bits.skip(64)
            if bits.flag() {
                var zeros = 0
                while !bits.isOver, !bits.flag() { zeros += 1 }
                bits.skip(zeros)
            }
            if bits.flag() {
                delayBits = bits.take(5) + 1
                bits.skip(42)
            }
        }
        let hasInitialDelay = bits.flag()
        for _ in 0...bits.take(5) {
            bits.skip(12)
            if bits.take(5) > 7 { bits.skip(1) }
            if let delayBits, bits.flag() { bits.skip(2 * delayBits + 1) }
            if hasInitialDelay, bits.flag() { bits.skip(4) }
        }
    }

    private static func skipTools(_ bits: inout BitCursor) {
        bits.skip(4)
        let hasOrderHint = bits.flag()
        if hasOrderHint { bits.skip(2) }
        // Screen content tools, then integer motion vectors: chosen for each frame, or one value for all.
        let hasScreenTools = bits.flag() || bits.flag()
        if hasScreenTools, !bits.flag() { bits.skip(1) }
        if hasOrderHint { bits.skip(3) }
    }
}

/// Reads bits, the highest first. Bits beyond the end are zero.
private struct BitCursor {
    let bytes: UnsafeRawBufferPointer
    var position: Int
    let end: Int

    var isOver: Bool { position > end }

    mutating func flag() -> Bool { take(1) == 1 }
    mutating func skip(_ count: Int) { position += count }

    mutating func take(_ count: Int) -> Int {
        (0..<count).reduce(0) { value, _ in
            defer { position += 1 }
            guard position < end else { return value << 1 }
            return value << 1 | Int(bytes[position / 8] >> (7 - position % 8)) & 1
        }
    }
}
