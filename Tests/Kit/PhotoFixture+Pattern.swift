import CVips
import CVipsShims

/// Pictures that can be as large as a limit, because they are never whole in memory.
extension PhotoFixture {
    package enum Colours: String, Sendable {
        case grey
        case greyAlpha = "grey+alpha"
        case rgb = "RGB"
        case rgba = "RGBA"
        case cmyk = "CMYK"

        var bands: Int {
            switch self {
            case .grey: 1
            case .greyAlpha: 2
            case .rgb: 3
            case .rgba, .cmyk: 4
            }
        }

        fileprivate func space(bits: Int) -> VipsInterpretation {
            switch self {
            case .grey, .greyAlpha: bits > 8 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W
            case .rgb, .rgba: bits > 8 ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB
            case .cmyk: VIPS_INTERPRETATION_CMYK
            }
        }
    }

    /// Faint noise that repeats, or one colour, encoded by libvips.
    ///
    /// - Parameter suffix: names the encoder and its options: ".png[interlace]".
    package static func pattern(
        width: Int, height: Int, _ colours: Colours = .rgb, bits: Int = 8, isFlat: Bool = false,
        suffix: String,
        frames: Int = 1
    ) -> [UInt8] {
        once("pattern \(width) \(height) \(colours) \(bits) \(isFlat) \(suffix) \(frames)") {
            patternNow(
                width: width, height: height, colours, bits: bits, isFlat: isFlat, suffix: suffix,
                frames: frames)
        }
    }

    private static func patternNow(
        width: Int, height: Int, _ colours: Colours, bits: Int, isFlat: Bool, suffix: String, frames: Int
    ) -> [UInt8] {
        precondition(isStarted)
        var image: UnsafeMutablePointer<VipsImage>?
        precondition(
            shim_pattern(
                CInt(width), CInt(height * frames), CInt(colours.bands), CInt(bits),
                isFlat ? 0 : 1, colours.space(bits: bits), &image) == 0)
        defer { shim_release(image) }
        if frames > 1 { vips_image_set_int(image, "page-height", CInt(height)) }
        var bytes: UnsafeMutableRawPointer?
        var length = 0
        precondition(shim_save(image, suffix, &bytes, &length) == 0, String(cString: vips_error_buffer()))
        defer { shim_free(bytes) }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: length))
    }

    /// A TIFF of one colour whose rows are all in one strip.
    ///
    /// - Parameter extraSamples: what the values after the colours mean; 2 is transparency.
    package static func oneStripTIFF(
        width: Int, height: Int, bands: Int, bits: Int, extraSamples: Int = 2
    ) -> [UInt8] {
        func little(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        // PackBits, row by row: 128 times the same byte, and the rest.
        let rowBytes = width * bands * bits / 8
        var row = (0..<rowBytes / 128).flatMap { _ in [0x81, 0x60] as [UInt8] }
        if rowBytes % 128 > 0 { row += [UInt8(truncatingIfNeeded: 257 - rowBytes % 128), 0x60] }
        var data: [UInt8] = []
        data.reserveCapacity(row.count * height)
        for _ in 0..<height { data += row }
        // Tag, type (3 short, 4 long), count, value.
        let entries = [
            (0x0100, 4, 1, width), (0x0101, 4, 1, height), (0x0102, 3, bands, 200), (0x0103, 3, 1, 32_773),
            (0x0106, 3, 1, bands < 3 ? 1 : 2), (0x0111, 4, 1, 220), (0x0115, 3, 1, bands),
            (0x0116, 4, 1, height), (0x0117, 4, 1, data.count), (0x0152, 3, 1, extraSamples),
        ].filter { $0.0 != 0x0152 || bands == 2 || bands == 4 }
        var bytes = Array("II*\0".utf8) + little(8, 4) + little(entries.count, 2)
        for entry in entries {
            // One or two values fit into the entry itself.
            let value = entry.0 == 0x0102 && bands < 3 ? bits | (bands == 2 ? bits << 16 : 0) : entry.3
            bytes += little(entry.0, 2) + little(entry.1, 2) + little(entry.2, 4) + little(value, 4)
        }
        bytes += [UInt8](repeating: 0, count: 200 - bytes.count)
        bytes += (0..<bands).flatMap { _ in little(bits, 2) }
        return bytes + [UInt8](repeating: 0, count: 220 - bytes.count) + data
    }

    /// A GIF of one colour, which the compression makes small.
    package static func flatGIF(
        width: Int, height: Int, frames: Int = 1, isInterlaced: Bool = false, isTransparent: Bool = false
    ) -> [UInt8] {
        let size = [UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255), UInt8(height >> 8)]
        let palette: [UInt8] = [120, 120, 120, 220, 30, 30, 30, 200, 30, 30, 30, 220]
        let run = compressedRun(of: width * height)
        var frame: [UInt8] = [0x21, 0xF9, 4, isTransparent ? 1 : 0, 7, 0, 0, 0]
        frame += [0x2C, 0, 0, 0, 0] + size + [isInterlaced ? 0x40 : 0, 2]
        for start in stride(from: 0, to: run.count, by: 255) {
            let block = run[start..<min(start + 255, run.count)]
            frame += [UInt8(block.count)] + block
        }
        frame.append(0)
        return Array("GIF89a".utf8) + size + [0x81, 0, 0] + palette
            + Array(repeating: frame, count: frames).flatMap { $0 } + [0x3B]
    }

    /// `count` pixels of colour 0 in GIF's variant of LZW. Each code stands for one pixel more than the one before.
    private static func compressedRun(of count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var (bits, filled) = (0, 0)
        func emit(_ code: Int, _ size: Int) {
            bits |= code << filled
            filled += size
            while filled >= 8 {
                bytes.append(UInt8(bits & 255))
                bits >>= 8
                filled -= 8
            }
        }
        let (clear, end) = (4, 5)
        var left = count
        var size = 3
        while left > 0 {
            emit(clear, size)
            size = 3
            emit(0, size)
            left -= 1
            var code = 6
            while left > 0, code < 4096 {
                let length = min(left, code - 4)
                emit(length == 1 ? 0 : length + 4, size)
                left -= length
                code += 1
                if code == 1 << size, size < 12 { size += 1 }
            }
        }
        emit(end, size)
        emit(0, 7)
        return bytes
    }
}
