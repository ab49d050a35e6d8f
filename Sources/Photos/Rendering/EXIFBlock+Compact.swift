extension EXIFBlock {
    /// What is behind the header of a JPEG's segment of EXIF; nil without one. It may be written small, and stand
    /// behind up to four other bytes; its last byte may be missing or any one. exiftool and browsers are as generous.
    static func withoutHeader(_ segment: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let header = Array("exif\0".utf8)
        let start = segment.prefix(5).indices.first { at in
            segment[at...].prefix(header.count).map { $0 | ($0 >= 0x41 ? 0x20 : 0) } == header
        }
        guard let start else { return nil }
        let rest = segment[(start + header.count)...]
        return beginsTIFF(rest) ? rest : rest.dropFirst()
    }

    private static func beginsTIFF(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: Array("II*\0".utf8)) || bytes.starts(with: Array("MM\0*".utf8))
    }

    /// The TIFF block in what stands for EXIF in a file: some programs put the beginning of JPEG's segment before it.
    static func tiff(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = bytes
        if rest.starts(with: [0xFF, 0xE1]) { rest = rest.dropFirst(4) }
        rest = withoutHeader(rest) ?? rest
        return beginsTIFF(rest) ? rest : nil
    }

    /// A block that libexif reads to its end and at little cost: the given one, or one without what is long. Nil if nothing is
    /// left.
    ///
    /// The maker's notes of some cameras are so long that it would not reach the position. It takes places of two bytes for ones
    /// of four, reads a directory as often as another one refers to it, and copies a value for each entry that has it.
    static func short(_ tiff: ArraySlice<UInt8>) -> [UInt8]? {
        tiff.withUnsafeBytes { bytes in
            let file = TIFFDirectories(bytes)
            return tiff.count > 0xFFF0 || file.hasShortPointers || file.isBloated
                ? file.exif(in: file.firstEntries) : Array(tiff)
        }
    }

    /// The XMP packet that some programs put into a block, as TIFFs have it.
    static func xmp(in block: [UInt8]) -> ArraySlice<UInt8>? {
        guard let tiff = tiff(in: block[...]) else { return nil }
        return tiff.withUnsafeBytes { bytes in
            let file = TIFFDirectories(bytes)
            return file.xmp(in: file.firstEntries)
        }.map {
            tiff[tiff.startIndex + $0.lowerBound..<tiff.startIndex + $0.upperBound]
        }
    }
}
