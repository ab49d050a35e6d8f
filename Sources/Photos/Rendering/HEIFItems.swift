import Imaging

/// The items of a HEIF file's meta box (ISO/IEC 14496-12, 8.11): of which kinds they are, where their data lie, what they refer to,
/// and which properties they have.
struct HEIFItems {
    /// The place of a box's name, and its content.
    typealias Box = (header: Int, content: Range<Int>)

    /// From one item to others.
    struct Reference {
        /// Where its name is written.
        let name: Int
        let from: Int
        let to: [Int]
    }

    /// One that an item is said to have.
    struct Property {
        /// Counted from 1.
        let number: Int
        /// Nil if there is none of this number.
        let box: Box?
        /// Whether the picture must not be shown by who does not know the property.
        let isEssential: Bool
    }

    let bytes: UnsafeRawBufferPointer
    /// The number of the still picture's item.
    private(set) var primary: Int?
    /// Where the kinds of the items are written, by their numbers.
    private(set) var kindAt: [Int: Int] = [:]
    private(set) var references: [Reference] = []
    /// Where the data of each item lie, as positions in the file.
    private(set) var extents: [Int: [Range<Int>]] = [:]
    /// The items of which data lie behind the end of the file, or of the box that they say.
    private(set) var cutOff: Set<Int> = []
    private var properties: [Box] = []
    /// Where the numbers of each item's properties are written.
    private var associations: [Int: (start: Int, count: Int, width: Int)] = [:]

    /// - Parameter meta: the content of the meta box. Of two boxes of a name, or two entries of an item, the first counts.
    init(_ bytes: UnsafeRawBufferPointer, meta: Range<Int>) {
        self.bytes = bytes
        let boxes = Self.boxes(bytes, meta.dropFirst(4))
        func content(_ name: StaticString) -> Range<Int>? {
            boxes.first { bytes.has(name, at: $0.header) }?.content
        }
        if let found = content("pitm") { readPrimary(found) }
        if let found = content("iinf") { readItems(found) }
        if let found = content("iref") { readReferences(found) }
        if let found = content("iloc") { readLocations(found, data: content("idat")) }
        guard let found = content("iprp") else { return }
        let inner = Self.boxes(bytes, found)
        guard let container = inner.first(where: { bytes.has("ipco", at: $0.header) }) else { return }
        properties = Self.boxes(bytes, container.content)
        for box in inner where bytes.has("ipma", at: box.header) { readAssociations(box.content) }
    }

    private static let mostBoxes = 10_000
    /// The most items, and the most parts of one. A photo of 250 megapixels has a thousand tiles of the usual size.
    static let mostItems = 5_000

    /// Boxes with 32-bit lengths. Stops at the first that does not fit.
    private static func boxes(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> [Box] {
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
        guard let version = bytes[content].first else { return }
        for item in Self.boxes(bytes, content.dropFirst(version == 0 ? 6 : 8)) {
            let at = item.content.lowerBound
            guard item.content.count >= 12, bytes.has("infe", at: item.header), bytes[at] >= 2 else {
                continue
            }
            let isShort = bytes[at] == 2
            guard let number = isShort ? bytes.big16(at + 4) : bytes.big32(at + 4), kindAt[number] == nil
            else { continue }
            kindAt[number] = isShort ? at + 8 : at + 10
        }
    }

    private mutating func readReferences(_ content: Range<Int>) {
        guard let version = bytes[content].first else { return }
        let width = version == 0 ? 2 : 4
        for box in Self.boxes(bytes, content.dropFirst(4)) {
            let first = box.content.lowerBound + width + 2
            guard box.content.count >= width + 2, let count = bytes.big16(first - 2),
                first + count * width == box.content.upperBound
            else { continue }
            references.append(
                Reference(
                    name: box.header, from: number(box.content.lowerBound, width),
                    to: (0..<count).map { number(first + $0 * width, width) }))
        }
    }

    /// The most parts of all items' data. The data of an item are usually in one.
    private static let mostExtents = 50_000

    /// Item locations (8.11.3). Stops where they end early, or where there are too many.
    ///
    /// - Parameter data: the content of the meta box's own data (8.11.11), to which some locations refer.
    private mutating func readLocations(_ content: Range<Int>, data: Range<Int>?) {
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
        guard content.count >= 8, let sizes = take(2) else { return }
        let version = bytes[content.lowerBound]
        let (offsetWidth, lengthWidth, baseWidth) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexWidth = version == 0 ? 0 : sizes & 15
        guard let count = take(version < 2 ? 2 : 4) else { return }
        for _ in 0..<min(count, Self.mostExtents) {
            guard let item = take(version < 2 ? 2 : 4), let method = version == 0 ? 0 : take(2),
                take(2) != nil, let base = take(baseWidth), let parts = take(2), parts <= left
            else { return }
            left -= parts
            var found: [Range<Int>] = []
            for _ in 0..<parts {
                guard take(indexWidth) != nil, let offset = take(offsetWidth), let length = take(lengthWidth)
                else { return }
                guard let whole = method & 15 == 0 ? 0..<bytes.count : method & 15 == 1 ? data : nil
                else { continue }
                guard base + offset <= whole.count, length <= whole.count - base - offset else {
                    cutOff.insert(item)
                    continue
                }
                let start = whole.lowerBound + base + offset
                found.append(start..<start + length)
            }
            if extents[item] == nil { extents[item] = found }
        }
    }

    /// Which items have which properties (8.11.14).
    private mutating func readAssociations(_ content: Range<Int>) {
        guard content.count >= 8, let count = bytes.big32(content.lowerBound + 4) else { return }
        let numberWidth = bytes[content.lowerBound] == 0 ? 2 : 4
        let width = bytes[content.lowerBound + 3] & 1 == 0 ? 1 : 2
        var position = content.lowerBound + 8
        // A false count does no harm, because each entry takes at least three bytes.
        for _ in 0..<count {
            let start = position + numberWidth + 1
            guard start <= content.upperBound else { return }
            let item = number(position, numberWidth)
            let properties = Int(bytes[start - 1])
            position = start + properties * width
            guard position <= content.upperBound else { return }
            if kindAt[item] != nil, associations[item] == nil {
                associations[item] = (start, properties, width)
            }
        }
    }

    private func number(_ at: Int, _ width: Int) -> Int {
        (width == 2 ? bytes.big16(at) : bytes.big32(at)) ?? 0
    }

    var count: Int { kindAt.count }

    /// Behind the data of all items; nil if there are none.
    var end: Int? { extents.values.joined().map(\.upperBound).max() }

    /// An item's properties, in their order.
    func properties(of item: Int) -> [Property] {
        guard let list = associations[item] else { return [] }
        return (0..<list.count).compactMap { place in
            let at = list.start + place * list.width
            let number = list.width == 1 ? Int(bytes[at]) & 0x7F : number(at, 2) & 0x7FFF
            // 0 stands for no property.
            guard number > 0 else { return nil }
            let box = number <= properties.count ? properties[number - 1] : nil
            return Property(number: number, box: box, isEssential: bytes[at] & 0x80 != 0)
        }
    }

    /// References of one kind.
    func references(_ name: StaticString) -> some Sequence<Reference> {
        references.lazy.filter { [bytes] in bytes.has(name, at: $0.name) }
    }

    /// The parts that make up an item, such as the tiles of a grid.
    func parts(of item: Int) -> [Int] { references("dimg").filter { $0.from == item }.flatMap(\.to) }
}
