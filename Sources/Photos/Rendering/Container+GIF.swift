import Imaging

extension Container {
    /// Walks a GIF's blocks (GIF89a specification) to its trailer, or to the first thing behind a frame that is no block.
    static func readGIF(_ bytes: UnsafeRawBufferPointer) throws(PhotoRejection) -> Container {
        var result = Container(format: .gif)
        guard let width = bytes.little16(6), let height = bytes.little16(8), bytes.count >= 13 else {
            throw truncated
        }
        // Like decoders, gives a canvas of 0 x 0 the size of its frame.
        var canvas = (width: width, height: height)
        result.frames = 0
        var position = 13 + colourTableBytes(bytes[10])
        var isCovered = false
        var isTransparent = false
        while true {
            // Some programs leave out the trailer.
            result.endsEarly = position >= bytes.count
            guard !result.endsEarly || result.frames > 0 else { throw truncated }
            let block = result.endsEarly ? 0x3B : bytes[position]
            switch block {
            case 0x21:
                guard position + 2 <= bytes.count - 1 else { throw truncated }
                if bytes[position + 1] == 0xF9, position + 3 < bytes.count, bytes[position + 3] & 1 == 1 {
                    isTransparent = true
                }
                if bytes[position + 1] == 0xFE { result.stripped.insert("comment") }
                if bytes.has("\u{B}XMP DataXMP", at: position + 2) {
                    result.stripped.insert("XMP")
                    let start = position + 14
                    position = try skipSubBlocks(bytes, from: start)
                    result.note(metadata: position - start)
                    if position - start <= metadataLimit {
                        result.note(xmp: packet(bytes, start..<position))
                    }
                } else {
                    position = try skipSubBlocks(bytes, from: position + 2)
                }
            case 0x2C:
                guard let left = bytes.little16(position + 1), let top = bytes.little16(position + 3),
                    let frameWidth = bytes.little16(position + 5),
                    let frameHeight = bytes.little16(position + 7), position + 10 < bytes.count
                else { throw truncated }
                result.frames += 1
                if result.frames == 1 {
                    isCovered = left == 0 && top == 0 && frameWidth >= width && frameHeight >= height
                }
                canvas.width = max(canvas.width, left + frameWidth)
                canvas.height = max(canvas.height, top + frameHeight)
                position += 10 + colourTableBytes(bytes[position + 9])
                position = try skipSubBlocks(bytes, from: position + 1)
            default:
                guard result.frames > 0 else {
                    throw corrupt(
                        block == 0x3B
                            ? "There is no frame."
                            : "There is an unknown block 0x\(String(block, radix: 16)).")
                }
                if position + 1 < bytes.count { result.stripped.insert("trailing data") }
                result.size = canvas
                let needsTransparency = !isCovered && !isTransparent
                if needsTransparency || block != 0x3B {
                    result.essence =
                        bytes.copy(0..<position) + (needsTransparency ? transparentFrame : []) + [0x3B]
                }
                return result
            }
        }
    }

    /// One transparent pixel. libvips 8.14 shows what no frame covers as black unless a frame has transparency.
    private static let transparentFrame: [UInt8] = [
        0x21, 0xF9, 4, 1, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0, 2, 2, 0x44, 1, 0,
    ]

    private static func colourTableBytes(_ flags: UInt8) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
    }

    /// An XMP packet has no sub-block lengths and ends in a ramp of 258 bytes (XMP specification part 3, 1.1.2), unless a
    /// program wrote it like any other data.
    private static func packet(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> [UInt8] {
        let end = range.upperBound - 258
        if end >= range.lowerBound, bytes[end] == 1, bytes[end + 1] == 0xFF {
            return bytes.copy(range.lowerBound..<end)
        }
        var packet: [UInt8] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let next = position + 1 + Int(bytes[position])
            packet += bytes[position + 1..<min(next, range.upperBound)]
            position = next
        }
        return packet
    }

    private static func skipSubBlocks(
        _ bytes: UnsafeRawBufferPointer, from start: Int
    ) throws(PhotoRejection) -> Int {
        var position = start
        while true {
            guard position < bytes.count else { throw truncated }
            let length = Int(bytes[position])
            position += 1 + length
            if length == 0 { return position }
        }
    }
}
