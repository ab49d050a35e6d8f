import Imaging

extension Container {
    /// Walks a PNG and keeps the chunks that are needed for pixels and colours.
    static func readPNG(_ bytes: UnsafeRawBufferPointer) throws(PhotoRejection) -> Container {
        var result = Container(format: .png)
        var essence = bytes.copy(0..<8)
        essence.reserveCapacity(bytes.count)
        var position = 8
        var sawData = false
        while true {
            guard let length = bytes.big32(position), position + 12 <= bytes.count else { throw truncated }
            guard length <= 0x7FFF_FFFF else { throw corrupt("A chunk claims \(length) bytes.") }
            guard length <= bytes.count - position - 12 else { throw truncated }
            let payload = position + 8..<position + 8 + length
            let whole = position..<position + 12 + length
            if position == 8 {
                guard bytes.has("IHDR", at: 12), length == 13, let width = bytes.big32(16),
                    let height = bytes.big32(20)
                else { throw corrupt("The first chunk is not IHDR.") }
                result.size = (width, height)
            } else if bytes.has("IHDR", at: position + 4) {
                throw corrupt("There is a second IHDR.")
            }
            let name = bytes.copy(position + 4..<position + 8)
            position = whole.upperBound
            switch String(decoding: name, as: UTF8.self) {
            case "IDAT":
                sawData = true
                essence.append(contentsOf: bytes[whole])
            case "IEND":
                essence.append(contentsOf: bytes[whole])
                if position < bytes.count { result.stripped.insert("trailing data") }
                guard sawData else { throw corrupt("There is no IDAT.") }
                result.essence = essence
                return result
            case "iCCP":
                result.stripped.insert("ICC")
                result.note(profile: length)
                if length <= profileLimit { essence.append(contentsOf: bytes[whole]) }
            case "eXIf":
                result.stripped.insert("EXIF")
                result.note(metadata: length)
                if result.exif == nil, length <= metadataLimit { result.exif = bytes.copy(payload) }
            case "iTXt":
                result.note(metadata: length)
                result.noteText(bytes, payload, isInternational: true)
            case "tEXt", "zTXt":
                result.note(metadata: length)
                result.noteText(bytes, payload, isInternational: false)
            case "fcTL":
                result.frames += 1
            case "fdAT", "acTL":
                break
            case "tRNS", "gAMA", "cHRM", "sRGB", "sBIT":
                essence.append(contentsOf: bytes[whole])
            default:
                // Keep unknown critical chunks, so that the decoder refuses them.
                if name[0] & 0x20 == 0 { essence.append(contentsOf: bytes[whole]) }
            }
        }
    }

    /// Extracts the XMP packet from a text chunk (PNG specification, 11.3.3). The standard puts it into iTXt, plain or
    /// compressed; some programs write it compressed into zTXt.
    private mutating func noteText(
        _ bytes: UnsafeRawBufferPointer, _ payload: Range<Int>, isInternational: Bool
    ) {
        let afterKeyword = payload.lowerBound + 18
        guard bytes.has("XML:com.adobe.xmp\0", at: payload.lowerBound),
            afterKeyword + 2 <= payload.upperBound,
            payload.count <= Self.metadataLimit
        else {
            stripped.insert("text")
            return
        }
        stripped.insert("XMP")
        guard isInternational else {
            // One byte names the compression method; there is only one.
            xmp =
                inflated(UnsafeRawBufferPointer(rebasing: bytes[afterKeyword + 1..<payload.upperBound]))
                ?? xmp
            return
        }
        // The two bytes about compression are followed by two terminated texts.
        var start = afterKeyword + 2
        for _ in 0..<2 {
            start += bytes[start..<payload.upperBound].prefix { $0 != 0 }.count + 1
            guard start <= payload.upperBound else { return }
        }
        let packet = UnsafeRawBufferPointer(rebasing: bytes[start..<payload.upperBound])
        xmp = bytes[afterKeyword] == 0 ? Array(packet) : inflated(packet) ?? xmp
    }
}
