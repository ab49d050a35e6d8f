import Imaging

/// Item properties (ISO/IEC 23008-12, 9.3).
extension HEIFPicture {
    /// The size in pixels; nil if there is none, or several.
    static func size(_ properties: [HEIFItems.Property], _ bytes: UnsafeRawBufferPointer) -> Size? {
        let sizes = Set(
            properties.compactMap(\.box).filter { bytes.has("ispe", at: $0.header) }.map { box -> Size? in
                guard let width = bytes.big32(box.content.lowerBound + 4), box.content.count >= 12,
                    let height = bytes.big32(box.content.lowerBound + 8)
                else { return nil }
                return Size(width: width, height: height)
            })
        return sizes.count == 1 ? sizes.first ?? nil : nil
    }

    static func transformations(
        _ properties: [HEIFItems.Property], _ bytes: UnsafeRawBufferPointer
    ) -> [HEIFTransformation] {
        properties.compactMap { $0.box.flatMap { transformation($0, bytes) } }
    }

    private static func transformation(
        _ box: HEIFItems.Box, _ bytes: UnsafeRawBufferPointer
    ) -> HEIFTransformation? {
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

    /// Refuses properties that are essential and unknown, and parts that are turned or cropped by themselves.
    ///
    /// The alpha channel covers the picture as it is stored, whatever its own properties say. avifenc writes the transformations of a
    /// grid with each of its tiles as well; they are done once, with the whole picture.
    static func checkProperties(
        _ items: [Item], _ transformations: [HEIFTransformation], _ bytes: UnsafeRawBufferPointer
    ) throws(PhotoRejection) {
        for item in items {
            for property in item.properties where property.isEssential {
                guard let box = property.box else { throw contradiction }
                guard !isApplied(box, bytes) else { continue }
                throw PhotoRejection(
                    .unsupportedFormat,
                    "This photo needs a feature of its format that is not supported. Please upload it as JPEG.",
                    detail: "The property \(name(of: box, bytes)) is essential.")
            }
            for part in item.parts {
                let own = Self.transformations(items[part].properties, bytes)
                guard own.isEmpty || item.kind == .grid && own == transformations else {
                    throw unsupported("A part is turned or cropped by itself.")
                }
            }
        }
    }

    static func name(of box: HEIFItems.Box, _ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes[box.header..<box.header + 4], as: UTF8.self)
    }

    /// Whether the decoder or this program does what the property says, or it does not change the picture.
    private static func isApplied(_ box: HEIFItems.Box, _ bytes: UnsafeRawBufferPointer) -> Bool {
        switch name(of: box, bytes) {
        case "hvcC", "av1C", "ispe", "pixi", "colr", "irot", "imir", "clap", "auxC", "pasp", "a1lx": true
        // Light levels and viewing conditions, names and times.
        case "clli", "mdcv", "cclv", "amve", "reve", "ndwt", "udes", "crtt", "mdft", "altt": true
        // The first operating point, and all layers: what the decoder takes anyway.
        case "a1op": bytes[box.content].first == 0
        case "lsel": bytes.big16(box.content.lowerBound) == 0xFFFF
        default: false
        }
    }
}
