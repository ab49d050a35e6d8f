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
            if bytes.has("meta", at: position + 4), !sawMeta {
                sawMeta = true
                guard length <= longestMeta else {
                    throw PhotoRejection(
                        .metadataTooLarge,
                        "This photo's description of itself has \(length) bytes; the limit is \(longestMeta). Please upload it as JPEG."
                    )
                }
                // A length of 64 bits stands behind the name.
                let header = bytes.big32(position) == 1 ? 16 : 8
                let items = HEIFItems(
                    bytes, meta: (position..<position + length).dropFirst(header))
                try check(parts: items.count, most: HEIFItems.mostItems)
                if let primary = items.primary { try result.note(HEIFPicture(items, primary: primary)) }
                hasStill = items.primary != nil
                result.note(metadata: items.metadataBytes)
                // All items may refer to the same bytes.
                if result.metadataBytes <= metadataLimit {
                    for block in items.exif { result.note(exif: block) }
                    for packet in items.xmp { result.note(xmp: packet) }
                }
                end = items.end ?? .max
                if items.hasThumbnail { result.stripped.insert("thumbnail") }
            }
            // Another file follows.
            if bytes.has("ftyp", at: position + 4), position >= end {
                result.stripped.insert("trailing data")
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
        guard hasStill else { throw corrupt("There is no primary item.") }
        return result
    }

    private mutating func note(_ picture: HEIFPicture) throws(PhotoRejection) {
        transformations = picture.transformations
        isLimitedGrey = picture.colours.isLimitedGrey
        isMonochrome = picture.colours.isMonochrome
        codePoints = picture.colours.codePoints
        isTiled = picture.items[0].kind == .grid
        pixelsBeside = picture.pixelsBeside
        hasFullColours = picture.hasFullColours
        codedSize = picture.codedSize.map { ($0.width, $0.height) }
        isPremultiplied = picture.isPremultiplied
        essence = picture.file
        guard !picture.colours.areUnreadable else {
            throw PhotoRejection(
                .unsupportedFormat,
                "This photo's colours are coded in a way that is not supported. Please upload it as JPEG.")
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
}
