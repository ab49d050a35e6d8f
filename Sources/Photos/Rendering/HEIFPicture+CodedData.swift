import Imaging

/// What the coded pictures say of their size themselves. A decoder makes room for that, whatever the file's property says.
extension HEIFPicture {
    /// A size as coded data say it: what is shown, and what a decoder may make room for.
    struct CodedSize: Hashable {
        var shown, most: Size

        /// Whether there is something, and no whole block of HEVC, of at most 64 pixels, is cut off.
        var isTight: Bool {
            shown.width > 0 && shown.height > 0 && most.width - shown.width < 64
                && most.height - shown.height < 64
        }
    }

    /// How values are coded.
    struct Format: Hashable {
        /// Which of 4:0:0, 4:2:0, 4:2:2 and 4:4:4 (ITU-T H.265, table 6-1).
        var chroma: Int
        /// Bits of a value.
        var depth: Int
    }

    /// Layers of AV1's primary picture, of which one is shown: a decoder decodes all.
    private static let mostLayers = 4

    /// Refuses pictures that are coded otherwise than their properties say, items that have no picture, and more units or pictures than
    /// any photo has.
    ///
    /// libheif 1.15 draws tiles over each other, in no order, if they are larger than said, and shows what lies in memory if they or
    /// their alpha are smaller. The primary picture may have layers of other sizes than what is shown.
    ///
    /// - Parameter data: those that the items' places mean.
    /// - Returns: the primary item's own size and number of layers, its format, and the sequence header of its first frame, or these two
    ///   of its first part.
    static func checkCodedData(
        _ items: [Item], _ bytes: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer
    ) throws(PhotoRejection) -> (size: Size?, layers: Int, format: Format?, sequence: AV1SequenceHeader?) {
        var size: Size?
        var layers = 1
        var format: Format?
        var sequence: AV1SequenceHeader?
        var budget = Budget()
        // Tiles share their configuration, and may share their data.
        var known: [Int: Coded] = [:]
        for (place, item) in items.enumerated() where !item.kind.isDerived {
            let isHEVC = item.kind == .hevc
            let configurations = item.properties.compactMap(\.box).filter {
                bytes.has(isHEVC ? "hvcC" : "av1C", at: $0.header)
            }
            guard configurations.count <= 1 else { throw contradiction }
            var coded = Coded()
            if let box = configurations.first {
                if known[box.header] == nil {
                    if isHEVC {
                        readConfiguration(bytes, box.content, &coded, &budget)
                    } else {
                        readUnits(bytes, box.content.dropFirst(4), &coded, &budget, isWhole: true)
                    }
                    known[box.header] = coded
                }
                coded = known[box.header] ?? coded
            }
            if isHEVC {
                // libheif takes lengths of four bytes, whatever the configuration says.
                for unit in units(data, item.data, lengthBytes: 4, &budget) {
                    read(unit: unit, data, &coded, &budget)
                }
            } else {
                readUnits(data, item.data, &coded, &budget)
            }
            if place == 0 {
                size = Size(
                    width: coded.sizes.map(\.most.width).max() ?? 0,
                    height: coded.sizes.map(\.most.height).max() ?? 0)
            } else if coded.sizes.count > 1 {
                throw unsupported("A part has layers.")
            }
            if place == items[0].parts.first ?? 0 { (format, sequence) = (coded.formats.first, coded.first) }
            let said = configurations.first.flatMap { saidFormat($0, isHEVC: isHEVC, bytes) }
            guard budget.units > 0, !budget.hasUnreadable, !coded.areRepeated, coded.formats.count == 1,
                let own = coded.formats.first,
                // The decoder takes what the configuration says, and shows all tiles like the first one.
                said?.depth ?? own.depth == own.depth, !isHEVC || said == own,
                !items[0].parts.contains(place) || own == format,
                1...(place == 0 && !isHEVC ? mostLayers : 1) ~= coded.pictures,
                place == 0 || coded.sizes.allSatisfy({ $0.shown == item.size && $0.isTight })
            else { throw contradiction }
            // The estimate of memory has one value a pixel for it, as deep as a colour. libheif 1.15 does not scale another.
            let isOfAlpha = place != 0 && !items[0].parts.contains(place)
            guard !isOfAlpha || own.chroma <= 1 && own.depth == format?.depth else {
                throw unsupported("An alpha channel is coded otherwise than its picture.")
            }
            if place == 0 { layers = coded.pictures }
        }
        return (size, layers, format, sequence)
    }

