import Imaging

/// What the coded pictures say of their size themselves. A decoder makes room for that, whatever the file's property says.
extension HEIFItems {
    struct Size: Equatable { var width, height: Int }

    /// A size as coded data say it: what is shown, and what a decoder may make room for.
    struct CodedSize { var shown, most: Size }

    /// Compares how pictures that are drawn are coded with what their properties say.
    ///
    /// libheif 1.15 draws tiles over each other, in no order, if they are larger than said, and shows what lies in memory if they are
    /// smaller. The primary picture may have layers that are larger than what is shown.
    ///
    /// - Returns: whether one contradicts its property, or whether there are more units or parts than any photo has; and the primary's
    ///   own size.
    func codedSizes(_ properties: Properties) -> (areWrong: Bool, primary: Size?) {
        var own: Size?
        var budget = Budget()
        // Tiles share their configuration.
        var known: [Int: [CodedSize]] = [:]
        var areWrong = false
        let tiles = Set(parts(ofEach: Set(drawn)).values.joined())
        forFirstAssociations(of: Set(drawn), properties) { item, associations in
            guard !areWrong, let kind = typeAt[item] else {
                areWrong = true
                return
            }
            let isHEVC = bytes.has("hvc1", at: kind)
            guard isHEVC || bytes.has("av01", at: kind) else { return }
            var coded: [CodedSize] = []
            for box in associations.compactMap({ properties[$0] })
            where bytes.has(isHEVC ? "hvcC" : "av1C", at: box.header) {
                if known[box.header] == nil {
                    known[box.header] =
                        isHEVC
                        ? Self.parameters(bytes, box.content, &budget)
                        : Self.sequences(bytes, box.content.dropFirst(4), &budget, isWhole: true)
                }
                coded += known[box.header] ?? []
            }
            coded += sizes(inDataOf: item, isHEVC: isHEVC, &budget)
            let most = Size(
                width: coded.map(\.most.width).max() ?? 0, height: coded.map(\.most.height).max() ?? 0)
            if item == primary { own = most }
            let said = size(associations, properties)
            areWrong =
                budget.isOver || budget.hasUnreadable
                || tiles.contains(item) && (coded.isEmpty || coded.contains { $0.shown != said })
                || item != primary && !(said.map { most.isWithin($0) } ?? false)
        }
        return (areWrong, own)
    }

