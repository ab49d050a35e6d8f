import Imaging

/// Item properties (ISO/IEC 23008-12, 9.3): transformations are hidden from the decoder and applied here.
///
/// libheif 1.15 reports the untransformed size if a descriptive property follows a transformative one, and does
/// not mirror pictures of more than 8 bits.
extension HEIFItems {
    /// What the boxes of properties say (ISO/IEC 14496-12, 8.11.14).
    struct Properties {
        /// All properties, which are counted from 1.
        let all: [Box]
        /// The contents of the boxes that say which item has which.
        let associations: [Range<Int>]
        /// Whether these have as many entries as they say, and nothing behind. libheif takes a number of two thousand million for none.
        var areReadWhole = true

        subscript(association: Association) -> Box? {
            let index = association.index
            return index > 0 && index <= all.count ? all[index - 1] : nil
        }
    }

    /// That an item has a property.
    struct Association {
        /// Where it is written.
        let place: Range<Int>
        /// Whether the picture must not be shown by who does not know the property.
        let isEssential: Bool
        /// 0 stands for no property.
        let index: Int
    }

    /// - Parameter content: that of the box of all properties.
    func properties(_ content: Range<Int>) -> Properties? {
        let boxes = Self.boxes(bytes, content)
        guard let container = boxes.first(where: { bytes.has("ipco", at: $0.header) }) else { return nil }
        var properties = Properties(
            all: Self.boxes(bytes, container.content),
            associations: boxes.filter { bytes.has("ipma", at: $0.header) }.map(\.content))
        properties.areReadWhole = properties.associations.allSatisfy { content in
            var (entries, end) = (0, content.lowerBound + 8)
            forEachAssociations(of: [content]) { _, _, place in
                entries += 1
                end = place
                return true
            }
            return bytes.big32(content.lowerBound + 4) == entries && end == content.upperBound
        }
        return properties
    }

    /// Reads the transformations of the primary item, and removes them from the decoder's copy.
    ///
    /// avifenc writes those of a grid with each of its tiles as well. They are done once, with the whole picture.
    mutating func readTransformations(of primary: Int, _ properties: Properties) {
        let transforming = properties.all.map { transformation($0) }
        func found(_ association: Association) -> HEIFTransformation? {
            let index = association.index
            return index > 0 && index <= transforming.count ? transforming[index - 1] : nil
        }
        // The alpha channel covers the picture as it is stored, so its transformations must go too.
        func remove(_ associations: LazyMapSequence<Range<Int>, Association>) {
            // Repeats another property, which changes nothing; libheif fails on index 0 (no property).
            let other = associations.first { found($0) == nil }.map { bytes.copy($0.place) }
            for association in associations {
                guard found(association) != nil else { continue }
                let place = association.place
                edits.append(
                    Edit(at: place.lowerBound, bytes: other ?? Array(repeating: 0, count: place.count)))
            }
        }
        forFirstAssociations(of: auxiliaries(of: primary).union([primary]), properties) {
            item, associations in
            if item == primary { transformations = associations.compactMap { found($0) } }
            remove(associations)
        }
        guard isTiled, !transformations.isEmpty else { return }
        forFirstAssociations(of: Set(parts(of: primary)), properties) { _, associations in
            if associations.compactMap({ found($0) }) == transformations { remove(associations) }
        }
    }

    /// Looks for a property of the picture, or of its parts, that is essential and unknown.
    mutating func readEssentials(of primary: Int, _ properties: Properties) {
        let areApplied = properties.all.map { isApplied($0) }
        let shown = Set(parts(of: primary)).union([primary]).union(auxiliaries(of: primary))
        forEachAssociations(of: properties.associations) { item, associations, _ in
            guard shown.contains(item) else { return true }
            for association in associations where association.isEssential && association.index > 0 {
                guard let box = properties[association] else {
                    unknownProperty = "number \(association.index)"
                    return false
                }
                guard !areApplied[association.index - 1] else { continue }
                unknownProperty = String(decoding: bytes[box.header..<box.header + 4], as: UTF8.self)
                return false
            }
            return true
        }
    }

