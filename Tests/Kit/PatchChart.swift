import CVips
import CVipsShims

/// A chart of plain colours, encoded with or without a colour profile.
package struct PatchChart: Sendable {
    package enum Model: Sendable, CaseIterable {
        case grey, rgb, cmyk

        fileprivate var channels: Int { self == .grey ? 1 : self == .rgb ? 3 : 4 }
    }

    package var model: Model
    package var bits: Int
    package var profile: [UInt8]?
    /// Whether there is an alpha channel; if so, the lower half of the chart is half transparent.
    package var hasAlpha = false
    /// How the colours in sRGB, from 0 to 1, are stored, if not as they are.
    package var meaning: (@Sendable ([Double]) -> [Double])?

    package init(_ model: Model, bits: Int = 8, profile: [UInt8]? = nil, hasAlpha: Bool = false) {
        (self.model, self.bits, self.profile, self.hasAlpha) = (model, bits, profile, hasAlpha)
    }

    package static let columns = 8
    package static let rows = 6
    package static let count = columns * rows
    package static let side = 40

    /// The 24 colours of the ColorChecker in sRGB, with skin, foliage, sky and greys.
    private static let checker: [[Double]] = [
        [115, 82, 68], [194, 150, 130], [98, 122, 157], [87, 108, 67], [133, 128, 177], [103, 189, 170],
        [214, 126, 44], [80, 91, 166], [193, 90, 99], [94, 60, 108], [157, 188, 64], [224, 163, 46],
        [56, 61, 150], [70, 148, 73], [175, 54, 60], [231, 199, 31], [187, 86, 149], [8, 133, 161],
        [243, 243, 242], [200, 200, 200], [160, 160, 160], [122, 122, 121], [85, 85, 85], [52, 52, 52],
    ]

    /// Greys from black to white, full and half primaries and their mixtures, and the checker.
    private static let colours: [[Double]] = {
        let corners: [[Double]] = [
            [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 0.5, 0], [0.5, 0, 1],
        ]
        let greys = (0..<columns).map { [Double](repeating: Double($0) / Double(columns - 1), count: 3) }
        let halves = corners.map { corner in corner.map { 0.2 + 0.5 * $0 } }
        return greys + corners + halves + checker.map { colour in colour.map { $0 / 255 } }
    }()

    /// The stored channels of each patch, row by row, from 0 to 1, without the alpha channel.
    package var patches: [[Double]] {
        let largest = Double(1 << bits - 1)
        return Self.colours.indices.map { index in
            let rgb = Self.colours[index]
            let channels: [Double]
            switch model {
            case .grey: channels = [Double(index) / Double(Self.count - 1)]
            case .rgb: channels = meaning?(rgb) ?? rgb
            case .cmyk:
                let black = (1 - rgb.max()!) * 0.7
                channels = rgb.map { max(0, 1 - $0 - black) } + [black]
            }
            return channels.map { ($0 * largest).rounded() / largest }
        }
    }

    /// The colours in sRGB, from 0 to 255.
    package static var srgb: [[Double]] { colours.map { $0.map { $0 * 255 } } }

    /// One value per patch, from 0 to 1.
    package var opacities: [Double] {
        (0..<Self.count).map { hasAlpha && $0 >= Self.count / 2 ? Double(1 << (bits - 1)) / largest : 1 }
    }

    private var largest: Double { Double(1 << bits - 1) }

    /// - Parameter suffix: the suffix of libvips' saver with options, such as ".png".
    package func encoded(_ suffix: String) -> [UInt8] {
        precondition(shim_start_unconfined() == 0)
        let (width, height) = (Self.columns * Self.side, Self.rows * Self.side)
        let pixels = zip(patches, opacities).map { colour, opacity in
            (colour + (hasAlpha ? [opacity] : [])).map { UInt16(($0 * largest).rounded()) }
        }
        let samples = (0..<height).flatMap { y in
            (0..<width).flatMap { x in pixels[y / Self.side * Self.columns + x / Self.side] }
        }
        let bands = CInt(pixels[0].count)
        let image =
            bits == 8
            ? Self.image(samples.map { UInt8($0) }, width, height, bands, VIPS_FORMAT_UCHAR)
            : Self.image(samples, width, height, bands, VIPS_FORMAT_USHORT)
        defer { shim_release(image) }
        image.pointee.Type =
            switch model {
            case .grey: bits == 8 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_GREY16
            case .rgb: bits == 8 ? VIPS_INTERPRETATION_sRGB : VIPS_INTERPRETATION_RGB16
            case .cmyk: VIPS_INTERPRETATION_CMYK
            }
        if let profile { vips_image_set_blob_copy(image, "icc-profile-data", profile, profile.count) }
        var bytes: UnsafeMutableRawPointer?
        var length = 0
        precondition(
            shim_save(image, suffix, &bytes, &length) == 0, String(cString: vips_error_buffer()))
        defer { shim_free(bytes) }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: length))
    }

    private static func image<Sample>(
        _ samples: [Sample], _ width: Int, _ height: Int, _ bands: CInt, _ format: VipsBandFormat
    ) -> UnsafeMutablePointer<VipsImage> {
        samples.withUnsafeBytes {
            vips_image_new_from_memory_copy(
                $0.baseAddress, $0.count, CInt(width), CInt(height), bands, format)!
        }
    }

    /// The mean colour in the middle of each patch in an image of the chart.
    package static func patches(in pixels: PhotoPixels) -> [[Double]] {
        let (width, height) = (pixels.width / columns, pixels.height / rows)
        return (0..<count).map { index in
            var sums = [Double](repeating: 0, count: pixels.bands)
            let (left, top) = (index % columns * width, index / columns * height)
            for y in top + height / 4..<top + height * 3 / 4 {
                for x in left + width / 4..<left + width * 3 / 4 {
                    let base = (y * pixels.width + x) * pixels.bands
                    for band in sums.indices { sums[band] += Double(pixels.samples[base + band]) }
                }
            }
            let area = Double((height * 3 / 4 - height / 4) * (width * 3 / 4 - width / 4))
            return sums.map { $0 / area }
        }
    }
}
