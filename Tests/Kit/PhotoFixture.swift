import CVips
import CVipsShims
import Synchronization

/// Photos made in code. Shown upright, each has four quadrants: red at the top left, green at the top
/// right, blue at the bottom left, yellow at the bottom right.
package enum PhotoFixture {
    /// A JPEG.
    ///
    /// - Parameters:
    ///   - width: pixels as stored, before the orientation is applied; likewise `height`.
    ///   - takenAt: `2024:05:07 09:33:04`.
    ///   - offset: `+08:00`.
    ///   - caption: written as EXIF ImageDescription.
    ///   - seed: different seeds give different bytes.
    ///   - restart: blocks of pixels between two restart markers; 0 for none.
    ///   - profile: a colour profile built into libvips to attach: `srgb`, `p3`.
    ///   - change: changes the EXIF block at the end.
    package static func jpeg(
        width: Int = 640, height: Int = 480, latitude: Double? = nil, longitude: Double? = nil,
        takenAt: String? = nil, offset: String? = nil, orientation: Int = 1, caption: String? = nil,
        comment: String? = nil, xmp: String? = nil, trailing: [UInt8] = [], seed: Int = 0,
        progressive: Bool = false, restart: Int = 0, profile: String? = nil,
        change: (inout PhotoEXIF) -> Void = { _ in }
    ) -> [UInt8] {
        var exif = PhotoEXIF()
        if orientation != 1 { exif.set(.main, 0x0112, .short(UInt16(orientation))) }
        if let caption { exif.set(.main, 0x010E, .ascii(caption)) }
        if let takenAt { exif.set(.exif, 0x9003, .ascii(takenAt)) }
        if let offset { exif.set(.exif, 0x9011, .ascii(offset)) }
        if let latitude, let longitude { exif.setPosition(latitude: latitude, longitude: longitude) }
        change(&exif)
        var segments: [UInt8] = []
        if !exif.isEmpty { segments += segment(0xE1, Array("Exif\0\0".utf8) + exif.block) }
        if let xmp {
            segments += segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8))
        }
        if let profile {
            segments += segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + builtInProfile(profile))
        }
        if let comment { segments += segment(0xFE, Array(comment.utf8)) }
        let plain = encode(
            width: width, height: height, orientation: orientation, seed: seed,
            suffix: ".jpg[Q=90,strip,restart_interval=\(restart)\(progressive ? ",interlace" : "")]")
        return insert(segments, into: plain) + trailing
    }

    /// A PNG; on request, it has an alpha channel that is transparent in the bottom right quadrant.
    package static func png(
        width: Int = 64, height: Int = 48, hasAlpha: Bool = false, seed: Int = 0
    ) -> [UInt8] {
        encode(
            width: width, height: height, orientation: 1, seed: seed, suffix: ".png[strip]",
            hasAlpha: hasAlpha)
    }

    package static func webp(width: Int = 64, height: Int = 48, seed: Int = 0) -> [UInt8] {
        encode(width: width, height: height, orientation: 1, seed: seed, suffix: ".webp[lossless,strip]")
    }

    /// The mirror image of ``jpeg(width:height:)``.
    package static func mirrored(width: Int, height: Int) -> [UInt8] {
        encode(width: width, height: height, orientation: 2, seed: 0, suffix: ".jpg[Q=90,strip]")
    }

    /// Frames of one colour each: 0 is red, 1 green, 2 blue, 3 yellow, and so on; each for 70 ms, in three loops.
    ///
    /// - Parameter format: "gif" or "webp".
    package static func animation(width: Int = 64, height: Int = 48, frames: Int, format: String) -> [UInt8] {
        precondition(isStarted)
        let samples = (0..<frames).flatMap { frame in
            (0..<width * height).flatMap { _ in colours[frame % 4] }
        }
        return save(
            samples, width, height * frames, 3, space: VIPS_INTERPRETATION_sRGB,
            suffix: format == "webp" ? ".webp[lossless]" : ".gif"
        ) { image in
            vips_image_set_int(image, "page-height", CInt(height))
            vips_image_set_array_int(image, "delay", [CInt](repeating: 70, count: frames), CInt(frames))
            vips_image_set_int(image, "loop", 3)
        }
    }

    /// A TIFF whose colours are YCbCr, compressed as JPEG.
    package static func jpegTIFF(width: Int = 64, height: Int = 48) -> [UInt8] {
        encode(
            width: width, height: height, orientation: 1, seed: 0, suffix: ".tif[compression=jpeg,Q=80,strip]"
        )
    }

    /// An uncompressed grey TIFF of 2 x 2 pixels in YCbCr; without `subsampling`, the default is 2 x 2.
    package static func ycbcrTIFF(subsampling: [UInt16]?) -> [UInt8] {
        func little(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let isWhole = subsampling == [1, 1]
        let data: [UInt8] =
            isWhole ? Array(repeating: 128, count: 12) : [128, 128, 128, 128, 128, 128]
        // Tag, type (3 short, 4 long), count, value.
        var entries = [
            (0x0100, 3, 1, 2), (0x0101, 3, 1, 2), (0x0102, 3, 3, 200), (0x0103, 3, 1, 1), (0x0106, 3, 1, 6),
            (0x0111, 4, 1, 206), (0x0115, 3, 1, 3), (0x0116, 3, 1, 2), (0x0117, 4, 1, data.count),
        ]
        if let subsampling {
            entries.append((0x0212, 3, 2, Int(subsampling[0]) | Int(subsampling[1]) << 16))
        }
        var bytes = Array("II*\0".utf8) + little(8, 4) + little(entries.count, 2)
        for entry in entries {
            bytes += little(entry.0, 2) + little(entry.1, 2) + little(entry.2, 4) + little(entry.3, 4)
        }
        bytes += [UInt8](repeating: 0, count: 200 - bytes.count)
        return bytes + little(8, 2) + little(8, 2) + little(8, 2) + data
    }

    /// A GIF of one pixel with some frames.
    package static func gif(frames: Int) -> [UInt8] {
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0]
        return Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 220, 30, 30, 0, 0, 0]
            + Array(repeating: frame, count: frames).flatMap { $0 } + [0x3B]
    }

    /// A CMYK JPEG without a profile, of one colour; `ink` is 0 (none) to 255 (full).
    package static func cmykJPEG(width: Int, height: Int, ink: [UInt8]) -> [UInt8] {
        precondition(isStarted && ink.count == 4)
        return save(
            Array(repeating: ink, count: width * height).flatMap { $0 }, width, height, 4,
            space: VIPS_INTERPRETATION_CMYK, suffix: ".jpg[Q=95,strip]")
    }

    /// A JPEG of noise, which no encoder can make small.
    package static func noise(width: Int, height: Int) -> [UInt8] {
        precondition(isStarted)
        // Knuth's MMIX generator: the same bytes everywhere.
        var state: UInt64 = 1
        let samples = (0..<width * height * 3).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        return save(
            samples, width, height, 3, space: VIPS_INTERPRETATION_sRGB, suffix: ".jpg[Q=90,strip]")
    }

    /// A JPEG whose header claims other dimensions than its data has.
    package static func jpeg(claimingWidth width: Int, height: Int) -> [UInt8] {
        var bytes = jpeg(width: 64, height: 48)
        let frame = bytes.indices.dropLast(9).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 }!
        bytes[frame + 5] = UInt8(height >> 8)
        bytes[frame + 6] = UInt8(height & 255)
        bytes[frame + 7] = UInt8(width >> 8)
        bytes[frame + 8] = UInt8(width & 255)
        return bytes
    }

    /// The first `share` (0 to 1) of a photo, as in an upload that broke off.
    package static func truncated(_ bytes: [UInt8], to share: Double) -> [UInt8] {
        Array(bytes.prefix(Int(Double(bytes.count) * share)))
    }

    package static let empty: [UInt8] = []
    package static let text = Array("This is no photo, whatever its name says.\n".utf8)
    package static let svg = Array("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>".utf8)

    /// A marker segment with its length.
    package static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count + 2
        precondition(length <= 0xFFFF)
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
    }

    /// Puts segments after the JFIF header of a JPEG.
    package static func insert(_ segments: [UInt8], into jpeg: [UInt8]) -> [UInt8] {
        let jfifEnd = 4 + (Int(jpeg[4]) << 8 | Int(jpeg[5]))
        return jpeg[..<jfifEnd] + segments + jpeg[jfifEnd...]
    }
}

