import Imaging

/// The decoder's file: all data first, then their description.
extension HEIFPicture {
    /// The beginning of the file, with the data of all items. Those that share their data share them here.
    static func data(_ items: inout [Item], _ source: HEIFItems) throws(PhotoRejection) -> [UInt8] {
        let brand = Array((items.contains { $0.kind == .av1 } ? "avif" : "heic").utf8)
        let type = [UInt8].box("ftyp", brand + [0, 0, 0, 0] + Array("mif1".utf8) + brand)
        var file = type + [UInt8].box("mdat", [])
        var written: [[Range<Int>]: Range<Int>] = [:]
        for index in items.indices {
            let extents = source.extents[items[index].number] ?? []
            guard written[extents] == nil else {
                items[index].data = written[extents]!
                continue
            }
            let start = file.count
            // Items that share some of their bytes could make it any longer.
            guard extents.reduce(start, { $0 + $1.count }) <= type.count + 8 + source.bytes.count else {
                throw contradiction
            }
            for extent in extents { file += source.bytes[extent] }
            items[index].data = start..<file.count
            written[extents] = start..<file.count
        }
        let decoded = items.lazy.flatMap(\.parts).reduce(0) { $0 + items[$1].data.count }
        guard decoded <= max(mostDecodedBytes, source.bytes.count) else { throw contradiction }
        file.replaceSubrange(type.count..<type.count + 4, with: [UInt8].big(file.count - type.count, 4))
        return file
    }

    /// Tiles that share their data are decoded one by one: 64 MB take some five seconds.
    private static let mostDecodedBytes = 64 << 20

    /// The meta box (ISO/IEC 14496-12, 8.11) of the items, which are numbered from 1.
    func description() -> [UInt8] {
        func number(_ place: Int) -> [UInt8] { .big(place + 1, 2) }
        var infos: [UInt8] = .big(items.count, 2)
        // Offsets and lengths of four bytes.
        var locations: [UInt8] = [0x44, 0x00] + .big(items.count, 2)
        var associations: [UInt8] = .big(items.count, 4)
        var references: [UInt8] = []
        var properties: [UInt8] = []
        var numbers: [Int: Int] = [:]
        for (place, item) in items.enumerated() {
            let own = number(place)
            // All but the primary item are hidden.
            infos += .fullBox(
                "infe", version: 2, flags: place == 0 ? 0 : 1,
                own + [0, 0] + Array(item.kind.rawValue.utf8) + [0])
            locations += own + [0, 0, 0, 1] + .big(item.data.lowerBound, 4) + .big(item.data.count, 4)
            let written = item.properties.filter { isForDecoder($0) }
            associations += own + [UInt8(written.count)]
            for property in written {
                guard let box = property.box else { continue }
                if numbers[box.header] == nil {
                    numbers[box.header] = numbers.count + 1
                    properties += bytes[box.header - 4..<box.content.upperBound]
                }
                associations += .big(numbers[box.header]! | (property.isEssential ? 0x8000 : 0), 2)
            }
            if !item.parts.isEmpty {
                references += .box("dimg", own + .big(item.parts.count, 2) + item.parts.flatMap(number))
            }
        }
        if let alpha {
            references += .box("auxl", number(alpha) + [0, 1] + number(0))
            if isPremultiplied { references += .box("prem", number(0) + [0, 1] + number(alpha)) }
        }
        var boxes: [UInt8] = .fullBox("hdlr", .big(0, 4) + Array("pict".utf8) + .big(0, 13))
        boxes += .fullBox("pitm", number(0))
        boxes += .fullBox("iinf", infos)
        boxes += .fullBox("iloc", locations)
        if !references.isEmpty { boxes += .fullBox("iref", references) }
        boxes += .box("iprp", .box("ipco", properties) + .fullBox("ipma", flags: 1, associations))
        return .fullBox("meta", boxes)
    }

    private func isForDecoder(_ property: HEIFItems.Property) -> Bool {
        guard let box = property.box else { return false }
        return ["hvcC", "av1C", "ispe", "pixi", "colr", "auxC"].contains(Self.name(of: box, bytes))
    }
}
