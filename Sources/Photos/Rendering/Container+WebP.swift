import Imaging

extension Container {
    /// Walks a WebP's RIFF chunks.
    static func readWebP(_ bytes: UnsafeRawBufferPointer) throws(PhotoRejection) -> Container {
        var result = Container(format: .webp)
        guard let claimed = bytes.little32(4) else { throw truncated }
        let end = claimed + 8
        guard end <= bytes.count else { throw truncated }
        if end < bytes.count { result.stripped.insert("trailing data") }
        result.frames = 0
        var position = 12
        var sawImage = false
        while position + 8 <= end, let length = bytes.little32(position + 4) {
            let start = position + 8
            guard length <= end - start else { throw truncated }
            let payload = start..<start + length
            if bytes.has("VP8X", at: position), let width = bytes.little24(start + 4),
                let height = bytes.little24(start + 7)
            {
                result.size = (width + 1, height + 1)
            } else if bytes.has("ANMF", at: position) {
                result.frames += 1
                sawImage = true
            } else if bytes.has("VP8 ", at: position) {
                sawImage = true
                if result.size == nil, let width = bytes.little16(start + 6),
                    let height = bytes.little16(start + 8)
                {
                    result.size = (width & 0x3FFF, height & 0x3FFF)
                }
            } else if bytes.has("VP8L", at: position) {
                sawImage = true
                if result.size == nil, let bits = bytes.little32(start + 1) {
                    result.size = ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
                }
            } else if bytes.has("EXIF", at: position) {
                result.note(metadata: length)
                if length <= metadataLimit { result.note(exif: bytes[payload]) }
            } else if bytes.has("XMP ", at: position) {
                result.note(metadata: length)
                if length <= metadataLimit { result.note(xmp: bytes[payload]) }
            } else if bytes.has("C2PA", at: position) {
                result.note(manifests: bytes[payload])
            } else if bytes.has("ICCP", at: position) {
                result.stripped.insert("ICC")
                result.note(profile: length)
                if length <= profileLimit { result.icc = bytes.copy(payload) }
            }
            position = payload.upperBound + length % 2
        }
        guard sawImage, result.size != nil else { throw corrupt("There is no image chunk.") }
        result.frames = max(1, result.frames)
        return result
    }
}