extension PhotoFixture {
    static let isStarted: Bool = shim_start_unconfined() == 0

    private static let made = Mutex<[String: [UInt8]]>([:])

    /// What `make` returns, which depends on `key` alone. It is made once: to encode a tile of HEIF takes longer than most tests.
    static func once(_ key: String, _ make: () -> [UInt8]) -> [UInt8] {
        if let bytes = made.withLock({ $0[key] }) { return bytes }
        let bytes = make()
        // Larger ones would fill the memory.
        if bytes.count <= 1 << 20 { made.withLock { $0[key] = bytes } }
        return bytes
    }

    private static let colours: [[UInt8]] = [[220, 30, 30], [30, 200, 30], [30, 30, 220], [230, 220, 30]]

    /// Which upright position is stored at (x, y), by the EXIF definition of the orientation.
    private static func upright(
        _ x: Int, _ y: Int, _ width: Int, _ height: Int, _ orientation: Int
    ) -> (x: Int, y: Int) {
        switch orientation {
        case 2: (width - 1 - x, y)
        case 3: (width - 1 - x, height - 1 - y)
        case 4: (x, height - 1 - y)
        case 5: (y, x)
        case 6: (height - 1 - y, x)
        case 7: (height - 1 - y, width - 1 - x)
        case 8: (y, width - 1 - x)
        default: (x, y)
        }
    }

