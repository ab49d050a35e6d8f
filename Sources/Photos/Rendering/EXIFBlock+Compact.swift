extension EXIFBlock {
    /// What is behind the header of a JPEG's segment of EXIF; nil without one. It may be written small, have one zero
    /// instead of two, and stand behind up to four other bytes: exiftool reads it like that.
    static func withoutHeader(_ segment: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let header = Array("exif\0".utf8)
        let start = segment.prefix(5).indices.first { at in
            segment[at...].prefix(header.count).map { $0 | ($0 >= 0x41 ? 0x20 : 0) } == header
        }
        guard let start else { return nil }
        let rest = segment[(start + header.count)...]
        return rest.first == 0 ? rest.dropFirst() : rest
    }

    /// The TIFF block in what stands for EXIF in a file: some programs put the beginning of JPEG's segment before it.
    static func tiff(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = bytes
        if rest.starts(with: [0xFF, 0xE1]) { rest = rest.dropFirst(4) }
        rest = withoutHeader(rest) ?? rest
        let isTIFF = rest.starts(with: Array("II*\0".utf8)) || rest.starts(with: Array("MM\0*".utf8))
        return isTIFF ? rest : nil
    }

    /// Whether no directory refers to another one several times: libexif would read it as often.
    static func isSimple(_ tiff: ArraySlice<UInt8>) -> Bool {
        tiff.withUnsafeBytes { bytes in
            let file = TIFFDirectories(bytes)
            func pointers(_ offset: Int?) -> [TIFFDirectories.Entry] {
                let entries = offset.flatMap { file.directory(at: $0)?.entries } ?? []
                return entries.filter { [0x8769, 0x8825, 0xA005].contains($0.tag) }
            }
            let first = pointers(file.firstOffset)
            let all = [first] + first.prefix(4).map { pointers(file.firstNumber($0)) }
            return all.allSatisfy { Set($0.map(\.tag)).count == $0.count }
        }
    }

    /// A block that libexif reads to its end, without what is long. The maker's notes of some cameras are so long that it
    /// would not reach the position. It also takes places of two bytes for ones of four.
    static func short(_ tiff: ArraySlice<UInt8>) -> [UInt8] {
        let most = 0xFFF0
        let compact = tiff.withUnsafeBytes { bytes in
            let file = TIFFDirectories(bytes)
            return tiff.count > most || file.hasShortPointers ? file.exif(in: file.firstEntries) : nil
        }
        return compact ?? Array(tiff.prefix(most))
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
