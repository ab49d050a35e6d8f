import Imaging

/// The items of a HEIF file's meta box (ISO/IEC 14496-12, 8.11): the position of the EXIF, the transformations of the
/// picture, and what the decoder must not see.
///
/// libheif 1.15 refuses a file whose metadata describes two items, or an item of an unknown kind such as
/// the tone-mapped image in the 24-megapixel photos of current iPhones. Such references can be hidden
/// from it because the EXIF is read here.
struct HEIFItems {
    /// Bytes that replace the file's bytes in the decoder's copy.
    struct Edit {
        var at: Int
        var bytes: [UInt8]
    }

    /// The place of a box's name, and its content.
    typealias Box = (header: Int, content: Range<Int>)

    /// A box of references from one item to others. Item numbers have 2 or 4 bytes.
    private struct Reference {
        var name: Int
        var from: Int
        var places: StrideTo<Int>
        var width: Int
    }

    let bytes: UnsafeRawBufferPointer
    private(set) var typeAt: [Int: Int] = [:]
    private var references: [Reference] = []
    private(set) var extentsOf: [Int: [Range<Int>]] = [:]
    private(set) var hasThumbnail = false
    /// The number of the still picture's item.
    private(set) var primary: Int?
    /// Those of the primary item, in the order in which they apply.
    var transformations: [HEIFTransformation] = []
    var edits: [Edit] = []
    /// Whether the decoder will return black as 16 of 255 and white as 235.
    var isLimitedGrey = false
    /// Whether the primary item has but one colour, which the decoder returns three times.
    var isMonochrome = false
    /// The meaning of the primary item's values; nil if nothing says it.
    var codePoints: CodePoints?
    /// Whether libheif 1.15 makes other colours of the values: it takes RGB for full range, and YCgCo for 8 bits.
    var hasUnreadableColours = false
    /// The name of a property without which the picture must not be shown (8.11.14), and which nothing here applies.
    var unknownProperty: String?
    /// The items that the decoder draws, once for each time; more than `mostItems` are not listed to their end.
    private(set) var drawn: [Int] = []
    /// Whether the decoder may read other items than this program, draw what no tile covers, or find larger pictures.
    private(set) var isUnsound = false
    /// Whether data of items lie behind the end of the file.
    private(set) var isCutOff = false
    /// The size of the primary item as its coded data say it; nil for a grid.
    private(set) var codedSize: Size?
    /// Whether a grid or a copy that is drawn consists of grids or copies, or of pictures with layers; or whether something else than
    /// the primary item has an alpha channel. libheif 1.15 takes that of a tile to be as deep as the tile, and writes it at any time.
    private(set) var hasNestedParts = false

    private static let images: [StaticString] = ["hvc1", "av01", "grid", "iden"]

    /// - Parameter meta: the content of the meta box.
    init(_ bytes: UnsafeRawBufferPointer, meta: Range<Int>) {
        self.bytes = bytes
        var properties: Range<Int>?
        let boxes = Self.boxes(bytes, meta.lowerBound + 4..<meta.upperBound)
        isUnsound = hasOtherLengths(meta, boxes)
        let itemData = boxes.first { bytes.has("idat", at: $0.header) }?.content
        for box in boxes {
            if bytes.has("pitm", at: box.header), primary == nil { readPrimary(box.content) }
            if bytes.has("iprp", at: box.header), properties == nil { properties = box.content }
            if bytes.has("iinf", at: box.header) { readItems(box.content) }
            if bytes.has("iref", at: box.header) { readReferences(box.content) }
        }
        let locations = boxes.filter { bytes.has("iloc", at: $0.header) }
        if let first = locations.first, !readLocations(first.content, data: itemData) || locations.count > 1 {
            isUnsound = true
        }
        hideReferences()
        let known = properties.flatMap(self.properties)
        if primary != nil, known?.areReadWhole != true { isUnsound = true }
        drawn = allDrawn(known)
        isUnsound = isUnsound || Set(drawn).contains { areMoved(extentsOf[$0] ?? [], meta, itemData) }
        if let primary, let properties = known {
            readTransformations(of: primary, properties)
            readEssentials(of: primary, properties)
            var sequence: AV1SequenceHeader?
            if drawn.count <= Self.mostItems {
                let coded = codedSizes(properties)
                hasNestedParts = hasNestedParts || coded.haveLayers || areNested(Set(drawn))
                (codedSize, sequence) = (coded.primary, coded.sequence)
                isUnsound = isUnsound || hasGaps(properties) || coded.areWrong
            }
            readColours(of: primary, properties, sequence)
        }
    }

