import Imaging

extension Container {
    /// Takes IPTC, EXIF and XMP out of Photoshop's image resources, as JPEGs, TIFFs and PNGs have them (Adobe, Photoshop File
    /// Formats Specification, "Image Resource Blocks"), up to the first damage.
    mutating func note(photoshopResources bytes: UnsafeRawBufferPointer) {
        var at = 0
        while at + 12 <= bytes.count {
            // Some programs leave out the byte that makes the last length even.
            if at > 0, !bytes.isResource(at: at) { at -= 1 }
            guard bytes.isResource(at: at), let kind = bytes.big16(at + 4) else { return }
            // A name with its length, and a byte that makes it even.
            let sizeAt = at + 6 + (Int(bytes[at + 6]) + 2) / 2 * 2
            guard let size = bytes.big32(sizeAt), size <= bytes.count - sizeAt - 4 else { return }
            let data = bytes[sizeAt + 4..<sizeAt + 4 + size]
            switch kind {
            case 0x0404: note(iptc: data)
            case 0x0422: note(exif: data)
            case 0x0424: note(xmp: data)
            default: break
            }
            at = sizeAt + 4 + (size + 1) / 2 * 2
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether a resource begins here: other programs than Photoshop sign theirs with other letters.
    fileprivate func isResource(at position: Int) -> Bool {
        ["8BIM", "AgHg", "DCSR", "MeSa", "PHUT"].contains { has($0, at: position) }
    }
}
