import Imaging

/// What a sequence header (AV1 Bitstream and Decoding Process Specification, 5.5) says about size and colours.
struct AV1SequenceHeader {
    /// Whether black is 16 of 255, and white less than 255.
    private(set) var isLimited = false
    /// Of all frames that have no size of their own.
    let size: HEIFPicture.Size
    private(set) var codePoints: CodePoints?
    private(set) var matrix: Int?
    private(set) var format = HEIFPicture.Format(chroma: 1, depth: 8)
    private let isReduced: Bool
    private let sizeBits: (width: Int, height: Int)
    // The lengths of what stands in a frame's header before its size.
    private let times: Times
    private var orderBits = 0
    private var numberBits = 0
    private var hasScreenTools: Bool?
    private var choosesIntegerVectors = true

    /// Nil unless the header is complete.
    init?(_ bytes: UnsafeRawBufferPointer, payload: Range<Int>) {
        var bits = BitCursor(
            bytes: bytes, position: payload.lowerBound * 8, end: payload.upperBound * 8)
        let profile = bits.take(3)
        bits.skip(1)
        isReduced = bits.flag()
        times = isReduced ? Times() : Self.times(&bits)
        if isReduced { bits.skip(5) } else { Self.skipOperatingPoints(&bits, times.bufferBits) }
        sizeBits = (bits.take(4) + 1, bits.take(4) + 1)
        size = HEIFPicture.Size(width: bits.take(sizeBits.width) + 1, height: bits.take(sizeBits.height) + 1)
        if !isReduced, bits.flag() { numberBits = bits.take(4) + bits.take(3) + 3 }
        bits.skip(3)
        if !isReduced { readTools(&bits) }
        bits.skip(3)
        let isDeep = bits.flag()
        let isDeeper = profile == 2 && isDeep && bits.flag()
        let isGrey = profile != 1 && bits.flag()
        format.depth = isDeeper ? 12 : isDeep ? 10 : 8
        if bits.flag() {
            codePoints = CodePoints(primaries: bits.take(8), transfer: bits.take(8))
            matrix = bits.take(8)
        }
        // sRGB is of full range, and does not say so (5.5.2).
        let isRGB = codePoints == CodePoints(primaries: 1, transfer: 13) && matrix == 0
        isLimited = (isGrey || !isRGB) && !bits.flag()
        if isGrey {
            format.chroma = 0
        } else if profile == 1 || isRGB {
            format.chroma = 3
        } else if profile == 2 {
            // With less than 12 bits they are halved across, and not down.
            let isHalved = !isDeeper || bits.flag()
            format.chroma = !isHalved ? 3 : isDeeper && bits.flag() ? 1 : 2
        }
        if bits.isOver { return nil }
    }

    /// The size of a frame (5.9.2): what it says, and the largest that it may be; nil if its header ends before that.
    func size(_ bytes: UnsafeRawBufferPointer, frame: Range<Int>) -> HEIFPicture.CodedSize? {
        let usual = HEIFPicture.CodedSize(shown: size, most: size)
        if isReduced { return usual }
        var bits = BitCursor(bytes: bytes, position: frame.lowerBound * 8, end: frame.upperBound * 8)
        // One that was decoded before is shown.
        if bits.flag() { return bits.isOver ? nil : usual }
        let (kind, isShown) = (bits.take(2), bits.flag())
        let isSwitch = kind == 3
        let isStart = kind == 0 && isShown
        bits.skip(isShown ? times.delayBits : 1)
        if !isSwitch, !isStart { bits.skip(1) }
        bits.skip(1)
        if hasScreenTools ?? bits.flag(), choosesIntegerVectors { bits.skip(1) }
        bits.skip(numberBits)
        guard isSwitch || bits.flag() else { return bits.isOver ? nil : usual }
        // Before the size of another frame stands what only a decoder knows.
        guard isStart, times.bufferBits == nil else {
            return HEIFPicture.CodedSize(
                shown: HEIFPicture.Size(width: 0, height: 0),
                most: HEIFPicture.Size(width: 1 << sizeBits.width, height: 1 << sizeBits.height))
        }
        bits.skip(orderBits)
        let own = HEIFPicture.Size(
            width: bits.take(sizeBits.width) + 1, height: bits.take(sizeBits.height) + 1)
        return bits.isOver ? nil : HEIFPicture.CodedSize(shown: own, most: own)
    }

    private struct Times {
        /// The length of a decoder's times; nil if there is no model of one.
        var bufferBits: Int?
        /// The length of the time in the header of a frame that is shown.
        var delayBits = 0
    }

    private static func times(_ bits: inout BitCursor) -> Times {
        var times = Times()
        guard bits.flag() else { return times }
        bits.skip(64)
        let isEven = bits.flag()
        if isEven {
            var zeros = 0
            while !bits.isOver, !bits.flag() { zeros += 1 }
            // Decoders do not agree where a longer number ends.
            bits.skip(zeros < 32 ? zeros : .max / 2)
        }
        guard bits.flag() else { return times }
        times.bufferBits = bits.take(5) + 1
        bits.skip(32 + 5)
        let delayBits = bits.take(5) + 1
        if !isEven { times.delayBits = delayBits }
        return times
    }

    private static func skipOperatingPoints(_ bits: inout BitCursor, _ bufferBits: Int?) {
        let hasInitialDelay = bits.flag()
        for _ in 0...bits.take(5) {
            bits.skip(12)
            if bits.take(5) > 7 { bits.skip(1) }
            if let bufferBits, bits.flag() { bits.skip(2 * bufferBits + 1) }
            if hasInitialDelay, bits.flag() { bits.skip(4) }
        }
    }

    private mutating func readTools(_ bits: inout BitCursor) {
        bits.skip(4)
        let hasOrderHint = bits.flag()
        if hasOrderHint { bits.skip(2) }
        // Screen content tools, then integer motion vectors: chosen for each frame, or one value for all.
        if !bits.flag() { hasScreenTools = bits.flag() }
        if hasScreenTools ?? true {
            choosesIntegerVectors = bits.flag()
            if !choosesIntegerVectors { bits.skip(1) }
        }
        if hasOrderHint { orderBits = bits.take(3) + 1 }
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