    static func encode(
        width: Int, height: Int, orientation: Int, seed: Int, suffix: String, hasAlpha: Bool = false
    ) -> [UInt8] {
        once("picture \(width) \(height) \(orientation) \(seed) \(suffix) \(hasAlpha)") {
            encodeNow(
                width: width, height: height, orientation: orientation, seed: seed, suffix: suffix,
                hasAlpha: hasAlpha)
        }
    }

    private static func encodeNow(
        width: Int, height: Int, orientation: Int, seed: Int, suffix: String, hasAlpha: Bool
    ) -> [UInt8] {
        precondition(isStarted)
        let bands = hasAlpha ? 4 : 3
        let turned = orientation >= 5
        let (fullWidth, fullHeight) = turned ? (height, width) : (width, height)
        var samples = [UInt8](repeating: 255, count: width * height * bands)
        for y in 0..<height {
            for x in 0..<width {
                let at = upright(x, y, width, height, orientation)
                let quadrant = (at.x * 2 >= fullWidth ? 1 : 0) + (at.y * 2 >= fullHeight ? 2 : 0)
                let base = (y * width + x) * bands
                // A patch in the middle encodes the seed.
                let isPatch =
                    abs(at.x * 8 - fullWidth * 4) < fullWidth && abs(at.y * 8 - fullHeight * 4) < fullHeight
                for band in 0..<3 {
                    samples[base + band] =
                        isPatch
                        ? UInt8(truncatingIfNeeded: (seed + 1) &* (0x9E37 >> band) &+ at.x / 4 + at.y / 4)
                        : colours[quadrant][band]
                }
                if hasAlpha { samples[base + 3] = quadrant == 3 ? 0 : 255 }
            }
        }
        return save(
            samples, width, height, bands, space: VIPS_INTERPRETATION_sRGB, suffix: suffix)
    }

    /// An image that has the grey `transparent` where the fixture's bottom right quadrant is stored, and is white elsewhere.
    static func encodeMask(
        width: Int, height: Int, orientation: Int, transparent: UInt8, suffix: String
    ) -> [UInt8] {
        precondition(isStarted)
        let (fullWidth, fullHeight) = orientation >= 5 ? (height, width) : (width, height)
        var samples = [UInt8](repeating: 255, count: width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                let at = upright(x, y, width, height, orientation)
                guard at.x * 2 >= fullWidth, at.y * 2 >= fullHeight else { continue }
                for band in 0..<3 { samples[(y * width + x) * 3 + band] = transparent }
            }
        }
        return save(samples, width, height, 3, space: VIPS_INTERPRETATION_sRGB, suffix: suffix)
    }

    package static func builtInProfile(_ name: String) -> [UInt8] {
        var bytes: UnsafeMutableRawPointer?
        var length = 0
        precondition(isStarted && shim_profile(name, &bytes, &length) == 0)
        defer { shim_free(bytes) }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: length))
    }

    private static func save(
        _ samples: [UInt8], _ width: Int, _ height: Int, _ bands: Int, space: VipsInterpretation,
        suffix: String, prepare: (UnsafeMutablePointer<VipsImage>) -> Void = { _ in }
    ) -> [UInt8] {
        var image: UnsafeMutablePointer<VipsImage>?
        precondition(
            shim_image_from_samples(samples, CInt(width), CInt(height), CInt(bands), space, &image) == 0)
        defer { shim_release(image) }
        prepare(image!)
        var bytes: UnsafeMutableRawPointer?
        var length = 0
        precondition(
            shim_save(image, suffix, &bytes, &length) == 0, String(cString: vips_error_buffer()))
        defer { shim_free(bytes) }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: length))
    }
}