    /// The format in a decoder's configuration (ISO/IEC 14496-15, 8.3.2.1; AV1 in ISO base media file format, 2.3.3).
    private static func saidFormat(
        _ box: HEIFItems.Box, isHEVC: Bool, _ bytes: UnsafeRawBufferPointer
    ) -> Format? {
        let at = box.content.lowerBound
        guard box.content.count >= (isHEVC ? 23 : 4) else { return nil }
        if isHEVC { return Format(chroma: Int(bytes[at + 16] & 3), depth: 8 + Int(bytes[at + 17] & 7)) }
        let depth = bytes[at + 2] & 0x40 == 0 ? 8 : bytes[at + 2] & 0x20 == 0 ? 10 : 12
        return Format(chroma: bytes[at + 2] & 0x10 == 0 ? 1 : 0, depth: depth)
    }

    /// What the data of a picture say, with those of its configuration before them.
    private struct Coded {
        /// Those of HEVC's sequences, and of AV1's frames.
        var sizes: Set<CodedSize> = []
        var formats: Set<Format> = []
        var pictures = 0
        /// The layer of AV1's last frame, and whether one before it was not below it.
        var layer = -1
        var areRepeated = false
        /// Of AV1, that of the first frame, and that of the next one.
        var first: AV1SequenceHeader?
        var latest: AV1SequenceHeader?
    }

    /// What is looked at of all pictures of a file.
    private struct Budget {
        /// Of HEVC or AV1. A picture has one to a few.
        var units = 100_000
        /// Whether there is a header that a decoder may read all the same.
        var hasUnreadable = false
    }

    /// Reads what a decoder's configuration has of HEVC (ISO/IEC 14496-15, 8.3.2.1).
    private static func readConfiguration(
        _ bytes: UnsafeRawBufferPointer, _ configuration: Range<Int>, _ coded: inout Coded,
        _ budget: inout Budget
    ) {
        guard configuration.count >= 23 else { return }
        var at = configuration.lowerBound + 23
        for _ in 0..<bytes[at - 1] {
            guard at + 3 <= configuration.upperBound, let count = bytes.big16(at + 1) else { break }
            let found = units(
                bytes, at + 3..<configuration.upperBound, lengthBytes: 2, most: count, &budget)
            for unit in found { read(unit: unit, bytes, &coded, &budget) }
            at = found.last?.upperBound ?? at + 3
        }
    }

    /// The units of HEVC in some data, each with its length before it.
    private static func units(
        _ bytes: UnsafeRawBufferPointer, _ data: Range<Int>, lengthBytes: Int, most: Int = .max,
        _ budget: inout Budget
    ) -> [Range<Int>] {
        var units: [Range<Int>] = []
        var at = data.lowerBound
        while at + lengthBytes <= data.upperBound, units.count < most, budget.units > 0 {
            budget.units -= 1
            let length = bytes[at..<at + lengthBytes].reduce(0) { $0 << 8 | Int($1) }
            at += lengthBytes
            guard length <= data.upperBound - at else { break }
            units.append(at..<at + length)
            at += length
        }
        return units
    }

