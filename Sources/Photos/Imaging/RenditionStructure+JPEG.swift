extension RenditionStructure {
    /// Checks a JPEG.
    ///
    /// It may hold one JFIF APP0 without a thumbnail; quantisation, Huffman and restart tables; one baseline or
    /// progressive frame of 8 bits; and scans. It must end with the end marker. Credit is an XMP APP1, and the
    /// first segment.
    init(jpeg bytes: UnsafeRawBufferPointer, keepsCredit: Bool) throws(Fault) {
        var walk = JPEGSegments(bytes)
        var frame: (width: Int, height: Int, components: Int)?
        var scans = 0
        var sawJFIF = false
        var credit: PhotoCredit?
        var segments = 0
        while let element = walk.next() {
            switch element {
            case .malformed: throw Fault(.malformed)
            case .stray(let range): throw Fault(.hiddenBytes(range.count))
            case .truncated: throw Fault(.truncated)
            case .scan: scans += 1
            case .end(let end):
                guard end == bytes.count else { throw Fault(.trailingBytes(bytes.count - end)) }
            case .segment(let marker, let payload):
                segments += 1
                switch marker {
                case 0xDB, 0xC4, 0xDD, 0xDA:
                    try Self.checkTables(marker, bytes, payload)
                case 0xE0:
                    let jfif: [UInt8] = [0x4A, 0x46, 0x49, 0x46, 0x00]
                    guard !sawJFIF, payload.count == 14, bytes[payload].starts(with: jfif),
                        bytes[payload.upperBound - 1] == 0, bytes[payload.upperBound - 2] == 0
                    else { throw Fault(.metadata("marker 0x\(String(marker, radix: 16))")) }
                    sawJFIF = true
                case 0xE1 where keepsCredit && segments == 1:
                    var packet = StructureCursor(bytes).part(payload)
                    guard packet.skip("http://ns.adobe.com/xap/1.0/\0") else {
                        throw Fault(.metadata("marker 0xe1"))
                    }
                    credit = try packet.credit()
                case 0xE1...0xEF: throw Fault(.metadata("marker 0x\(String(marker, radix: 16))"))
                case 0xFE: throw Fault(.comment)
                case 0xC0, 0xC1, 0xC2:
                    let at = payload.lowerBound
                    guard frame == nil, payload.count >= 6, bytes[at] == 8,
                        payload.count == 6 + 3 * Int(bytes[at + 5])
                    else { throw Fault(.malformed) }
                    frame = (
                        Int(bytes[at + 3]) << 8 | Int(bytes[at + 4]),
                        Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]), Int(bytes[at + 5])
                    )
                default: throw Fault(.malformed)
                }
            }
        }
        guard let frame, scans > 0, frame.width > 0, frame.height > 0,
            frame.components == 1 || frame.components == 3
        else { throw Fault(.malformed) }
        self.init(width: frame.width, height: frame.height, credit: credit)
    }

    /// Tables (B.2.4) and scan headers (B.2.3) must have exactly the length that their contents imply.
    private static func checkTables(
        _ marker: UInt8, _ bytes: UnsafeRawBufferPointer, _ payload: Range<Int>
    ) throws(Fault) {
        var used = 0
        switch marker {
        case 0xDB:
            while used < payload.count { used += bytes[payload.lowerBound + used] >> 4 == 0 ? 65 : 129 }
        case 0xC4:
            while used + 17 <= payload.count {
                let counts = payload.lowerBound + used + 1
                used += 17 + bytes[counts..<counts + 16].reduce(0) { $0 + Int($1) }
            }
        case 0xDD:
            used = 2
        default:
            guard let components = bytes[payload].first else { throw Fault(.malformed) }
            used = 4 + 2 * Int(components)
        }
        guard used <= payload.count else { throw Fault(.malformed) }
        guard used == payload.count else { throw Fault(.hiddenBytes(payload.count - used)) }
    }
}
