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
        while position < bytes.count {
            guard var length = bytes.big32(position) else { break }
            if length == 1 {
                guard let high = bytes.big32(position + 8), let low = bytes.big32(position + 12),
                    high < 1 << 16
                else { throw corrupt("A box has an impossible length.") }
                length = high << 32 | low
            } else if length == 0 {
                length = bytes.count - position
            }
            guard length >= 8 else { throw corrupt("A box has an impossible length.") }
            guard length <= bytes.count - position else { throw truncated }
            if bytes.has("meta", at: position + 4), !sawMeta, length >= 12 {
                sawMeta = true
                let items = HEIFItems(bytes, meta: position + 8..<position + length)
                hasStill = items.primary != nil
                result.transformations = items.transformations
                result.isLimitedGrey = items.isLimitedGrey
                result.codePoints = items.codePoints
                result.isTiled = items.isTiled
                result.essence = edited(bytes, items.edits + brandEdits(bytes))
                result.exif = items.exif
                result.note(metadata: items.exifBytes)
                if result.exif != nil { result.stripped.insert("EXIF") }
                if items.hasThumbnail { result.stripped.insert("thumbnail") }
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
