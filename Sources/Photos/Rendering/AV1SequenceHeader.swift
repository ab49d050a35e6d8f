import Imaging

/// What a sequence header (AV1 Bitstream and Decoding Process Specification, 5.5) says about size and colours.
struct AV1SequenceHeader {
    /// Whether it is grey of limited range.
    private(set) var isLimited = false
    let size: HEIFItems.CodedSize
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
        self.init(bytes, payload: start..<min(start + Int(bytes[start - 1]), units.upperBound))
    }

    /// Nil unless the header is complete.
    init?(_ bytes: UnsafeRawBufferPointer, payload: Range<Int>) {
        var bits = BitCursor(
            bytes: bytes, position: payload.lowerBound * 8, end: payload.upperBound * 8)
        let profile = bits.take(3)
        bits.skip(1)
        let isReduced = bits.flag()
        if isReduced { bits.skip(5) } else { Self.skipOperatingPoints(&bits) }
        let (widthBits, heightBits) = (bits.take(4) + 1, bits.take(4) + 1)
        let shown = HEIFItems.Size(width: bits.take(widthBits) + 1, height: bits.take(heightBits) + 1)
        // Each frame may have a size of its own, of as many bits.
        let most = isReduced ? shown : HEIFItems.Size(width: 1 << widthBits, height: 1 << heightBits)
        size = HEIFItems.CodedSize(shown: shown, most: most)
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
struct BitCursor {
    let bytes: UnsafeRawBufferPointer
    var position: Int
    let end: Int

    var isOver: Bool { position > end }

    mutating func flag() -> Bool { take(1) == 1 }
    mutating func skip(_ count: Int) { position += count }

    /// Exp-Golomb, of up to 32 bits (ITU-T H.265, 9.2).
    mutating func exponential() -> Int {
        var zeros = 0
        while zeros < 32, !isOver, !flag() { zeros += 1 }
        return 1 << zeros - 1 + take(zeros)
    }

    mutating func take(_ count: Int) -> Int {
        (0..<count).reduce(0) { value, _ in
            defer { position += 1 }
            guard position < end else { return value << 1 }
            return value << 1 | Int(bytes[position / 8] >> (7 - position % 8)) & 1
        }
    }
}
