import Glibc
import TestKit
import Testing

/// One photo of the acceptance matrix.
struct MatrixCell: Sendable, CustomTestStringConvertible {
    let format: String
    let variant: String
    let colours: PhotoFixture.Colours
    let bits: Int
    let width: Int
    let height: Int
    let make: @Sendable (_ width: Int, _ height: Int) -> [UInt8]

    var megapixels: Int { (width * height + 500_000) / 1_000_000 }

    var testDescription: String {
        "\(format) \(variant) \(colours.rawValue) \(bits) bits \(width)x\(height)"
    }
}

extension MatrixCell {
    /// The format of which all sizes are tried, or "all" (`make matrix`).
    private static let wanted = getenv("DARKROOM_MATRIX").map { String(cString: $0) }
    static let isWhole = wanted != nil

    /// How many cells to leave out, to go on with a matrix that was stopped.
    static let skipped = getenv("DARKROOM_MATRIX_SKIP").flatMap { Int(String(cString: $0)) } ?? 0

    static let chosen: [MatrixCell] =
        isWhole ? Array(whole.filter { wanted == "all" || wanted == $0.format }.dropFirst(skipped)) : large

    /// Each kind of photo with few pixels.
    static let small: [MatrixCell] = kinds.map { $0.sized(300, 200) }

    /// One large photo of each format, in the gate of some.
    private static let large: [MatrixCell] =
        largeKinds.every(3).compactMap { kind(named: $0)?.sized(6200, 6200) }

    /// One of each format: with 8 bits and RGB, the variant that takes the most memory.
    static let largeKinds = [
        "JPEG progressive", "PNG interlaced", "WebP lossless", "TIFF one strip", "GIF plain", "HEIC grid",
        "AVIF grid",
    ]

    static func kind(named name: String) -> MatrixCell? {
        kinds.first { "\($0.format) \($0.variant)" == name && $0.bits == 8 && $0.colours == .rgb }
    }

    /// Each kind of photo with 1 to 251 megapixels, the largest first, and the longest sides.
    private static let whole: [MatrixCell] =
        [15_811, 15_840, 14_140, 11_500, 10_000, 8367, 6325, 3464, 1000].flatMap { side in
            kinds.map { $0.sized(side, side) }
        }
        + [(65_500, 1500), (1500, 65_500), (65_501, 1000), (10_000, 100), (10_100, 100)].flatMap { size in
            kinds.filter { $0.canHave(side: max(size.0, size.1)) && $0.colours == .rgb }.map {
                $0.sized(size.0, size.1)
            }
        }

    /// Whether a picture of this kind can be made whose longer side has this many pixels. libjpeg writes at most 65,500.
    private func canHave(side: Int) -> Bool {
        side <= 65_500 && format == "JPEG" || ["PNG", "TIFF", "GIF"].contains(format)
    }

    private func sized(_ width: Int, _ height: Int) -> MatrixCell {
        MatrixCell(
            format: format, variant: variant, colours: colours, bits: bits, width: width, height: height,
            make: make)
    }

    private static func kind(
        _ format: String, _ variant: String, _ colours: PhotoFixture.Colours = .rgb, bits: Int = 8,
        _ make: @escaping @Sendable (Int, Int) -> [UInt8]
    ) -> MatrixCell {
        MatrixCell(
            format: format, variant: variant, colours: colours, bits: bits, width: 0, height: 0, make: make)
    }

    /// A kind that libvips encodes with the options of `suffix`.
    private static func encoded(
        _ format: String, _ variant: String, _ colours: PhotoFixture.Colours, bits: Int = 8, frames: Int = 1,
        isFlat: Bool = false, suffix: String
    ) -> MatrixCell {
        kind(format, variant, colours, bits: bits) {
            PhotoFixture.pattern(
                width: $0, height: $1, colours, bits: bits, isFlat: isFlat, suffix: suffix, frames: frames)
        }
    }

    private static let kinds = jpeg + png + webp + tiff + gif + heif

