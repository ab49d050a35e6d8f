import Imaging

/// What a HEIF file shows: the primary item, its tiles, and its alpha channel.
///
/// The decoder gets a file of these alone, written here, so that it reads what was checked and nothing else. Of files as they come,
/// libheif 1.15 reads some otherwise than this program, and refuses those that have an item of an unknown kind, metadata of two
/// items, or brands for sequences alone. Transformations are done here: it reports the untransformed size if a descriptive property
/// follows one, and does not mirror pictures of more than 8 bits.
struct HEIFPicture {
    /// Kinds of pictures that the decoder knows. A copy is another picture with other properties.
    enum Kind: String {
        case hevc = "hvc1"
        case av1 = "av01"
        case grid
        case copy = "iden"

        init?(of item: Int, _ items: HEIFItems) {
            guard let at = items.kindAt[item], at + 4 <= items.bytes.count else { return nil }
            self.init(rawValue: String(decoding: items.bytes[at..<at + 4], as: UTF8.self))
        }

        var isDerived: Bool { self == .grid || self == .copy }
    }

    struct Size: Hashable { var width, height: Int }

    struct Item {
        let number: Int
        let kind: Kind
        let properties: [HEIFItems.Property]
        /// As its properties say it, in pixels; nil if they say none or several.
        let size: Size?
        /// The places of its parts among all items.
        var parts: [Int] = []
        /// In the decoder's file.
        var data = 0..<0
    }

    let bytes: UnsafeRawBufferPointer
    /// The primary item first.
    private(set) var items: [Item] = []
    /// The place of the alpha channel among the items.
    private(set) var alpha: Int?
    /// What the decoder gets.
    private(set) var file: [UInt8] = []
    /// Those of the primary item, in the order in which they apply.
    private(set) var transformations: [HEIFTransformation] = []
    private(set) var colours = Colours()
    /// Whether there are as many values of colours as of brightness.
    private(set) var hasFullColours = false
    /// The size that the decoder makes room for: that of the primary item's coded data, or of all tiles; nil for a copy.
    private(set) var codedSize: Size?
    /// Pixels that the decoder has besides the whole picture: those of up to four tiles, or of the other layers.
    private(set) var pixelsBeside = 0
    /// Whether the colours were multiplied by the alpha channel (ISO/IEC 23008-12, 6.10.1.2.1).
    let isPremultiplied: Bool
    private var placeOf: [Int: Int] = [:]

    init(_ source: HEIFItems, primary: Int) throws(PhotoRejection) {
        bytes = source.bytes
        isPremultiplied = source.references("prem").contains { $0.from == primary }
        try add(primary, of: source, isPart: false)
        let parts = Set(items.map(\.number)).subtracting([primary])
        for reference in source.references("auxl") where Self.isAlpha(reference.from, source) {
            // libheif 1.15 takes that of a tile to be as deep as the tile, and writes it at any time.
            guard parts.isDisjoint(with: reference.to) else {
                throw Self.unsupported("A part has an alpha channel.")
            }
            if alpha == nil, reference.to.contains(primary) {
                guard placeOf[reference.from] == nil else { throw Self.contradiction }
                let place = try add(reference.from, of: source, isPart: false)
                // The decoder would draw the picture to know its alpha channel, and that to draw the picture.
                guard !items[place].parts.contains(0) else { throw Self.contradiction }
                alpha = place
            }
        }
        guard isAlphaMadeAlike else {
            throw Self.unsupported("An alpha channel is made otherwise than its picture.")
        }
        transformations = Self.transformations(items[0].properties, bytes)
        try Self.checkProperties(items, transformations, bytes)
        file = try Self.data(&items, source)
        let coded = try file.withUnsafeBytes { data in
            Result { () throws(PhotoRejection) in
                try Self.checkGrids(items, data)
                return try Self.checkCodedData(items, bytes, data)
            }
        }.get()
        codedSize = coded.size ?? canvas
        pixelsBeside = pixelsBeside(layers: coded.layers)
        hasFullColours = coded.format?.chroma ?? 0 > 1
        colours = Colours(items, coded.format, coded.sequence, bytes)
        file += description()
    }

    private var tile: Size? { items[0].kind == .grid ? items[0].parts.first.flatMap { items[$0].size } : nil }

    /// All tiles of a grid beside each other, which a file may have larger than the grid.
    private var canvas: Size? {
        guard let tile, let size = items[0].size else { return nil }
        return Size(
            width: (size.width + tile.width - 1) / tile.width * tile.width,
            height: (size.height + tile.height - 1) / tile.height * tile.height)
    }

    private func pixelsBeside(layers: Int) -> Int {
        if let tile { return min(items[0].parts.count, 4) * tile.width * tile.height }
        return codedSize.map { (layers - 1) * $0.width * $0.height } ?? 0
    }

    /// Whether the alpha channel is one item, or is made of parts as the picture is: the estimate of memory knows no others.
    private var isAlphaMadeAlike: Bool {
        guard let alpha, items[alpha].kind.isDerived else { return true }
        let sizes = [0, alpha].map { place in items[place].parts.first.map { items[$0].size } }
        return items[alpha].kind == items[0].kind && sizes[0] == sizes[1]
    }

    static let contradiction = Container.corrupt("Its items contradict each other.")

    static func unsupported(_ detail: String) -> PhotoRejection {
        PhotoRejection(
            .unsupportedFormat,
            "This photo is coded in a way that is not supported. Please upload it as JPEG.", detail: detail)
    }

    /// Adds an item and its parts.
    ///
    /// - Parameter isPart: whether it may have none. libheif 1.15 starts threads for each grid in a grid.
    /// - Returns: its place.
    @discardableResult private mutating func add(
        _ number: Int, of source: HEIFItems, isPart: Bool
    ) throws(PhotoRejection) -> Int {
        guard let at = source.kindAt[number], at + 4 <= bytes.count else { throw Self.contradiction }
        guard let kind = Kind(of: number, source), !isPart || !kind.isDerived else {
            throw Self.unsupported(
                "An item is of kind \(String(decoding: bytes[at..<at + 4], as: UTF8.self)).")
        }
        if let place = placeOf[number] { return place }
        guard !source.cutOff.contains(number) else { throw Container.truncated }
        let properties = source.properties(of: number)
        let place = items.count
        placeOf[number] = place
        items.append(
            Item(
                number: number, kind: kind, properties: properties, size: Self.size(properties, bytes)))
        guard kind.isDerived else { return place }
        let parts = source.parts(of: number)
        try Container.check(parts: parts.count, most: HEIFItems.mostItems)
        for part in parts { items[place].parts.append(try add(part, of: source, isPart: true)) }
        return place
    }

    private static func isAlpha(_ item: Int, _ source: HEIFItems) -> Bool {
        source.properties(of: item).lazy.compactMap(\.box).contains { box in
            let kinds: [StaticString] = [
                "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0", "urn:mpeg:hevc:2015:auxid:1\0",
                "urn:mpeg:avc:2015:auxid:1\0",
            ]
            return source.bytes.has("auxC", at: box.header)
                && kinds.contains { source.bytes.has($0, at: box.content.lowerBound + 4) }
        }
    }
}
