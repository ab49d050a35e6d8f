import Imaging

extension Container {
    /// Walks a TIFF's first directory and counts the others (TIFF 6.0).
    ///
    /// Camera raw files are TIFFs too and are refused. The EXIF and GPS directories are copied to a
    /// compact EXIF block, because the EXIF library reads blocks of at most 64 KiB.
    static func readTIFF(_ bytes: UnsafeRawBufferPointer) throws(PhotoRejection) -> Container {
        var result = Container(format: .tiff)
        let file = TIFFDirectories(bytes)
        guard let first = file.firstOffset else {
            throw PhotoRejection(.unsupportedFormat, "BigTIFF is not supported. Please upload a JPEG.")
        }
        guard let (firstEntries, next) = file.directory(at: first) else {
            throw first < 8 ? corrupt("There is no directory.") : truncated
        }
        var entries = firstEntries
        var position = next
        var seen: Set<Int> = [first]
        while position != 0, seen.insert(position).inserted, seen.count <= 100_000,
            let following = file.nextOffset(ofDirectoryAt: position)
        {
            // The photo may stand behind its thumbnails.
            if result.page == 0, result.frames < mostThumbnails, file.isThumbnail(firstEntries),
                let (others, _) = file.directory(at: position), !file.isThumbnail(others)
            {
                (entries, result.page) = (others, result.frames)
            }
            result.frames += 1
            position = following
        }
        let tags = Dictionary(entries.map { ($0.tag, $0) }) { earlier, _ in earlier }
        func number(_ tag: Int) -> Int? { tags[tag].flatMap { file.firstNumber($0) } }
        // Without these, nothing below is certain.
        guard ![0x0102, 0x0152, 0x0153].contains(where: { tags[$0].map { file.isOutside($0) } == true })
        else {
            throw truncated
        }
        let photometric = number(0x0106)
        func has(_ tag: Int) -> Bool { firstEntries.contains { $0.tag == tag } }
        if has(0xC612) || photometric == 32_803 || photometric == 34_892 || bytes.has("CR", at: 8)
            || (file.isThumbnail(firstEntries) && has(0x014A))
        {
            throw PhotoRejection(
                .unsupportedFormat, "Camera raw files are not supported. Please upload a JPEG.")
        }
        // libvips refuses those with subsampling, and treats the values of the others as red, green and blue.
        if photometric == 6, number(0x0103) != 7 {
            throw PhotoRejection(
                .unsupportedFormat,
                "TIFFs with YCbCr without JPEG compression are not supported. Please save this one as JPEG.")
        }
        guard let width = number(0x0100), let height = number(0x0101) else {
            throw corrupt("The first directory has no size.")
        }
        result.size = (width, height)
        try result.readSamples(number, extra: tags[0x0152].map { Array(file.numbers($0).prefix(16)) } ?? [])
        if let across = number(0x0142), let down = number(0x0143), across > 0, down > 0 {
            let (tiles, overflow) = ((width + across - 1) / across).multipliedReportingOverflow(
                by: (height + down - 1) / down)
            try check(parts: overflow ? .max : tiles, most: mostTiles)
        }
        result.endsEarly = entries.contains { file.isOutside($0) } || file.endsEarly(tags)
        if let profile = tags[0x8773], let range = file.data(profile) {
            result.stripped.insert("ICC")
            result.note(profile: range.count)
            if range.count <= profileLimit { result.icc = bytes.copy(range) }
        }
        // How the thumbnail stands is not how the photo does.
        let described =
            result.page == 0 ? [entries] : [entries, firstEntries.filter { $0.tag != 0x0112 }]
        for range in described.compactMap({ file.xmp(in: $0) }) {
            result.note(metadata: range.count)
            if range.count <= metadataLimit { result.note(xmp: bytes[range]) }
        }
        if let iptc = tags[0x83BB] {
            result.stripped.insert("IPTC")
            let range = file.data(iptc)
            result.note(metadata: range?.count ?? 0)
            if let range, range.count <= metadataLimit { result.note(iptc: bytes[range]) }
        }
        for block in described.compactMap({ file.exif(in: $0) }) { result.note(exif: block) }
        if let range = tags[0x8649].flatMap({ file.data($0) }) {
            result.note(metadata: range.count)
            result.note(photoshopResources: UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
        return result
    }
}

extension Container {
    /// The most tiles, each of which costs the decoder more the more there are. A photo of 250 megapixels has 61,000 of
    /// 64 × 64 pixels.
    private static let mostTiles = 100_000
    /// The most thumbnails behind which a photo is looked for.
    private static let mostThumbnails = 16

    /// Reads what the values of a pixel mean, and refuses what libvips 8.14 does not read, or shows in wrong colours.
    ///
    /// - Parameter kinds: of the values behind the colours, as far as they are said: 0 is anything, 1 has multiplied the
    ///   colours, 2 is transparency (ExtraSamples).
    private mutating func readSamples(
        _ number: (_ tag: Int) -> Int?, extra kinds: [Int]
    ) throws(PhotoRejection) {
        let (bits, samples) = (number(0x0102) ?? 1, min(number(0x0115) ?? 1, 65_535))
        pixelBytes = (min(bits, 64) * samples + 7) / 8
        func require(_ isSupported: Bool, _ what: String) throws(PhotoRejection) {
            guard !isSupported else { return }
            throw PhotoRejection(
                .unsupportedFormat, "TIFFs with \(what) are not supported. Please save this one as JPEG.")
        }
        // None, CCITT's, LZW, JPEG's, Deflate's, PackBits, JBIG, LZMA, Zstandard and WebP: what libtiff reads.
        let compressions: Set<Int> = [
            1, 2, 3, 4, 5, 6, 7, 8, 32_771, 32_773, 32_946, 34_661, 34_925, 50_000, 50_001,
        ]
        try require(compressions.contains(number(0x0103) ?? 1), "this compression")
        // Unsigned, or not said. libtiff refuses 0 itself.
        try require([1, 4].contains(number(0x0153) ?? 1), "signed or floating-point values")
        // Grey, RGB, a palette, CMYK, YCbCr and CIE L*a*b*, with the number of their values and bits.
        let known: [Int: (values: Int, bits: Set<Int>)] = [
            0: (1, [1, 2, 4, 8, 16]), 1: (1, [1, 2, 4, 8, 16]), 2: (3, [8, 16]), 3: (1, [1, 2, 4, 8]),
            5: (4, [8, 16]), 6: (3, [8]), 8: (3, [8, 16]),
        ]
        let photometric = number(0x0106) ?? -1
        let colours = known[photometric] ?? (0, [])
        try require(colours.values > 0, "colours of this kind")
        try require(colours.bits.contains(bits), "\(bits) bits a value")
        guard samples >= colours.values else { throw Self.corrupt("A pixel has \(samples) values.") }
        if photometric == 3, number(0x0140) == nil { throw Self.corrupt("There is no palette.") }
        let isPlanar = number(0x011C) == 2
        let hasPlainPlanes = photometric == 2 || photometric == 5 || (samples == 1 && bits >= 8)
        try require(!isPlanar || hasPlainPlanes, "planes of these colours")
        try require(photometric != 5 || number(0x014C) ?? 1 == 1, "inks other than CMYK")
        // The value of no ink comes first, and is 0 unless something else is said (DotRange).
        try require(photometric != 5 || number(0x0150) ?? 0 < 1 << (bits - 1), "inverted inks")
        guard samples > colours.values else { return }
        let extra = kinds.first ?? 2
        try require(extra != 0 || kinds.allSatisfy { $0 == 0 }, "transparency behind other values")
        let hasPlainExtra =
            switch photometric {
            case 0: bits >= 8 && extra != 1
            case 3: false
            case 5: extra != 1 || bits == 8
            case 8: extra == 0
            default: bits >= 8
            }
        try require(hasPlainExtra, "transparency of this kind")
        let kept = colours.values + (extra == 0 ? 0 : 1)
        if samples > kept { keptBands = kept }
    }
}

/// Checked access to the directories of a classic TIFF.
struct TIFFDirectories {
    struct Entry {
        var tag: Int
        var type: Int
        var count: Int
        /// The position of the value or its offset.
        var valueAt: Int
    }

    private let bytes: UnsafeRawBufferPointer
    private let isBig: Bool
    /// Nil if this is not a classic TIFF.
    let firstOffset: Int?

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        isBig = bytes.count > 0 && bytes[0] == UInt8(ascii: "M")
        let isClassic = (isBig ? bytes.big16(2) : bytes.little16(2)) == 42
        firstOffset = isClassic ? (isBig ? bytes.big32(4) : bytes.little32(4)) : nil
    }

    private func short(_ at: Int) -> Int? { isBig ? bytes.big16(at) : bytes.little16(at) }
    private func long(_ at: Int) -> Int? { isBig ? bytes.big32(at) : bytes.little32(at) }

    func nextOffset(ofDirectoryAt offset: Int) -> Int? {
        short(offset).flatMap { long(offset + 2 + 12 * $0) }
    }

    /// The first 512 entries; nil if they do not lie within the file.
    func directory(at offset: Int) -> (entries: [Entry], next: Int)? {
        guard let count = short(offset), offset + 2 + 12 * count <= bytes.count else { return nil }
        let entries = (0..<min(count, 512)).compactMap { index -> Entry? in
            let at = offset + 2 + 12 * index
            guard let tag = short(at), let type = short(at + 2), let count = long(at + 4) else { return nil }
            return Entry(tag: tag, type: type, count: count, valueAt: at + 8)
        }
        return (entries, long(offset + 2 + 12 * count) ?? 0)
    }

    /// Bytes of a value of each type from 1 on.
    private static let sizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

    /// Whether a file that ended later could have an entry's data.
    func isOutside(_ entry: Entry) -> Bool { 1...Self.sizes.count ~= entry.type && data(entry) == nil }

    /// The position of an entry's data; nil if it is outside the file.
    func data(_ entry: Entry) -> Range<Int>? {
        guard 1...Self.sizes.count ~= entry.type else { return nil }
        let (length, overflow) = entry.count.multipliedReportingOverflow(by: Self.sizes[entry.type - 1])
        guard !overflow else { return nil }
        let start = length <= 4 ? entry.valueAt : (long(entry.valueAt) ?? -1)
        guard start >= 0, start <= bytes.count, length <= bytes.count - start else { return nil }
        return start..<start + length
    }

    func firstNumber(_ entry: Entry) -> Int? { numbers(entry).first }

    /// The numbers of an entry; none if they are outside the file.
    func numbers(_ entry: Entry) -> some RandomAccessCollection<Int> {
        // Readers should take any of these types for a number (TIFF 6.0, section 2).
        let size = [1: 1, 3: 2, 4: 4, 13: 4][entry.type]
        let range = size == nil ? nil : data(entry)
        return (0..<(range?.count ?? 0) / (size ?? 1)).lazy.map { index in
            let at = range!.lowerBound + index * size!
            return switch size {
            case 1: Int(bytes[at])
            case 2: short(at) ?? 0
            default: long(at) ?? 0
            }
        }
    }

    /// Whether strips or tiles of the picture are outside the file.
    func endsEarly(_ tags: [Int: Entry]) -> Bool {
        [(0x0111, 0x0117), (0x0144, 0x0145)].contains { offsets, lengths in
            guard let offsets = tags[offsets], let lengths = tags[lengths] else { return false }
            return zip(numbers(offsets), numbers(lengths)).contains { $0 + $1 > bytes.count }
        }
    }

    /// Where the directory of a thumbnail says that directories of EXIF and GPS are.
    private var thumbnailPointers: [Entry] {
        guard let first = firstOffset.flatMap({ directory(at: $0) }), first.next > 0 else { return [] }
        return (directory(at: first.next)?.entries ?? []).filter { [0x8769, 0x8825].contains($0.tag) }
    }

    var firstEntries: [Entry] { firstOffset.flatMap { directory(at: $0)?.entries } ?? [] }

    /// Whether a page is a smaller copy of another one, or its transparency (NewSubfileType, SubfileType).
    func isThumbnail(_ entries: [Entry]) -> Bool {
        func number(_ tag: Int) -> Int? { entries.first { $0.tag == tag }.flatMap { firstNumber($0) } }
        return number(0x00FE).map { $0 & 0b101 != 0 } ?? (number(0x00FF) == 2)
    }

    /// The place of an XMP packet (XMP specification part 3, 3.1).
    func xmp(in entries: [Entry]) -> Range<Int>? {
        entries.first { $0.tag == 0x02BC }.flatMap { data($0) }
    }

    /// Whether the place of the directories of EXIF or GPS has fewer than the usual four bytes.
    var hasShortPointers: Bool {
        firstEntries.contains { [0x8769, 0x8825].contains($0.tag) && ![4, 13].contains($0.type) }
    }

    /// Whether directories refer to one several times, or have more entries or longer values than fit into the bytes.
    var isBloated: Bool {
        guard let firstOffset, let first = directory(at: firstOffset) else { return false }
        func pointers(_ entries: [Entry]) -> [Entry] {
            entries.filter { [0x8769, 0x8825, 0xA005].contains($0.tag) }
        }
        var left = bytes.count
        var seen: Set<Int> = []
        var kinds: Set<Int> = []
        var offsets = [firstOffset, first.next]
        while let offset = offsets.popLast() {
            guard offset > 0, let count = short(offset), let entries = directory(at: offset)?.entries else {
                continue
            }
            let others = pointers(entries).compactMap { firstNumber($0) }
            left -= entries.reduce(0) { $0 + (data($1)?.count ?? 0) }
            guard seen.insert(offset).inserted, count <= 512, left >= 0,
                pointers(entries).allSatisfy({ kinds.insert($0.tag).inserted })
            else { return true }
            offsets += others
        }
        return false
    }

    /// An EXIF block in the same byte order, with what is looked at and is short; nil if there is nothing.
    func exif(in entries: [Entry]) -> [UInt8]? {
        /// The directories that entries refer to; no photo has more than a few.
        func directories(_ tag: Int, below parents: [[Entry]]) -> [[Entry]] {
            var found: [[Entry]] = []
            for entry in parents.joined() where entry.tag == tag && found.count < 16 {
                if let entries = firstNumber(entry).flatMap({ directory(at: $0)?.entries }) {
                    found.append(entries)
                }
            }
            return found
        }
        /// The first directory with all of some tags, of several sets; else the first with any tag.
        func best(_ found: [[Entry]], with wanted: [Set<Int>]) -> [Entry] {
            for tags in wanted {
                if let first = found.first(where: { tags.isSubset(of: $0.map(\.tag)) }) { return first }
            }
            return found.first { !$0.isEmpty } ?? []
        }
        // Make, model, orientation, time of the last change, artist, copyright, and times that may be here, too.
        let kept = [
            0x010F, 0x0110, 0x0112, 0x0132, 0x013B, 0x8298, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9290,
            0x9291,
            0x9292,
        ]
        let main = entries.filter { kept.contains($0.tag) }
        // Some programs write directories twice, below each other, or below that of the thumbnail.
        let roots = [entries, thumbnailPointers]
        let first = directories(0x8769, below: roots)
        let found = first + directories(0x8769, below: first)
        let all = best(found, with: [[0x9003], [0x9004]]) + found.joined()
        let exif = all.filter { kept.contains($0.tag) || $0.tag == 0x927C }
        let positions = directories(0x8825, below: roots + found)
        let gps = best(positions, with: [[2, 4], [2], [4]]).filter { $0.tag < 0x20 }
        return main.isEmpty && exif.isEmpty && gps.isEmpty
            ? nil : compactBlock(main: main, exif: exif, gps: gps)
    }

    /// An EXIF block in the same byte order with the short values of three directories.
    private func compactBlock(main: [Entry], exif: [Entry], gps: [Entry]) -> [UInt8] {
        func encoded(_ value: Int, _ size: Int) -> [UInt8] {
            let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBig ? little.reversed() : little
        }
        // Each tag once, so that all of them stay below what libexif reads.
        func small(_ entries: [Entry]) -> [(Entry, Range<Int>)] {
            var seen: Set<Int> = []
            return entries.compactMap { entry in
                guard let range = data(entry), seen.insert(entry.tag).inserted else { return nil }
                // That there are notes of the maker is told to uploaders. Notices of copyright are long.
                let isNote = entry.tag == 0x927C && entry.type == 7
                let most = isNote ? 4 : entry.type == 2 ? 2048 : 256
                guard range.count > most else { return (entry, range) }
                guard isNote || entry.type == 2 else { return nil }
                let few = range.prefix(most)
                return (Entry(tag: entry.tag, type: entry.type, count: most, valueAt: few.lowerBound), few)
            }
        }
        let directories = [small(main), small(exif), small(gps)]
        let pointers = [0x8769, 0x8825]
        var offsets: [Int] = []
        var end = 8
        for (index, directory) in directories.enumerated() {
            offsets.append(end)
            end += 6 + 12 * (directory.count + (index == 0 ? pointers.count : 0))
        }
        var head: [UInt8] = isBig ? Array("MM".utf8) : Array("II".utf8)
        head += encoded(42, 2) + encoded(8, 4)
        var tail: [UInt8] = []
        for (index, directory) in directories.enumerated() {
            head += encoded(directory.count + (index == 0 ? pointers.count : 0), 2)
            for (entry, range) in directory {
                head += encoded(entry.tag, 2) + encoded(entry.type, 2) + encoded(entry.count, 4)
                if range.count <= 4 {
                    head += bytes.copy(range) + [UInt8](repeating: 0, count: 4 - range.count)
                } else {
                    head += encoded(end + tail.count, 4)
                    tail += bytes.copy(range)
                }
            }
            if index == 0 {
                for (which, tag) in pointers.enumerated() {
                    head += encoded(tag, 2) + encoded(4, 2) + encoded(1, 4) + encoded(offsets[which + 1], 4)
                }
            }
            head += encoded(0, 4)
        }
        return head + tail
    }
}