    private static let jpeg = [("baseline", ""), ("progressive", ",interlace")].flatMap { variant, option in
        [PhotoFixture.Colours.grey, .rgb, .cmyk].map {
            encoded("JPEG", variant, $0, suffix: ".jpg[Q=60,strip\(option)]")
        }
    }

    private static let png =
        [("plain", ""), ("interlaced", ",interlace")].flatMap { variant, option in
            [PhotoFixture.Colours.grey, .greyAlpha, .rgb, .rgba].flatMap { colours in
                [8, 16].map {
                    encoded(
                        "PNG", variant, colours, bits: $0, suffix: ".png[compression=1,strip\(option)]")
                }
            }
        } + [encoded("PNG", "palette", .rgb, suffix: ".png[compression=1,strip,palette,effort=1]")]

    private static let webp =
        [("lossy", "Q=50,effort=1"), ("lossless", "lossless,effort=0")].flatMap { variant, option in
            [PhotoFixture.Colours.rgb, .rgba].map {
                // With losses, libwebp encodes 250 megapixels only if they are of one colour, and not at the least effort.
                encoded("WebP", variant, $0, isFlat: variant == "lossy", suffix: ".webp[strip,\(option)]")
            }
        } + [
            encoded("WebP", "2 frames", .rgba, frames: 2, isFlat: true, suffix: ".webp[strip,Q=50,effort=1]")
        ]

    private static let tiff =
        [("strips", ""), ("tiled", ",tile")].flatMap { variant, option in
            [PhotoFixture.Colours.grey, .greyAlpha, .rgb, .rgba, .cmyk].flatMap { colours in
                [8, 16].map {
                    encoded(
                        "TIFF", variant, colours, bits: $0,
                        suffix: ".tif[compression=deflate,strip\(option)]")
                }
            }
        }
        + [(PhotoFixture.Colours.grey, 1, 8), (.rgb, 3, 8), (.rgb, 3, 16), (.rgba, 4, 16)].map {
            colours, bands, bits in
            kind("TIFF", "one strip", colours, bits: bits) {
                PhotoFixture.oneStripTIFF(width: $0, height: $1, bands: bands, bits: bits)
            }
        } + [encoded("TIFF", "JPEG", .rgb, suffix: ".tif[compression=jpeg,Q=60,strip,tile]")]

    private static let gif = [
        kind("GIF", "plain") { PhotoFixture.flatGIF(width: $0, height: $1) },
        kind("GIF", "interlaced") { PhotoFixture.flatGIF(width: $0, height: $1, isInterlaced: true) },
        kind("GIF", "transparent", .rgba) {
            PhotoFixture.flatGIF(width: $0, height: $1, isTransparent: true)
        },
        kind("GIF", "2 frames") { PhotoFixture.flatGIF(width: $0, height: $1, frames: 2) },
    ]

    /// One picture of noise would take minutes to encode.
    private static let heif = [HEIFFixture.Codec.hevc, .av1].flatMap { codec -> [MatrixCell] in
        let format = codec == .hevc ? "HEIC" : "AVIF"
        // libheif 1.15 aborts if it has to write AVIF of 10 bits.
        return (codec == .hevc ? [8, 10, 12] : [8, 12]).flatMap { bits in
            [false, true].map { hasAlpha in
                kind(format, "grid", hasAlpha ? .rgba : .rgb, bits: bits) {
                    // What tiles share is decoded for each: a thousand of good quality are more than a photo may have.
                    HEIFFixture.grid(
                        codec, width: $0, height: $1, bits: bits, hasAlpha: hasAlpha, quality: 10)
                }
            }
                + [PhotoFixture.Colours.rgb, .rgba].filter { _ in codec == .av1 }.map { colours in
                    kind(format, "single", colours, bits: bits) {
                        PhotoFixture.pattern(
                            width: $0, height: $1, colours, bits: bits == 8 ? 8 : 16, isFlat: true,
                            suffix: ".avif[Q=50,effort=0,strip,bitdepth=\(bits)]")
                    }
                }
        }
            + (codec == .hevc
                ? [encoded(format, "single", .rgb, isFlat: true, suffix: ".heic[Q=50,strip]")] : [])
    }
}