    /// Reads the size in a sequence parameter set (ITU-T H.265, 7.3.2.2), and counts the first parts of pictures.
    private static func read(
        unit: Range<Int>, _ bytes: UnsafeRawBufferPointer, _ coded: inout Coded, _ budget: inout Budget
    ) {
        guard unit.count > 2 else { return }
        let start = unit.lowerBound
        // Decoders leave out other layers, such as that of the other eye.
        guard bytes[start] & 1 == 0, bytes[start + 1] >> 3 == 0 else { return }
        let kind = bytes[start] >> 1 & 63
        if kind < 32, bytes[start + 2] & 0x80 != 0 { coded.pictures += 1 }
        guard kind == 33 else { return }
        // Without the bytes that keep marks out of the data.
        var payload: [UInt8] = []
        var zeros = 0
        for byte in bytes[unit].dropFirst(2).prefix(256) {
            let isMark = zeros >= 2 && byte == 3
            zeros = byte == 0 ? zeros + 1 : 0
            if !isMark { payload.append(byte) }
        }
        let found: (CodedSize, Format)? = payload.withUnsafeBytes { bytes in
            var bits = BitCursor(bytes: bytes, position: 4, end: bytes.count * 8)
            let layers = bits.take(3)
            bits.skip(1 + 96)
            let present = (0..<layers).map { _ in (profile: bits.flag(), level: bits.flag()) }
            if layers > 0 { bits.skip(2 * (8 - layers)) }
            for layer in present { bits.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
            _ = bits.exponential()
            let chroma = bits.exponential()
            // libde265 1.0.11 does not draw colours that are coded as pictures of their own.
            if chroma == 3, bits.flag() { return nil }
            let most = Size(width: bits.exponential(), height: bits.exponential())
            var shown = most
            if bits.flag() {
                // In units of the colours (table 6-1).
                let (across, down) = (1...2 ~= chroma ? 2 : 1, chroma == 1 ? 2 : 1)
                shown.width -= across * (bits.exponential() + bits.exponential())
                shown.height -= down * (bits.exponential() + bits.exponential())
            }
            let depths = (brightness: bits.exponential(), colours: bits.exponential())
            guard !bits.isOver, chroma == 0 || depths.brightness == depths.colours else { return nil }
            let format = Format(chroma: chroma, depth: 8 + depths.brightness)
            return (CodedSize(shown: shown, most: most), format)
        }
        if let (size, format) = found {
            coded.sizes.insert(size)
            coded.formats.insert(format)
        } else {
            budget.hasUnreadable = true
        }
    }

    /// Reads the headers of sequences and frames among the units of AV1 in some data (AV1 Bitstream Specification, 5.3).
    ///
    /// - Parameter isWhole: the decoder reads on behind the data, so no unit may be longer.
    private static func readUnits(
        _ bytes: UnsafeRawBufferPointer, _ data: Range<Int>, _ coded: inout Coded, _ budget: inout Budget,
        isWhole: Bool = false
    ) {
        var at = data.lowerBound
        while at < data.upperBound, budget.units > 0 {
            budget.units -= 1
            let head = bytes[at]
            // The number of the layer in space.
            let layer = head & 4 == 0 || at + 1 >= data.upperBound ? 0 : Int(bytes[at + 1] >> 3 & 3)
            at += head & 4 == 0 ? 1 : 2
            var length = data.upperBound - at
            var isComplete = head & 2 == 0 && !isWhole
            if head & 2 != 0 {
                length = 0
                for shift in stride(from: 0, to: 56, by: 7) where at < data.upperBound {
                    length |= Int(bytes[at] & 127) << shift
                    at += 1
                    isComplete = bytes[at - 1] & 128 == 0
                    if isComplete { break }
                }
            }
            if isWhole, !isComplete || length > data.upperBound - at { budget.hasUnreadable = true }
            length = min(length, data.upperBound - at)
            guard length >= 0 else { break }
            let unit = at..<at + length
            switch head >> 3 & 15 {
            case 1:
                // With all its operating points it has up to 400 bytes.
                coded.latest = AV1SequenceHeader(bytes, payload: unit.prefix(1_024))
                if coded.latest == nil { budget.hasUnreadable = true }
            // A redundant one counts if there is no other before it.
            case 3, 6, 7:
                coded.areRepeated = coded.areRepeated || layer <= coded.layer
                coded.layer = layer
                readFrame(bytes, unit, &coded, &budget)
            default: break
            }
            at = unit.upperBound
        }
    }

    private static func readFrame(
        _ bytes: UnsafeRawBufferPointer, _ unit: Range<Int>, _ coded: inout Coded, _ budget: inout Budget
    ) {
        guard let header = coded.latest, let size = header.size(bytes, frame: unit) else {
            budget.hasUnreadable = true
            return
        }
        if coded.first == nil { coded.first = header }
        coded.sizes.insert(size)
        coded.formats.insert(header.format)
        coded.pictures += 1
    }
}
