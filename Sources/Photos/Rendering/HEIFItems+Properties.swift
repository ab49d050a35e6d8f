import Imaging

/// Item properties (ISO/IEC 23008-12, 9.3): transformations are hidden from the decoder and applied here.
///
/// libheif 1.15 reports the untransformed size if a descriptive property follows a transformative one, and does
/// not mirror pictures of more than 8 bits.
extension HEIFItems {
    /// Reads the transformations of the primary item, and removes them from the decoder's copy.
    mutating func readTransformations(properties: Range<Int>) {
        guard let primary else { return }
        let parts = Self.boxes(bytes, properties)
        guard let container = parts.first(where: { bytes.has("ipco", at: $0.header) }) else { return }
        let transforming = Self.boxes(bytes, container.content).map { transformation($0) }
        // The alpha channel covers the picture as it is stored, so its transformations must go too.
        var wanted = auxiliaries(of: primary).union([primary])
        for part in parts where bytes.has("ipma", at: part.header) {
            forEachAssociations(part.content) { item, at, width, count in
                guard wanted.remove(item) != nil else { return !wanted.isEmpty }
                let places = stride(from: at, to: at + count * width, by: width)
                func found(_ place: Int) -> HEIFTransformation? {
                    let index = width == 1 ? Int(bytes[place]) & 0x7F : (bytes.big16(place) ?? 0) & 0x7FFF
                    return index > 0 && index <= transforming.count ? transforming[index - 1] : nil
                }
                // Repeats another property, which changes nothing; libheif fails on index 0 (no property).
                let other = places.first { found($0) == nil }.map { bytes.copy($0..<$0 + width) }
                for place in places {
                    guard let transformation = found(place) else { continue }
                    if item == primary { transformations.append(transformation) }
                    edits.append(Edit(at: place, bytes: other ?? Array(repeating: 0, count: width)))
                }
                return !wanted.isEmpty
            }
        }
    }

    /// Looks for a property of the picture, or of its parts, that is essential and unknown.
    mutating func readEssentials(properties: Range<Int>) {
        guard let primary else { return }
        let boxes = Self.boxes(bytes, properties)
        guard let container = boxes.first(where: { bytes.has("ipco", at: $0.header) }) else { return }
        let all = Self.boxes(bytes, container.content).map { isApplied($0) ? nil : $0.header }
        let shown = Set(parts(of: primary)).union([primary]).union(auxiliaries(of: primary))
        for associations in boxes where bytes.has("ipma", at: associations.header) {
            forEachAssociations(associations.content) { item, at, width, count in
                guard shown.contains(item) else { return true }
                for place in stride(from: at, to: at + count * width, by: width)
                where bytes[place] & 0x80 != 0 {
                    let index = width == 1 ? Int(bytes[place]) & 0x7F : (bytes.big16(place) ?? 0) & 0x7FFF
                    guard index > 0 else { continue }
                    guard index <= all.count else {
                        unknownProperty = "number \(index)"
                        return false
                    }
                    guard let name = all[index - 1] else { continue }
                    unknownProperty = String(decoding: bytes[name..<name + 4], as: UTF8.self)
                    return false
                }
                return unknownProperty == nil
            }
        }
    }

    /// Whether the decoder or this program does what the property says, or it does not change the picture.
    private func isApplied(_ property: (header: Int, content: Range<Int>)) -> Bool {
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

    private func transformation(_ box: (header: Int, content: Range<Int>)) -> HEIFTransformation? {
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

    /// Calls `body` with each item and the position, width and count of its associations, until it returns false.
    func forEachAssociations(_ content: Range<Int>, _ body: (Int, Int, Int, Int) -> Bool) {
        guard content.count >= 8, let count = bytes.big32(content.lowerBound + 4) else { return }
        let numberWidth = bytes[content.lowerBound] == 0 ? 2 : 4
        let width = bytes[content.lowerBound + 3] & 1 == 0 ? 1 : 2
        var position = content.lowerBound + 8
        // A false count does no harm, because each entry takes at least three bytes.
        for _ in 0..<count {
            guard position + numberWidth + 1 <= content.upperBound else { return }
            let item = (numberWidth == 2 ? bytes.big16(position) : bytes.big32(position)) ?? 0
            let associations = Int(bytes[position + numberWidth])
            position += numberWidth + 1
            guard position + associations * width <= content.upperBound,
                body(item, position, width, associations)
            else { return }
            position += associations * width
        }
    }
}
