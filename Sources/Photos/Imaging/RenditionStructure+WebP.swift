extension RenditionStructure {
    /// Checks a WebP (RFC 9649).
    ///
    /// It may hold one lossy or lossless picture, with or without transparency, or an animation of such pictures. Credit is
    /// an XMP chunk at the end.
    init(webp bytes: UnsafeRawBufferPointer, keepsCredit: Bool) throws(Fault) {
        var file = StructureCursor(bytes)
        try file.expect("RIFF")
        let length = try file.little(4)
        guard length <= file.remaining else { throw Fault(.truncated) }
        guard length == file.remaining else { throw Fault(.trailingBytes(file.remaining - length)) }
        try file.expect("WEBP")
        var (name, chunk) = try file.chunk()
        guard name == "VP8X" else {
            let size = try Self.picture(name, &chunk)
            guard file.isAtEnd else { throw Self.unexpected(try file.chunk().name) }
            self.init(width: size.width, height: size.height)
            return
        }
        let flags = try chunk.big(1)
        let isAnimated = flags & 0x02 != 0
        let hasCredit = keepsCredit && flags & 0x04 != 0
        for (bit, metadata) in [(0x20, "ICCP"), (0x08, "EXIF"), (0x04, "XMP ")] where flags & bit != 0 {
            guard hasCredit, bit == 0x04 else { throw Fault(.metadata(metadata)) }
        }
        guard flags & ~0x16 == 0 else { throw Fault(.malformed) }
        try chunk.expectZeros(3)
        let (width, height) = (try chunk.little(3) + 1, try chunk.little(3) + 1)
        try chunk.expectEnd()
        var frames = 1
        if isAnimated {
            frames = try Self.frames(&file, width: width, height: height, hasCredit: hasCredit)
        } else {
            let size = try Self.still(&file)
            guard size == (width, height) else { throw Fault(.malformed) }
        }
        var credit: PhotoCredit?
        if hasCredit {
            (name, chunk) = try file.chunk()
            guard name == "XMP " else { throw Self.unexpected(name) }
            credit = try chunk.credit()
        }
        guard file.isAtEnd else { throw Self.unexpected(try file.chunk().name) }
        self.init(width: width, height: height, frames: frames, credit: credit)
    }

    /// All chunks of an animation from its header to the end of the file, or to the chunk of credit.
    private static func frames(
        _ file: inout StructureCursor, width: Int, height: Int, hasCredit: Bool
    ) throws(Fault) -> Int {
        var (name, header) = try file.chunk()
        // Background colour and loop count.
        guard name == "ANIM", header.remaining == 6 else { throw unexpected(name) }
        var frames = 0
        while !file.isAtEnd {
            let before = file
            (name, header) = try file.chunk()
            if hasCredit, name == "XMP " {
                file = before
                break
            }
            guard name == "ANMF" else { throw unexpected(name) }
            let (left, top) = (try header.little(3) * 2, try header.little(3) * 2)
            let size = (width: try header.little(3) + 1, height: try header.little(3) + 1)
            // Duration, and how the frame is blended with the one before it.
            _ = try header.take(3)
            guard try header.big(1) & ~3 == 0, left + size.width <= width, top + size.height <= height,
                try still(&header) == size
            else { throw Fault(.malformed) }
            guard header.isAtEnd else { throw unexpected(try header.chunk().name) }
            frames += 1
        }
        guard frames > 0 else { throw Fault(.malformed) }
        return frames
    }

    /// An optional alpha chunk and a picture.
    private static func still(
        _ file: inout StructureCursor
    ) throws(Fault) -> (width: Int, height: Int) {
        var (name, chunk) = try file.chunk()
        if name == "ALPH" {
            guard try chunk.big(1) & 0xC0 == 0, chunk.remaining > 0 else { throw Fault(.malformed) }
            (name, chunk) = try file.chunk()
            guard name == "VP8 " else { throw unexpected(name) }
        }
        return try picture(name, &chunk)
    }

    private static func picture(
        _ name: String, _ chunk: inout StructureCursor
    ) throws(Fault) -> (width: Int, height: Int) {
        switch name {
        case "VP8 ":
            // It must be a key frame that is shown (RFC 6386, section 9.1).
            let tag = try chunk.little(3)
            guard tag & 0x11 == 0x10, try chunk.little(3) == 0x2A_01_9D else { throw Fault(.malformed) }
            let size = (width: try chunk.little(2) & 0x3FFF, height: try chunk.little(2) & 0x3FFF)
            guard tag >> 5 <= chunk.remaining, size.width > 0, size.height > 0 else {
                throw Fault(.malformed)
            }
            return size
        case "VP8L":
            guard try chunk.big(1) == 0x2F else { throw Fault(.malformed) }
            let bits = try chunk.little(4)
            // The three highest bits are the version.
            guard bits >> 29 == 0, chunk.remaining > 0 else { throw Fault(.malformed) }
            return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        default:
            throw unexpected(name)
        }
    }

    private static func unexpected(_ name: String) -> Fault {
        switch name {
        case "VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF": Fault(.malformed)
        default: Fault(.metadata(name))
        }
    }
}

extension StructureCursor {
    /// A RIFF chunk and the byte that pads it to an even length.
    fileprivate mutating func chunk() throws(Fault) -> (name: String, content: StructureCursor) {
        let name = try name()
        let content = try part(try little(4))
        try expectZeros(content.remaining & 1)
        return (name, content)
    }
}
