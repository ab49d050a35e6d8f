/// A valid or broken HEIF file, built box by box around one encoded picture.
package struct HEIFFixture {
    package enum Codec: String, Sendable, CaseIterable {
        case av1 = ".avif"
        case hevc = ".heic"
    }

    /// An item that is no picture.
    package struct Metadata: Sendable {
        package var type: String
        /// What follows the item's empty name.
        package var kind: String?
        package var data: [UInt8]
        /// Whether the data are in the meta box itself.
        package var isInside: Bool
        /// Whether the data are those of the item before.
        package var isShared: Bool
        /// The number of the picture that it says to be about.
        package var describes: Int?

        package init(
            _ type: String, kind: String? = nil, _ data: [UInt8], isInside: Bool = false,
            isShared: Bool = false
        ) {
            (self.type, self.kind, self.data) = (type, kind, data)
            (self.isInside, self.isShared) = (isInside, isShared)
        }
    }

    package var brands: [String]
    /// The boxes of the property container.
    package var properties: [[UInt8]]
    /// The numbers (from 1) of the picture's properties, in order.
    package var associations: [Int]
    /// The same for the alpha channel.
    package var alphaAssociations: [Int] = []
    package var hasPrimary = true
    /// Follows the meta box.
    package var tail: [UInt8] = []
    /// Replaces the associations' box.
    package var associationBox: [UInt8]?
    /// Replaces the primary item's box.
    package var primaryBox: [UInt8]?
    /// Items with metadata.
    package var metadata: [Metadata] = []
    /// Whether the picture's colours are said to be multiplied by the alpha channel.
    package var isPremultiplied = false
    /// Whether the file has the picture once more, as its second item, which is not the primary one.
    package var hasSecondPicture = false
    private let mask: @Sendable (_ transparent: UInt8) -> [UInt8]
    private let itemType: String
    package var picture: [UInt8]
    package var alpha: [UInt8] = []

    /// - Parameter orientation: the EXIF orientation that would turn the stored picture upright.
    package init(_ codec: Codec, width: Int = 96, height: Int = 64, orientation: Int = 1) {
        let suffix = codec.rawValue + "[Q=80,strip]"
        let file = PhotoFixture.encode(
            width: width, height: height, orientation: orientation, seed: 0, suffix: suffix)
        mask = { transparent in
            PhotoFixture.encodeMask(
                width: width, height: height, orientation: orientation, transparent: transparent,
                suffix: suffix)
        }
        let configuration = codec == .av1 ? "av1C" : "hvcC"
        itemType = codec == .av1 ? "av01" : "hvc1"
        brands = codec == .av1 ? ["avif", "mif1"] : ["heic", "mif1"]
        picture = Self.content(of: "mdat", in: file)
        properties = [
            Self.box(configuration, Self.content(of: configuration, in: file)),
            Self.fullBox("ispe", Self.big(width, 4) + Self.big(height, 4)),
            Self.fullBox("pixi", [3, 8, 8, 8]),
        ]
        associations = [1, 2, 3]
    }

    /// A picture that libvips has encoded. Its colours have no meaning until a `colr` property is added.
    package init(_ codec: Codec, of file: [UInt8], width: Int, height: Int, bits: Int) {
        let configuration = codec == .av1 ? "av1C" : "hvcC"
        mask = { _ in [] }
        itemType = codec == .av1 ? "av01" : "hvc1"
        brands = codec == .av1 ? ["avif", "mif1"] : ["heic", "mif1"]
        picture = Self.content(of: "mdat", in: file)
        properties = [
            Self.box(configuration, Self.content(of: configuration, in: file)),
            Self.fullBox("ispe", Self.big(width, 4) + Self.big(height, 4)),
            Self.fullBox("pixi", [3, UInt8(bits), UInt8(bits), UInt8(bits)]),
        ]
        associations = [1, 2, 3]
    }

    /// `colr` of type `nclx`, for the matrix (BT.601) and range (full) with which libvips encodes.
    package static func codePoints(primaries: Int, transfer: Int) -> [UInt8] {
        box("colr", Array("nclx".utf8) + big(primaries, 2) + big(transfer, 2) + big(6, 2) + [0x80])
    }

    /// Adds an alpha channel that is transparent in the bottom right quadrant, shown upright.
    ///
    /// - Parameter transparent: how much of the quadrant's colour remains, of 255.
    package mutating func addAlpha(transparent: UInt8 = 0) {
        let mask = mask(transparent)
        alpha = Self.content(of: "mdat", in: mask)
        let configuration = String(decoding: properties[0][4..<8], as: UTF8.self)
        properties.append(
            Self.fullBox("auxC", Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8)))
        properties.append(Self.box(configuration, Self.content(of: configuration, in: mask)))
        alphaAssociations = [properties.count, 2, properties.count - 1]
    }

    /// Adds a property and associates it with the picture, and with the alpha channel if there is one.
    package mutating func add(_ property: [UInt8], first: Bool = false) {
        properties.append(property)
        associations.insert(properties.count, at: first ? 0 : associations.count)
        if !alpha.isEmpty { alphaAssociations.append(properties.count) }
    }

    /// `irot`: quarter turns anticlockwise.
    package static func rotation(_ turns: UInt8) -> [UInt8] { box("irot", [turns]) }
    /// `imir`: 0 exchanges top and bottom, 1 left and right.
    package static func mirror(_ axis: UInt8) -> [UInt8] { box("imir", [axis]) }
    /// `clap`, with the offsets of its centre in parts of `denominator`.
    package static func crop(
        width: Int, height: Int, right: Int, down: Int, denominator: Int = 1
    ) -> [UInt8] {
        box(
            "clap",
            big(width, 4) + big(1, 4) + big(height, 4) + big(1, 4) + big(right, 4) + big(denominator, 4)
                + big(down, 4) + big(denominator, 4))
    }

    package static func big(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    package static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(name.utf8) + content
    }

    package static func fullBox(_ name: String, _ content: [UInt8]) -> [UInt8] {
        box(name, [0, 0, 0, 0] + content)
    }

    /// The content of the first box with this name, wherever it lies.
    static func content(of name: String, in file: [UInt8]) -> [UInt8] {
        let name = Array(name.utf8)
        let at = file.indices.first { file[$0...].starts(with: name) }!
        let length = file[(at - 4)..<at].reduce(0) { $0 << 8 | Int($1) }
        return Array(file[(at + 4)..<(at - 4 + length)])
    }

    private func meta(dataAt: Int) -> [UInt8] {
        var items = [(type: itemType, data: picture, associations: associations)]
        if !alpha.isEmpty { items.append((itemType, alpha, alphaAssociations)) }
        if hasSecondPicture { items.append((itemType, picture, associations)) }
        var content = Self.fullBox("hdlr", Self.big(0, 4) + Array("pict".utf8) + Self.big(0, 13))
        if hasPrimary { content += primaryBox ?? Self.fullBox("pitm", Self.big(1, 2)) }
        var infos: [UInt8] = []
        var locations: [UInt8] = []
        var ipma = Self.big(items.count, 4)
        var position = dataAt
        for (index, item) in items.enumerated() {
            let number = Self.big(index + 1, 2)
            infos += Self.box("infe", [2, 0, 0, 0] + number + [0, 0] + Array(item.type.utf8) + [0])
            locations += number + [0, 0, 0, 0, 0, 1] + Self.big(position, 4) + Self.big(item.data.count, 4)
            ipma += number + [UInt8(item.associations.count)] + item.associations.map { UInt8($0) }
            position += item.data.count
        }
        var inside: [UInt8] = []
        for (index, item) in metadata.enumerated() {
            let number = Self.big(items.count + index + 1, 2)
            let kind: [UInt8] = item.kind.map { Array($0.utf8) + [0] } ?? []
            var info: [UInt8] = [2, 0, 0, 0] + number + [0, 0] + Array(item.type.utf8) + [0]
            info += kind
            infos += Self.box("infe", info)
            let method: UInt8 = item.isInside ? 1 : 0
            locations += number
            locations += [0, method, 0, 0, 0, 1]
            let back = item.isShared ? item.data.count : 0
            locations += Self.big((item.isInside ? inside.count : position) - back, 4)
            locations += Self.big(item.data.count, 4)
            if item.isShared { continue }
            if item.isInside { inside += item.data } else { position += item.data.count }
        }
        let count = Self.big(items.count + metadata.count, 2)
        content += Self.fullBox("iinf", count + infos)
        // Version 1, which says where the data are.
        let sizes: [UInt8] = [1, 0, 0, 0, 0x44, 0x00]
        content += Self.box("iloc", sizes + count + locations)
        if !inside.isEmpty { content += Self.box("idat", inside) }
        var references = alpha.isEmpty ? [] : Self.box("auxl", [0, 2, 0, 1, 0, 1])
        if !alpha.isEmpty, isPremultiplied { references += Self.box("prem", [0, 1, 0, 1, 0, 2]) }
        for (index, item) in metadata.enumerated() {
            guard let picture = item.describes else { continue }
            references += Self.box(
                "cdsc", Self.big(items.count + index + 1, 2) + [0, 1] + Self.big(picture, 2))
        }
        if !references.isEmpty { content += Self.fullBox("iref", references) }
        content += Self.box(
            "iprp",
            Self.box("ipco", properties.flatMap { $0 }) + (associationBox ?? Self.fullBox("ipma", ipma)))
        return Self.fullBox("meta", content)
    }

    package var bytes: [UInt8] {
        let head = Self.box(
            "ftyp", Array(brands[0].utf8) + Self.big(0, 4) + brands.flatMap { Array($0.utf8) })
        let before = head.count + meta(dataAt: 0).count + tail.count
        return head + meta(dataAt: before + 8) + tail
            + Self.box(
                "mdat",
                picture + alpha + (hasSecondPicture ? picture : [])
                    + metadata.filter { !$0.isInside && !$0.isShared }.flatMap(\.data))
    }

    /// The range of the meta box's content in `bytes`.
    package var metaRange: Range<Int> {
        let start = 16 + 4 * brands.count
        return start + 12..<start + meta(dataAt: 0).count
    }
}
