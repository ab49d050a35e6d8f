import Imaging

extension Container {
    /// Walks the top-level boxes of a HEIF file (ISO/IEC 14496-12). The decoder reads the rest.
    static func readHEIF(
        _ bytes: UnsafeRawBufferPointer, as format: PhotoFormat
    ) throws(PhotoRejection) -> Container {
        var result = Container(format: format)
        var position = 0
        var sawMeta = false
        var hasStill = false
        var isSequence = false
        // Where the data of all items end.
        var end = Int.max
        while position < bytes.count {
            let length = boxLength(bytes, at: position)
            guard let length, length <= bytes.count - position else {
                if position >= end {
                    result.stripped.insert("trailing data")
                    break
                }
                guard length == nil, bytes.count - position >= 8 else { throw truncated }
                throw corrupt("A box has an impossible length.")
            }
            if bytes.has("meta", at: position + 4), length >= 12 {
                // The decoder would read this one.
                guard !sawMeta else { throw corrupt("There is a second meta box.") }
                guard bytes.big32(position) != 1 else { throw corrupt("A box has an unusual length.") }
                sawMeta = true
                guard length <= longestMeta else {
                    throw PhotoRejection(
                        .metadataTooLarge,
                        "This photo's description of itself has \(length) bytes; the limit is \(longestMeta). Please upload it as JPEG."
                    )
                }
                let items = HEIFItems(bytes, meta: position + 8..<position + length)
                try check(parts: items.count, most: HEIFItems.mostItems)
                try check(parts: items.drawn.count, most: HEIFItems.mostItems)
                guard items.hasNestedParts || !items.isUnsound else {
                    throw items.isCutOff ? truncated : corrupt("Its items contradict each other.")
                }
                hasStill = items.primary != nil
                result.transformations = items.transformations
                result.isLimitedGrey = items.isLimitedGrey
                result.isMonochrome = items.isMonochrome
                result.codePoints = items.codePoints
                result.isTiled = items.isTiled
                result.codedSize = items.codedSize.map { ($0.width, $0.height) }
                result.isPremultiplied = items.isPremultiplied
                let isOverlay = hasOverlay(bytes, position..<position + length)
                if let kind = isOverlay ? "iovl" : items.hasNestedParts ? "grid" : items.unknownKind {
                    throw PhotoRejection(
                        .unsupportedFormat,
                        "This photo is coded in a way that is not supported. Please upload it as JPEG.",
                        detail: "An item is of kind \(kind).")
                }
                if items.hasUnreadableColours {
                    throw PhotoRejection(
                        .unsupportedFormat,
                        "This photo's colours are coded in a way that is not supported. Please upload it as JPEG."
                    )
                }
                if let name = items.unknownProperty {
                    throw PhotoRejection(
                        .unsupportedFormat,
                        "This photo needs a feature of its format that is not supported. Please upload it as JPEG.",
                        detail: "The property \(name) is essential.")
                }
                result.essence = edited(bytes, items.edits + brandEdits(bytes))
                result.note(metadata: items.metadataBytes)
                // All items may refer to the same bytes.
                if result.metadataBytes <= metadataLimit {
                    for block in items.exif { result.note(exif: block) }
                    for packet in items.xmp { result.note(xmp: packet) }
                }
                end = items.end ?? .max
                if items.hasThumbnail { result.stripped.insert("thumbnail") }
            }
            // Another file follows. The decoder would read that one.
            if bytes.has("ftyp", at: position + 4), position >= end {
                result.stripped.insert("trailing data")
                result.essence = Array(result.essence?.prefix(position) ?? bytes.copy(0..<position)[...])
                break
            }
            if bytes.has("moov", at: position + 4) { isSequence = true }
            if bytes.has("mpvd", at: position + 4) { result.stripped.insert("trailing data") }
            position += length
        }
        if isSequence, !hasStill {
            throw PhotoRejection(
                .unsupportedFormat,
                "This is an image sequence without a still picture. Please upload a still photo instead."
            )
        }
        guard sawMeta else { throw corrupt("There is no meta box.") }
        return result
    }

    /// Whether a meta box may have an overlay, wherever the name of the kind stands.
    ///
    /// libheif 1.15 draws one that begins left of or above its canvas with what lies in memory behind the pixels. It must not
    /// depend on its finding the same items as this program.
    private static func hasOverlay(_ bytes: UnsafeRawBufferPointer, _ meta: Range<Int>) -> Bool {
        HEIFItems.boxes(bytes, meta.dropFirst(12)).contains { box in
            // The data of items, such as EXIF.
            !bytes.has("idat", at: box.header)
                && box.content.dropLast(3).contains { bytes.has("iovl", at: $0) }
        }
    }

    /// The longest meta box, in bytes. A photo of a thousand tiles has some 100 KB.
    private static let longestMeta = 8 << 20

    /// Nil for a length that no box has.
    private static func boxLength(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int? {
        switch bytes.big32(position) {
        case 0?: return bytes.count - position
        case 1?:
            guard let high = bytes.big32(position + 8), let low = bytes.big32(position + 12), high < 1 << 16,
                high > 0 || low >= 16
            else { return nil }
            return high << 32 | low
        case let length?: return length >= 8 ? length : nil
        case nil: return nil
        }
    }

    /// libheif 1.15 cannot open a file whose compatible brands are all for sequences, although such a file may also
    /// hold a still picture.
    private static func brandEdits(_ bytes: UnsafeRawBufferPointer) -> [HEIFItems.Edit] {
        guard let length = bytes.big32(0), bytes.has("ftyp", at: 4), length >= 20, length <= bytes.count
        else {
            return []
        }
        let known: [StaticString] = ["heic", "heix", "mif1", "avif"]
        let brands = stride(from: 16, through: min(length, 1024) - 4, by: 4)
        if brands.contains(where: { at in known.contains { bytes.has($0, at: at) } }) { return [] }
        return [HEIFItems.Edit(at: 16, bytes: Array("mif1".utf8))]
    }

    /// The whole file with the edits applied; nil if there are none.
    private static func edited(_ bytes: UnsafeRawBufferPointer, _ edits: [HEIFItems.Edit]) -> [UInt8]? {
        guard !edits.isEmpty else { return nil }
        var result = bytes.copy(0..<bytes.count)
        for edit in edits { result.replaceSubrange(edit.at..<edit.at + edit.bytes.count, with: edit.bytes) }
        return result
    }
}
