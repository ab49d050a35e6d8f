import Imaging

/// What items say about the picture.
extension HEIFItems {
    var hasThumbnail: Bool { references("thmb").contains { _ in true } }

    /// Bytes of all items with metadata, though several may have the same bytes.
    var metadataBytes: Int {
        kindAt.filter { isEXIF(at: $0.value) || isXMP(at: $0.value) }
            .reduce(0) { sum, item in (extents[item.key] ?? []).reduce(sum) { $0 + $1.count } }
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
        for reference in references("cdsc") {
            let items = reference.to.prefix(100)
            if items.contains(where: { $0 == primary }) {
                own.insert(reference.from)
            } else if items.contains(where: isImage) {
                others.insert(reference.from)
            }
        }
        others.subtract(own)
        let wanted = kindAt.filter { isWanted($0.value) && !others.contains($0.key) }
        return wanted.keys.sorted().prefix(8).map { (extents[$0] ?? []).flatMap { bytes.copy($0) } }
    }

    private func isImage(_ item: Int) -> Bool { HEIFPicture.Kind(of: item, self) != nil }

    private func isEXIF(at place: Int) -> Bool { bytes.has("Exif", at: place) }

    /// Whether the item's kind is a MIME type, behind its name, and that of XMP (XMP specification part 3, 2.1.2).
    private func isXMP(at place: Int) -> Bool {
        guard bytes.has("mime", at: place) else { return false }
        let name = bytes.dropFirst(place + 4).prefix(256).prefix { $0 != 0 }
        return bytes.has("application/rdf+xml\0", at: place + 4 + name.count + 1)
    }
}
