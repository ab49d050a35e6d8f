extension EXIFBlock {
    /// The TIFF block in what stands for EXIF in a file: some programs put the beginning of JPEG's segment before it.
    static func tiff(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = bytes
        if rest.starts(with: [0xFF, 0xE1]) { rest = rest.dropFirst(4) }
        if rest.starts(with: Array("Exif\0\0".utf8)) { rest = rest.dropFirst(6) }
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
            return tiff.count > most || file.hasShortPointers ? file.exif : nil
        }
        return compact ?? Array(tiff.prefix(most))
    }

    /// The XMP packet that some programs put into a block, as TIFFs have it.
    static func xmp(in block: [UInt8]) -> ArraySlice<UInt8>? {
        guard let tiff = tiff(in: block[...]) else { return nil }
        return tiff.withUnsafeBytes { TIFFDirectories($0).xmp }.map {
            tiff[tiff.startIndex + $0.lowerBound..<tiff.startIndex + $0.upperBound]
        }
    }
}