    private static let mostBoxes = 10_000
    /// The most items, and the most times that one is drawn. The decoder searches all for each. A photo of 250 megapixels has a
    /// thousand tiles of the usual size.
    static let mostItems = 5_000

    /// Whether boxes follow that this program does not read and the decoder may: with a length of 64 bits, or up to the end of the
    /// file; or too many references or properties.
    private func hasOtherLengths(_ meta: Range<Int>, _ boxes: [Box]) -> Bool {
        func continues(_ range: Range<Int>) -> Bool {
            let found = Self.boxes(bytes, range)
            let end = found.last?.content.upperBound ?? range.lowerBound
            guard end + 8 <= range.upperBound, let length = bytes.big32(end) else { return false }
            return length < 2 || found.count >= Self.mostBoxes
        }
        var ranges = [meta.dropFirst(4)]
        for box in boxes {
            if bytes.has("iprp", at: box.header) {
                ranges.append(box.content)
                let inner = Self.boxes(bytes, box.content).filter { bytes.has("ipco", at: $0.header) }
                if inner.contains(where: { continues($0.content) }) { return true }
            }
            if bytes.has("iref", at: box.header), continues(box.content.dropFirst(4)) {
                return true
            }
            if bytes.has("iinf", at: box.header), !box.content.isEmpty {
                ranges.append(box.content.dropFirst(bytes[box.content.lowerBound] == 0 ? 6 : 8))
            }
        }
        return ranges.contains { continues($0) }
    }

    /// Whether parts of an item's data may be among the bytes that the decoder's copy has otherwise: brands, references and
    /// associations.
    private func areMoved(_ extents: [Range<Int>], _ meta: Range<Int>, _ itemData: Range<Int>?) -> Bool {
        extents.contains { extent in
            let isInside = itemData.map {
                $0.lowerBound <= extent.lowerBound && extent.upperBound <= $0.upperBound
            }
            return extent.lowerBound < 20 || extent.overlaps(meta) && isInside != true
        }
    }

    /// Boxes with 32-bit lengths. Stops at the first that does not fit.
    static func boxes(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) -> [Box] {
        var result: [Box] = []
        var position = range.lowerBound
        while position + 8 <= range.upperBound, result.count < mostBoxes, let length = bytes.big32(position),
            length >= 8, length <= range.upperBound - position
        {
            result.append((position + 4, position + 8..<position + length))
            position += length
        }
        return result
    }

    private mutating func readPrimary(_ content: Range<Int>) {
        guard content.count >= 6 else { return }
        let at = content.lowerBound + 4
        primary = bytes[content.lowerBound] == 0 ? bytes.big16(at) : bytes.big32(at)
    }

    private mutating func readItems(_ content: Range<Int>) {
        guard content.count >= 6 else { return }
        let skip = bytes[content.lowerBound] == 0 ? 6 : 8
        guard content.count >= skip else { return }
        for item in Self.boxes(bytes, content.lowerBound + skip..<content.upperBound) {
            let at = item.content.lowerBound
            guard item.content.count >= 12, bytes.has("infe", at: item.header) else { continue }
            let isShort = bytes[at] == 2
            // libheif reads all later versions like the third.
            guard bytes[at] >= 2, let number = isShort ? bytes.big16(at + 4) : bytes.big32(at + 4)
            else { continue }
            // The decoder may take the other one.
            if typeAt.updateValue(isShort ? at + 8 : at + 10, forKey: number) != nil { isUnsound = true }
        }
    }

    private mutating func readReferences(_ content: Range<Int>) {
        guard content.count >= 4 else { return }
        let width = bytes[content.lowerBound] == 0 ? 2 : 4
        // libheif reads the next one where this one's numbers end.
        var end = content.lowerBound + 4
        for box in Self.boxes(bytes, content.lowerBound + 4..<content.upperBound) {
            end = box.content.upperBound
            if bytes.has("thmb", at: box.header) { hasThumbnail = true }
            guard !bytes.has("uuid", at: box.header), box.content.count >= width + 2,
                let count = bytes.big16(box.content.lowerBound + width),
                count * width == box.content.count - width - 2
            else {
                isUnsound = true
                continue
            }
            let first = box.content.lowerBound + width + 2
            references.append(
                Reference(
                    name: box.header, from: number(box.content.lowerBound, width),
                    places: stride(from: first, to: first + count * width, by: width), width: width))
        }
        if end < content.upperBound { isUnsound = true }
    }

    /// The most parts of all items' data. The data of an item are usually in one.
    private static let mostExtents = 50_000