    /// Whether the decoder or this program does what the property says, or it does not change the picture.
    private func isApplied(_ property: Box) -> Bool {
        let known: [StaticString] = [
            "hvcC", "av1C", "ispe", "pixi", "colr", "irot", "imir", "clap", "auxC", "pasp", "a1lx",
            // Light levels and viewing conditions, names and times.
            "clli", "mdcv", "cclv", "amve", "reve", "ndwt", "udes", "crtt", "mdft", "altt",
        ]
        if known.contains(where: { bytes.has($0, at: property.header) }) { return true }
        // The first operating point, and all layers: what the decoder takes anyway.
        if bytes.has("a1op", at: property.header) { return bytes[property.content].first == 0 }
        return bytes.has("lsel", at: property.header)
            && bytes.big16(property.content.lowerBound) == 0xFFFF
    }

    func transformation(_ box: Box) -> HEIFTransformation? {
        let at = box.content.lowerBound
        if bytes.has("irot", at: box.header), !box.content.isEmpty { return .rotate(Int(bytes[at] & 3)) }
        if bytes.has("imir", at: box.header), !box.content.isEmpty {
            return .mirror(axis: Int(bytes[at] & 1))
        }
        guard bytes.has("clap", at: box.header) else { return nil }
        func fraction(_ index: Int, isSigned: Bool) -> Double {
            guard box.content.count >= 32, let numerator = bytes.big32(at + index * 8),
                let denominator = bytes.big32(at + index * 8 + 4)
            else { return .nan }
            let number = isSigned ? Double(Int32(truncatingIfNeeded: numerator)) : Double(numerator)
            return number / Double(denominator)
        }
        return .crop(
            width: fraction(0, isSigned: false), height: fraction(1, isSigned: false),
            right: fraction(2, isSigned: true), down: fraction(3, isSigned: true))
    }

    /// Calls `body` once with each of the items that has associations, and with the first that are written.
    func forFirstAssociations(
        of items: Set<Int>, _ properties: Properties,
        _ body: (Int, LazyMapSequence<Range<Int>, Association>) -> Void
    ) {
        var wanted = items
        forEachAssociations(of: properties.associations) { item, associations, _ in
            if wanted.remove(item) != nil { body(item, associations) }
            return !wanted.isEmpty
        }
    }

    /// Calls `body` with each item, its associations and the end of these, until it returns false.
    private func forEachAssociations(
        of contents: [Range<Int>], _ body: (Int, LazyMapSequence<Range<Int>, Association>, Int) -> Bool
    ) {
        for content in contents {
            guard content.count >= 8, let count = bytes.big32(content.lowerBound + 4) else { continue }
            let numberWidth = bytes[content.lowerBound] == 0 ? 2 : 4
            let width = bytes[content.lowerBound + 3] & 1 == 0 ? 1 : 2
            var position = content.lowerBound + 8
            // A false count does no harm, because each entry takes at least three bytes.
            for _ in 0..<count {
                guard position + numberWidth + 1 <= content.upperBound else { break }
                let item = (numberWidth == 2 ? bytes.big16(position) : bytes.big32(position)) ?? 0
                let associations = Int(bytes[position + numberWidth])
                let start = position + numberWidth + 1
                position = start + associations * width
                guard position <= content.upperBound else { break }
                let all = (0..<associations).lazy.map { association(at: start + $0 * width, width: width) }
                guard body(item, all, position) else { return }
            }
        }
    }

    private func association(at place: Int, width: Int) -> Association {
        Association(
            place: place..<place + width, isEssential: bytes[place] & 0x80 != 0,
            index: width == 1 ? Int(bytes[place]) & 0x7F : (bytes.big16(place) ?? 0) & 0x7FFF)
    }
}
