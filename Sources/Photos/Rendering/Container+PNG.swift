import Imaging

extension Container {
    /// Walks a PNG and keeps the chunks that are needed for pixels and colours.
    static func readPNG(_ bytes: UnsafeRawBufferPointer) throws(PhotoRejection) -> Container {
        var result = Container(format: .png)
        var essence = bytes.copy(0..<8)
        essence.reserveCapacity(bytes.count)
        var position = 8
        var (sawPalette, sawData) = (false, false)
        var once: Set<String> = []
        // What says how the numbers become colours, and whether something says more.
        var colours = CodePoints(primaries: 1, transfer: 13)
        var hasICC = false
        var isSRGB = false
        var (profile, colourSpace): ([UInt8], [UInt8]) = ([], [])
        /// What counts of cICP, iCCP and sRGB, before the palette and the pixels: else the decoder ignores it, and a profile
        /// behind sRGB.
        func placeProfile() {
            if result.codePoints?.isPlainSRGB != true { essence += hasICC ? profile : colourSpace }
            (profile, colourSpace) = ([], [])
        }
        func end() {
            if !isSRGB { result.codePointsWithoutProfile = colours }
            essence += [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
            result.essence = essence
        }
        while true {
            let length = bytes.big32(position) ?? 0
            guard length <= 0x7FFF_FFFF else { throw corrupt("A chunk claims \(length) bytes.") }
            guard position + 12 <= bytes.count, length <= bytes.count - position - 12 else {
                // What is behind the pixels is not missed. The decoder tells whether these are whole.
                guard sawData, !bytes.has("IDAT", at: position + 4) else { throw truncated }
                end()
                result.endsEarly = true
                return result
            }
            let payload = position + 8..<position + 8 + length
            let whole = position..<position + 12 + length
            if position == 8 {
                if bytes.has("CgBI", at: 12) {
                    throw PhotoRejection(
                        .unsupportedFormat,
                        "This PNG is made for an iPhone's app, and nothing else shows it. Please upload the original photo."
                    )
                }
                guard bytes.has("IHDR", at: 12), length == 13, let width = bytes.big32(16),
                    let height = bytes.big32(20)
                else { throw corrupt("The first chunk is not IHDR.") }
                result.size = (width, height)
                // Values by the colour type; a palette is expanded. Transparency may come from a chunk.
                let values = [0: 2, 2: 4, 3: 4, 4: 2, 6: 4][bytes[25]] ?? 4
                result.pixelBytes = bytes[24] == 16 ? values * 2 : values
            } else if bytes.has("IHDR", at: position + 4) {
                throw corrupt("There is a second IHDR.")
            }
            let name = bytes.copy(position + 4..<position + 8)
            position = whole.upperBound
            let chunk = String(decoding: name, as: UTF8.self)
            // What says something of the colours stands before them, and once. (The specification, 5.6.)
            if ["sRGB", "gAMA", "cHRM", "sBIT", "cICP", "tRNS"].contains(chunk) {
                let isLate = sawData || sawPalette && chunk != "tRNS"
                let checked = UnsafeRawBufferPointer(rebasing: bytes[whole.dropFirst(4).dropLast(4)])
                guard !isLate, bytes.big32(payload.upperBound) == checksum(checked),
                    once.insert(chunk).inserted
                else { continue }
            }
            switch chunk {
            case "IDAT":
                placeProfile()
                sawData = true
                essence.append(contentsOf: bytes[whole])
            case "IEND":
                if position < bytes.count { result.stripped.insert("trailing data") }
                guard sawData else { throw corrupt("There is no IDAT.") }
                end()
                return result
            case "iCCP":
                result.stripped.insert("ICC")
                result.note(profile: length)
                if length <= profileLimit, !hasICC { profile = Array(bytes[whole]) }
                hasICC = true
            case "eXIf":
                result.stripped.insert("EXIF")
                result.note(metadata: length)
                if length <= metadataLimit { result.note(exif: bytes[payload]) }
            case "iTXt", "tEXt", "zTXt":
                result.note(metadata: length)
                guard length <= metadataLimit else {
                    result.stripped.insert("text")
                    continue
                }
                result.noteText(bytes, payload, name[0])
            case "cICP":
                // Primaries, transfer, matrix (none) and range (full) of a picture with high dynamic range or a wide gamut.
                if length == 4, bytes[payload.lowerBound + 2] == 0, bytes[payload.lowerBound + 3] == 1 {
                    result.codePoints = CodePoints(
                        primaries: Int(bytes[payload.lowerBound]),
                        transfer: Int(bytes[payload.lowerBound + 1]))
                }
            case "PLTE":
                sawPalette = true
                placeProfile()
                essence.append(contentsOf: bytes[whole])
            case "caBX": result.note(manifests: bytes[payload])
            case "fcTL":
                result.frames += 1
            case "fdAT", "acTL":
                break
            case "sRGB":
                isSRGB = true
                colourSpace = Array(bytes[whole])
            case "tRNS", "sBIT": essence.append(contentsOf: bytes[whole])
            // The decoder does nothing with these, but leaves out a profile that they contradict.
            case "gAMA": if length == 4 { colours.note(gamma: bytes.big32(payload.lowerBound)) }
            case "cHRM":
                if length == 32 {
                    colours.note(
                        chromaticities: (0..<8).map { bytes.big32(payload.lowerBound + 4 * $0) ?? 0 })
                }
            default:
                // Keep unknown critical chunks, so that the decoder refuses them.
                if name[0] & 0x20 == 0 { essence.append(contentsOf: bytes[whole]) }
            }
        }
    }

    /// Extracts XMP or EXIF from a text chunk (PNG specification, 11.3.3).
    ///
    /// - Parameter kind: the first letter of the chunk's name: `i`nternational, `t`ext or compressed (`z`).
    private mutating func noteText(
        _ bytes: UnsafeRawBufferPointer, _ payload: Range<Int>, _ kind: UInt8
    ) {
        let keyword = bytes[payload].prefix(80).prefix { $0 != 0 }
        let rest = payload.dropFirst(keyword.count + 1)
        let text = UnsafeRawBufferPointer(rebasing: bytes[rest])
        let name = String(decoding: keyword, as: UTF8.self)
        switch name {
        case "XML:com.adobe.xmp":
            stripped.insert("XMP")
            if let packet = plain(text, kind) { note(xmp: packet) }
        case "Raw profile type exif", "Raw profile type APP1", "Raw profile type xmp",
            "Raw profile type iptc", "Raw profile type 8bim":
            guard let profile = plain(text, kind).flatMap({ Self.rawProfile($0) }) else { fallthrough }
            if name.hasSuffix("xmp") || profile.starts(with: Self.xmpHeader) {
                note(xmp: profile)
            } else if name.hasSuffix("iptc") || name.hasSuffix("8bim") {
                stripped.insert("IPTC")
                if profile.first == 0x1C {
                    note(iptc: profile)
                } else {
                    profile.withUnsafeBytes { note(photoshopResources: $0) }
                }
            } else {
                note(exif: profile)
            }
        default:
            stripped.insert("text")
        }
    }

    /// A chunk's text after its keyword; nil if it is damaged or too long, or once there is more than any limit allows.
    ///
    /// The standard puts XMP into iTXt, plain or compressed; some programs write it compressed into zTXt.
    private mutating func plain(_ rest: UnsafeRawBufferPointer, _ kind: UInt8) -> [UInt8]? {
        guard metadataBytes <= Self.metadataLimit else { return nil }
        switch kind {
        case UInt8(ascii: "t"): return Array(rest)
        // One byte names the compression method; there is only one.
        case UInt8(ascii: "z"): return inflate(rest.dropFirst())
        default:
            // Two bytes about compression are followed by two terminated texts.
            guard rest.count >= 2 else { return nil }
            var start = 2
            for _ in 0..<2 { start += rest.dropFirst(start).prefix { $0 != 0 }.count + 1 }
            guard start <= rest.count else { return nil }
            return rest[0] == 0 ? Array(rest[start...]) : inflate(rest[start...])
        }
    }

    private mutating func inflate(_ stream: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        let (text, bytes) = inflated(UnsafeRawBufferPointer(rebasing: stream))
        note(metadata: bytes)
        return text
    }

    /// The bytes of a "raw profile", as ImageMagick writes them: a name, the number of bytes, and hexadecimal digits, each
    /// on lines of their own. Some files have more or fewer than that number. Nil if something else is among them.
    private static func rawProfile(_ text: [UInt8]) -> [UInt8]? {
        let lines = text.split(separator: 0x0A)
        guard lines.count > 2, let length = Int(String(decoding: lines[1].drop { $0 == 0x20 }, as: UTF8.self))
        else { return nil }
        let digits = lines[2...].joined().filter { ![0x20, 0x0D, 0x09].contains($0) }.map { digit in
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x61...0x66: digit - 0x57
            case 0x41...0x46: digit - 0x37
            default: UInt8.max
            }
        }
        let end = digits.firstIndex { $0 > 15 } ?? digits.endIndex
        guard length > 0, end >= 2, length - 16 <= end / 2, end == digits.endIndex || length <= end / 2
        else { return nil }
        return stride(from: 0, to: end - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