    /// Item locations (8.11.3): all extents of each item, as file positions.
    ///
    /// - Parameter data: the content of the meta box's own data (8.11.11), to which some locations refer.
    /// - Returns: false if there are too many, if they end early, or if libheif 1.15 reads them otherwise: it does not read fields of
    ///   two bytes, and indices only from version 2 on, and lets data in the meta box end up to eight bytes behind it.
    private mutating func readLocations(_ content: Range<Int>, data: Range<Int>?) -> Bool {
        var left = Self.mostExtents
        var position = content.lowerBound + 4
        func take(_ width: Int) -> Int? {
            defer { position += width }
            guard position + width <= content.upperBound else { return nil }
            switch width {
            case 0: return 0
            case 2: return bytes.big16(position)
            case 4: return bytes.big32(position)
            case 8:
                guard bytes.big32(position) == 0 else { return nil }
                return bytes.big32(position + 4)
            default: return nil
            }
        }
        guard content.count >= 8, let sizes = take(2) else { return false }
        let version = bytes[content.lowerBound]
        let widths = [sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15, version == 0 ? 0 : sizes & 15]
        guard widths.allSatisfy([0, 4, 8].contains), version != 1 || widths[3] == 0,
            let count = take(version < 2 ? 2 : 4), count <= Self.mostExtents
        else { return false }
        for _ in 0..<count {
            guard let item = take(version < 2 ? 2 : 4), let method = version == 0 ? 0 : take(2),
                take(2) != nil, let base = take(widths[2]), let extents = take(2), extents <= left,
                extentsOf.updateValue([], forKey: item) == nil
            else { return false }
            left -= extents
            for _ in 0..<extents {
                guard take(widths[3]) != nil, let offset = take(widths[0]), let length = take(widths[1])
                else { return false }
                guard let whole = method & 15 == 0 ? 0..<bytes.count : method & 15 == 1 ? data : nil
                else { continue }
                guard base + offset <= whole.count, length <= whole.count - base - offset else {
                    guard method & 15 == 0 else { return false }
                    isCutOff = true
                    continue
                }
                let start = whole.lowerBound + base + offset
                extentsOf[item, default: []].append(start..<start + length)
            }
        }
        return true
    }

    var count: Int { typeAt.count }

    /// The kind of the primary item, if it is no picture that the decoder knows.
    var unknownKind: String? {
        guard let primary, let at = typeAt[primary], !isImage(primary), at + 4 <= bytes.count else {
            return nil
        }
        return String(decoding: bytes[at..<at + 4], as: UTF8.self)
    }

    /// The primary item, its parts and alpha channels, and theirs. Items may refer to each other in a circle, or all to all.
    private mutating func allDrawn(_ properties: Properties?) -> [Int] {
        let undrawn = properties.map(notAlpha) ?? []
        var (parts, auxiliaries): ([Int: [Reference]], [Int: [Int]]) = ([:], [:])
        for reference in references {
            if bytes.has("dimg", at: reference.name) {
                parts[reference.from, default: []].append(reference)
            } else if bytes.has("auxl", at: reference.name), !undrawn.contains(reference.from) {
                for place in reference.places.prefix(16) {
                    auxiliaries[number(place, reference.width), default: []].append(reference.from)
                }
            }
        }
        var drawn = primary.map { [$0] } ?? []
        var next = 0
        while next < drawn.count, drawn.count <= Self.mostItems, !hasNestedParts {
            let item = drawn[next]
            hasNestedParts = hasNestedParts || item != primary && auxiliaries[item] != nil
            for reference in parts[item] ?? [] where drawn.count <= Self.mostItems {
                drawn += reference.places.map { number($0, reference.width) }
            }
            drawn += auxiliaries[item] ?? []
            next += 1
        }
        return drawn
    }

    /// Auxiliary images that the decoder does not draw, such as depth and gain maps.
    private func notAlpha(_ properties: Properties) -> Set<Int> {
        var others: Set<Int> = []
        let auxiliaries = Set(references.filter { bytes.has("auxl", at: $0.name) }.map(\.from))
        forFirstAssociations(of: auxiliaries, properties) { item, associations in
            var kinds: [Box] = []
            for association in associations {
                if let box = properties[association], bytes.has("auxC", at: box.header) { kinds.append(box) }
            }
            if !kinds.isEmpty, !kinds.contains(where: isAlpha) { others.insert(item) }
        }
        return others
    }

    private func isAlpha(_ kind: Box) -> Bool {
        let at = kind.content.lowerBound + 4
        return bytes.has("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0", at: at)
            || bytes.has("urn:mpeg:hevc:2015:auxid:1\0", at: at)
            || bytes.has("urn:mpeg:avc:2015:auxid:1\0", at: at)
    }

    /// Whether the primary item is a grid of others.
    var isTiled: Bool { primary.flatMap { typeAt[$0] }.map { bytes.has("grid", at: $0) } ?? false }

