extension HEIFFixture {
    /// How a sequence of HEVC says that it is coded (ITU-T H.265, 7.3.2.2).
    package struct Sequence: Sendable {
        /// In pixels, in whole blocks of 8.
        package var coded: (width: Int, height: Int)
        /// The top left of that.
        package var shown: (width: Int, height: Int)
        /// 0 for 4:0:0, 1 for 4:2:0, 3 for 4:4:4 (table 6-1).
        package var chroma = 1
        /// Whether each colour of 4:4:4 is a picture of its own; nil says nothing of it, as is right for other formats.
        package var hasSeparateColours: Bool?
        /// Bits of a value.
        package var depths = (brightness: 8, colours: 8)

        package init(coded: (width: Int, height: Int), shown: (width: Int, height: Int)) {
            (self.coded, self.shown) = (coded, shown)
        }
    }

    /// A decoder's configuration of HEVC that says another one's sequence.
    ///
    /// - Parameter property: of a picture in 4:2:0 that libx265 coded.
    package static func configuration(_ property: [UInt8], _ sequence: Sequence) -> [UInt8] {
        func number(_ at: Int) -> Int { Int(property[at]) << 8 | Int(property[at + 1]) }
        // Behind the box's header and 23 bytes stand lists of units: their kind and count, then each with its length.
        var result = Array(property[8..<31])
        result[16] = result[16] & 0xFC | UInt8(sequence.chroma)
        result[17] = result[17] & 0xF8 | UInt8(sequence.depths.brightness - 8)
        var at = 31
        for _ in 0..<property[30] {
            result += property[at..<at + 3]
            let (kind, count) = (property[at] & 63, number(at + 1))
            at += 3
            for _ in 0..<count {
                let unit = Array(property[at + 2..<at + 2 + number(at)])
                at += 2 + unit.count
                let written = kind == 33 ? rewritten(unit, sequence) : unit
                result += big(written.count, 2) + written
            }
        }
        return box("hvcC", result)
    }

    private static func rewritten(_ unit: [UInt8], _ sequence: Sequence) -> [UInt8] {
        let (coded, shown) = (sequence.coded, sequence.shown)
        // 00 00 03 stands for 00 00.
        var payload: [UInt8] = []
        for byte in unit where !(byte == 3 && payload.suffix(2) == [0, 0]) { payload.append(byte) }
        var old = payload.flatMap { bits(Int($0), 8) }[...]
        func take(_ count: Int) -> [Bool] {
            defer { old = old.dropFirst(count) }
            return Array(old.prefix(count))
        }
        func takeNumber() -> [Bool] {
            let zeros = old.prefix { !$0 }.count
            return take(2 * zeros + 1)
        }
        func written(_ value: Int) -> [Bool] {
            let length = Int.bitWidth - (value + 1).leadingZeroBitCount
            return bits(value + 1, 2 * length - 1)
        }
        // The unit's header, three numbers of the set, the profile, and the number of the set.
        var new = take(16 + 8 + 96)
        new += takeNumber()
        _ = takeNumber() + takeNumber() + takeNumber()
        if take(1) == [true] { for _ in 0..<4 { _ = takeNumber() } }
        _ = takeNumber() + takeNumber()
        new += written(sequence.chroma)
        if let hasSeparateColours = sequence.hasSeparateColours { new.append(hasSeparateColours) }
        new += written(coded.width) + written(coded.height) + [true]
        let unit = sequence.chroma == 1 ? 2 : 1
        new += written(0) + written((coded.width - shown.width) / unit)
        new += written(0) + written((coded.height - shown.height) / unit)
        new += written(sequence.depths.brightness - 8) + written(sequence.depths.colours - 8)
        // Its last bit that is set ends the set.
        new += old[...(old.lastIndex(of: true) ?? old.startIndex)]
        new += bits(0, (8 - new.count % 8) % 8)
        var result: [UInt8] = []
        var zeros = 0
        for start in stride(from: 0, to: new.count, by: 8) {
            let byte = new[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) } as UInt8
            if zeros >= 2, byte <= 3 {
                result.append(3)
                zeros = 0
            }
            result.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return result
    }
}