    private func sizes(inDataOf item: Int, isHEVC: Bool, _ budget: inout Budget) -> [CodedSize] {
        let extents = extentsOf[item] ?? []
        // libheif takes lengths of four bytes, whatever the configuration says.
        func sizes(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> [CodedSize] {
            isHEVC
                ? Self.units(bytes, range, lengthBytes: 4, &budget).compactMap {
                    Self.parameterSet(bytes, $0, &budget)
                }
                : Self.sequences(bytes, range, &budget)
        }
        guard extents.count > 1 else { return extents.first.map { sizes(bytes, $0) } ?? [] }
        budget.copied += extents.reduce(0) { $0 + $1.count }
        guard !budget.isOver else { return [] }
        return extents.flatMap { bytes.copy($0) }.withUnsafeBytes { sizes($0, 0..<$0.count) }
    }

    /// What is looked at of all pictures of a file.
    private struct Budget {
        /// Of HEVC or AV1. A picture has one to a few.
        var units = 100_000
        /// Whether there is a header that a decoder may read all the same.
        var hasUnreadable = false
        /// Bytes of data that are in several parts.
        var copied = 0
        var isOver: Bool { units <= 0 || copied > 64 << 20 }
    }

    /// The sizes in the sequence parameter sets of a decoder's configuration (ISO/IEC 14496-15, 8.3.2.1).
    private static func parameters(
        _ bytes: UnsafeRawBufferPointer, _ configuration: Range<Int>, _ budget: inout Budget
    ) -> [CodedSize] {
        guard configuration.count >= 23 else { return [] }
        var sizes: [CodedSize] = []
        var at = configuration.lowerBound + 23
        for _ in 0..<bytes[at - 1] {
            guard at + 3 <= configuration.upperBound, let count = bytes.big16(at + 1) else { break }
            let found = units(
                bytes, at + 3..<configuration.upperBound, lengthBytes: 2, most: count, &budget)
            sizes += found.compactMap { parameterSet(bytes, $0, &budget) }
            at = found.last?.upperBound ?? at + 3
        }
        return sizes
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

    /// The size in a sequence parameter set (ITU-T H.265, 7.3.2.2); nil for another unit.
    private static func parameterSet(
        _ bytes: UnsafeRawBufferPointer, _ unit: Range<Int>, _ budget: inout Budget
    ) -> CodedSize? {
        guard unit.count > 2, bytes[unit.lowerBound] >> 1 & 63 == 33 else { return nil }
        // Without the bytes that keep marks out of the data.
        var payload: [UInt8] = []
        var zeros = 0
        for byte in bytes[unit].dropFirst(2).prefix(256) {
            let isMark = zeros >= 2 && byte == 3
            zeros = byte == 0 ? zeros + 1 : 0
            if !isMark { payload.append(byte) }
        }
        let size: CodedSize? = payload.withUnsafeBytes { bytes in
            var bits = BitCursor(bytes: bytes, position: 4, end: bytes.count * 8)
            let layers = bits.take(3)
            bits.skip(1 + 96)
            let present = (0..<layers).map { _ in (profile: bits.flag(), level: bits.flag()) }
            if layers > 0 { bits.skip(2 * (8 - layers)) }
            for layer in present { bits.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
            _ = bits.exponential()
            let chroma = bits.exponential()
            if chroma == 3 { bits.skip(1) }
            let most = Size(width: bits.exponential(), height: bits.exponential())
            var shown = most
            if bits.flag() {
                // In units of the colours (table 6-1).
                let (across, down) = (1...2 ~= chroma ? 2 : 1, chroma == 1 ? 2 : 1)
                shown.width -= across * (bits.exponential() + bits.exponential())
                shown.height -= down * (bits.exponential() + bits.exponential())
            }
            return bits.isOver ? nil : CodedSize(shown: shown, most: most)
        }
        if size == nil { budget.hasUnreadable = true }
        return size
    }

    /// The sizes in the sequence headers among the units of AV1 in some data (AV1 Bitstream Specification, 5.3).
    ///
    /// - Parameter isWhole: the decoder reads on behind the data, so no unit may be longer.
    private static func sequences(
        _ bytes: UnsafeRawBufferPointer, _ data: Range<Int>, _ budget: inout Budget, isWhole: Bool = false
    ) -> [CodedSize] {
        var sizes: [CodedSize] = []
        var at = data.lowerBound
        while at < data.upperBound, budget.units > 0 {
            budget.units -= 1
            let head = bytes[at]
            at += head & 4 == 0 ? 1 : 2
            var length = max(0, data.upperBound - at)
            if head & 2 != 0 {
                length = 0
                for shift in stride(from: 0, to: 56, by: 7) where at < data.upperBound {
                    length |= Int(bytes[at] & 127) << shift
                    at += 1
                    if bytes[at - 1] & 128 == 0 { break }
                }
            }
            if isWhole, head & 2 == 0 || length > data.upperBound - at { budget.hasUnreadable = true }
            length = min(length, data.upperBound - at)
            guard length >= 0 else { break }
            if head >> 3 & 15 == 1 {
                // With all its operating points it has up to 400 bytes.
                let header = AV1SequenceHeader(bytes, payload: at..<at + min(length, 1_024))
                if let header { sizes.append(header.size) } else { budget.hasUnreadable = true }
            }
            at += length
        }
        return sizes
    }
}

extension HEIFItems.Size {
    /// Whether it is no more than coders add to fill their blocks, or than the bits of a size may say.
    fileprivate func isWithin(_ said: HEIFItems.Size) -> Bool {
        width <= 2 * said.width + 64 && height <= 2 * said.height + 64
    }
}