    /// Bytes of all items with metadata, of each what the decoder copies, though several may have the same bytes.
    var metadataBytes: Int {
        typeAt.filter { isEXIF(at: $0.value) || isXMP(at: $0.value) }
            .reduce(0) { sum, item in (extentsOf[item.key] ?? []).reduce(sum) { $0 + $1.count } }
    }

    /// The TIFF blocks of EXIF items (ISO/IEC 23008-12, annex A). Four bytes give its start; some programs leave them out,
    /// or do not count what they put before it.
    var exif: [[UInt8]] {
        blocks(of: isEXIF).compactMap { data in
            let skip = data.withUnsafeBytes { $0.big32(0) } ?? 0
            let starts = [4 + min(skip, data.count), 4, 0].filter { $0 < data.count }
            return starts.lazy.compactMap { EXIFBlock.tiff(in: data[$0...]) }.first.map { Array($0) }
        }
    }

    /// The packets of XMP items.
    var xmp: [[UInt8]] { blocks(of: isXMP) }

    /// The data of the first eight items, by their numbers, whose kind, at a place, is wanted. What only describes other
    /// pictures than the primary one is not.
    private func blocks(of isWanted: (Int) -> Bool) -> [[UInt8]] {
        var others: Set<Int> = []
        var own: Set<Int> = []
        for reference in references where bytes.has("cdsc", at: reference.name) {
            let items = reference.places.prefix(100).map { number($0, reference.width) }
            if items.contains(where: { $0 == primary }) {
                own.insert(reference.from)
            } else if items.contains(where: isImage) {
                others.insert(reference.from)
            }
        }
        others.subtract(own)
        let wanted = typeAt.filter { isWanted($0.value) && !others.contains($0.key) }
        return wanted.keys.sorted().prefix(8).map { (extentsOf[$0] ?? []).flatMap { bytes.copy($0) } }
    }

    private func isEXIF(at place: Int) -> Bool { bytes.has("Exif", at: place) }

    /// Whether the item's kind is a MIME type, behind its name, and that of XMP (XMP specification part 3, 2.1.2).
    private func isXMP(at place: Int) -> Bool {
        guard bytes.has("mime", at: place) else { return false }
        let name = bytes.dropFirst(place + 4).prefix(256).prefix { $0 != 0 }
        return bytes.has("application/rdf+xml\0", at: place + 4 + name.count + 1)
    }

    private func number(_ at: Int, _ width: Int) -> Int {
        (width == 2 ? bytes.big16(at) : bytes.big32(at)) ?? 0
    }

    private func isImage(_ number: Int) -> Bool {
        guard let at = typeAt[number] else { return false }
        return Self.images.contains { bytes.has($0, at: at) }
    }

    /// Renames every reference that the decoder would refuse.
    private mutating func hideReferences() {
        for reference in references where bytes.has("cdsc", at: reference.name) {
            var items = reference.places.makeIterator()
            let isSound = items.next().map { isImage(number($0, reference.width)) } ?? false
            if isSound, items.next() == nil { continue }
            edits.append(Edit(at: reference.name, bytes: Array("skip".utf8)))
        }
    }

    /// The parts that make up an item, such as the tiles of a grid.
    func parts(of item: Int) -> some Sequence<Int> {
        let reference = references.first { bytes.has("dimg", at: $0.name) && $0.from == item }
        return (reference?.places ?? stride(from: 0, to: 0, by: 1)).lazy.map {
            number($0, reference?.width ?? 2)
        }
    }

    /// The same of each of some items.
    func parts(ofEach items: Set<Int>) -> [Int: [Int]] {
        var parts: [Int: [Int]] = [:]
        for reference in references
        where items.contains(reference.from) && bytes.has("dimg", at: reference.name) {
            parts[reference.from, default: []] += reference.places.map { number($0, reference.width) }
        }
        return parts
    }

    /// Whether the primary item's colours were multiplied by its alpha channel (ISO/IEC 23008-12, 6.10.1.2.1).
    var isPremultiplied: Bool { references.contains { bytes.has("prem", at: $0.name) && $0.from == primary } }

    /// Behind the data of all items; nil if there are none.
    var end: Int? { extentsOf.values.joined().map(\.upperBound).max() }

    /// Numbers of an item's auxiliary images, such as its alpha channel: at most 100.
    func auxiliaries(of item: Int) -> Set<Int> {
        var result: Set<Int> = []
        for reference in references where bytes.has("auxl", at: reference.name) && result.count < 100 {
            if reference.places.contains(where: { number($0, reference.width) == item }) {
                result.insert(reference.from)
            }
        }
        return result
    }
}
