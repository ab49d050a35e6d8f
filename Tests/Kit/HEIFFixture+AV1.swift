extension HEIFFixture {
    /// The data of an AV1 still picture, written as video is, so that its frame may have a size of its own
    /// (AV1 Bitstream and Decoding Process Specification, 5.5.1 and 5.9.2).
    ///
    /// - Parameters:
    ///   - data: what libaom wrote, with the short headers of still pictures.
    ///   - fieldBits: of the width and of the height: 8 or 16.
    ///   - size: what the sequence says.
    ///   - own: what the frame says.
    ///   - layers: how many the sequence says to have.
    ///   - layer: that of the frame.
    package static func video(
        _ data: [UInt8], fieldBits: Int, size: (width: Int, height: Int), own: (width: Int, height: Int)?,
        layers: Int = 1, layer: Int = 0
    ) -> [UInt8] {
        func fields(_ size: (width: Int, height: Int)) -> [Bool] {
            bits(size.width - 1, fieldBits) + bits(size.height - 1, fieldBits)
        }
        var result: [UInt8] = []
        var at = 0
        while at < data.count {
            let kind = Int(data[at] >> 3)
            var length = 0
            var shift = 0
            repeat {
                at += 1
                length |= Int(data[at] & 127) << shift
                shift += 7
            } while data[at] >= 128
            at += 1
            var old = data[at..<at + length].flatMap { bits(Int($0), 8) }[...]
            at += length
            func take(_ count: Int) -> [Bool] {
                defer { old = old.dropFirst(count) }
                return Array(old.prefix(count))
            }
            var new: [Bool] = []
            switch kind {
            case 1:
                // Profile and stillness; no times, one operating point with its level.
                new = take(4) + bits(0, 1 + 2 + 5) + bits(layers > 1 ? (1 << layers - 1) << 8 | 1 : 0, 12)
                _ = take(1)
                new += take(5) + bits(fieldBits - 1, 4) + bits(fieldBits - 1, 4) + fields(size)
                let lengths = [take(4), take(4)].map { $0.reduce(0) { 2 * $0 + ($1 ? 1 : 0) } + 1 }
                _ = take(lengths[0] + lengths[1])
                // Numbers of frames, of 10 bits.
                new += bits(1, 1) + bits(4, 4) + bits(3, 3)
                // No tools of video, and each frame chooses those of screens.
                new += take(3) + bits(0, 5) + bits(3, 2)
                // The last bit that is set ends the header.
                new += old[...(old.lastIndex(of: true) ?? old.startIndex)]
                new += bits(0, (8 - new.count % 8) % 8)
            case 6:
                // A key frame that is shown.
                new = bits(1, 4)
                let choices = take(2)
                new += choices + (choices[1] ? take(1) : [])
                new += bits(0, 10) + bits(own == nil ? 0 : 1, 1) + (own.map(fields) ?? [])
                // Whether it is drawn at another size, and copies of itself; then that it leaves no state.
                new += take(choices[1] ? 2 : 1) + [true] + old
            default: new = Array(old)
            }
            var rest = new.count / 8
            let isAbove = kind == 6 && layer > 0
            result += [UInt8(kind << 3 | 2 | (isAbove ? 4 : 0))] + (isAbove ? [UInt8(layer << 3)] : [])
            repeat {
                result.append(UInt8(rest & 127) | (rest > 127 ? 128 : 0))
                rest >>= 7
            } while rest > 0
            for start in stride(from: 0, to: new.count, by: 8) {
                result.append(new[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) })
            }
        }
        return result
    }

    static func bits(_ value: Int, _ count: Int) -> [Bool] {
        (0..<count).reversed().map { value >> $0 & 1 == 1 }
    }
}
