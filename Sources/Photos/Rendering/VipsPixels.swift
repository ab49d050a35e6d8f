import CVips
import CVipsShims
import Imaging

/// The only owner of a libvips image.
struct VipsPixels: ~Copyable {
    private let image: UnsafeMutablePointer<VipsImage>

    private init(owning image: UnsafeMutablePointer<VipsImage>) { self.image = image }

    deinit { shim_release(image) }

    /// An error message of libvips or a codec; not meant for uploaders.
    struct Failure: Error {
        var text: String
        /// Whether the decoder could not make pixels of the photo. Otherwise something was done to pixels that it had made.
        var isOfDecoder: Bool

        /// Takes the text from libvips' error buffer and empties the buffer.
        static func current() -> Failure {
            defer { vips_error_clear() }
            return Failure(
                text: String(String(cString: vips_error_buffer()).prefix(500)),
                isOfDecoder: shim_decoder_failed() != 0)
        }
    }

    /// Throws if a decoder has issued a warning since the last file was opened, even if decoding went on.
    ///
    /// libvips 8.14 checks for warnings before it reads rows of a JPEG, not after, and so misses those
    /// of the last rows. But it keeps their text.
    static func checkComplaints(of format: PhotoFormat) throws(Failure) {
        guard format == .jpeg, String(cString: vips_error_buffer()).contains("VipsJpeg") else { return }
        var complaint = Failure.current()
        complaint.isOfDecoder = true
        throw complaint
    }

    private typealias Out = UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>

    private static func make(_ operation: (Out) -> CInt) throws(Failure) -> VipsPixels {
        var result: UnsafeMutablePointer<VipsImage>?
        guard operation(&result) == 0, let result else {
            if let result { shim_release(result) }
            throw .current()
        }
        return VipsPixels(owning: result)
    }

    /// Opens an image lazily. `bytes` must outlive it and every image made from it.
    static func open(
        _ bytes: UnsafeRawBufferPointer, of container: Container, shrink: Int = 1, strict: Bool,
        allFrames: Bool = false
    ) throws(Failure) -> VipsPixels {
        let loader =
            switch container.format {
            case .jpeg: SHIM_JPEG
            case .png: SHIM_PNG
            case .webp: SHIM_WEBP
            case .gif: SHIM_GIF
            case .tiff: SHIM_TIFF
            case .heic, .avif: SHIM_HEIF
            }
        vips_error_clear()
        return try make {
            shim_load(
                loader, bytes.baseAddress, bytes.count, CInt(shrink), strict ? 1 : 0, CInt(container.page),
                allFrames ? -1 : 1, $0)
        }
    }

    var width: Int { Int(vips_image_get_width(image)) }
    var height: Int { Int(vips_image_get_height(image)) }
    var bands: Int { Int(vips_image_get_bands(image)) }
    var hasAlpha: Bool { vips_image_hasalpha(image) != 0 }
    /// The height of each frame, if all frames were opened.
    var frameHeight: Int { Int(vips_image_get_page_height(image)) }
    var isEightBit: Bool { vips_image_get_format(image) == VIPS_FORMAT_UCHAR }

    enum Colours {
        case grey, rgb, cmyk, lab
    }

    var colours: Colours {
        switch vips_image_get_interpretation(image) {
        case VIPS_INTERPRETATION_CMYK: .cmyk
        case VIPS_INTERPRETATION_LAB, VIPS_INTERPRETATION_LABQ, VIPS_INTERPRETATION_LABS: .lab
        default: bands < 3 ? .grey : .rgb
        }
    }

    /// Whether a profile's colour space is that of the pixels (ICC.1:2022, 7.2.8). Browsers ignore a profile of another one.
    ///
    /// - Parameter asGrey: whether red, green and blue are the same.
    func fits(profile: [UInt8], asGrey: Bool) -> Bool {
        let space: StaticString? =
            switch colours {
            case .grey: "GRAY"
            case .rgb where asGrey && ColourProfile.isGrey(profile): "GRAY"
            case .rgb: "RGB "
            case .cmyk: "CMYK"
            case .lab: nil
            }
        guard let space else { return false }
        return profile.withUnsafeBytes { $0.has(space, at: 16) }
    }

    /// Three bands of 8 bits that need no conversion except by a profile.
    var isPlainRGB: Bool {
        isEightBit && bands == 3 && vips_image_get_interpretation(image) == VIPS_INTERPRETATION_sRGB
    }

    /// A metadata block that the loader attached.
    func blob(_ name: String) -> [UInt8]? {
        guard vips_image_get_typeof(image, name) != 0 else { return nil }
        var data: UnsafeRawPointer?
        var length = 0
        guard vips_image_get_blob(image, name, &data, &length) == 0, let data else {
            vips_error_clear()
            return nil
        }
        return [UInt8](UnsafeRawBufferPointer(start: data, count: length))
    }

    /// Makes decoding fail once the process has used so much more CPU time.
    static func limitCPU(seconds: Int) { shim_limit_cpu(Double(seconds)) }

    /// Throws once the time of ``limitCPU(seconds:)`` is used up.
    static func checkCPULimit() throws(Failure) {
        guard shim_cpu_limit_was_hit() == 0 else { throw .current() }
    }

    func resized(width: Int, height: Int) throws(Failure) -> VipsPixels {
        try Self.make {
            shim_resize(image, Double(width) / Double(self.width), Double(height) / Double(self.height), $0)
        }
    }

    func cropped(left: Int, top: Int, width: Int, height: Int) throws(Failure) -> VipsPixels {
        try Self.make { shim_crop(image, CInt(left), CInt(top), CInt(width), CInt(height), $0) }
    }

    /// The largest square in the centre.
    func centreSquare() throws(Failure) -> VipsPixels {
        let side = min(width, height)
        return try cropped(left: (width - side) / 2, top: (height - side) / 2, width: side, height: side)
    }

    func attentionSquare(side: Int) throws(Failure) -> VipsPixels {
        try Self.make { shim_attention_crop(image, CInt(side), $0) }
    }

    /// Without all but the first `bands` values of each pixel.
    func first(_ bands: Int) throws(Failure) -> VipsPixels {
        try Self.make { shim_first_bands(image, CInt(bands), $0) }
    }

    /// Red alone, as grey, and any transparency.
    func grey() throws(Failure) -> VipsPixels { try Self.make { shim_grey(image, $0) } }
    func unpremultiplied() throws(Failure) -> VipsPixels { try Self.make { shim_unpremultiply(image, $0) } }
    func expandedToFullRange() throws(Failure) -> VipsPixels {
        try Self.make { shim_expand_range(image, $0) }
    }
    func flattened() throws(Failure) -> VipsPixels { try Self.make { shim_flatten(image, $0) } }
    /// Converts by `profile`, which is embedded, else by a common one. Uses the relative colorimetric intent unless the profile has
    /// but the perceptual one.
    func transformedToSRGB(by profile: [UInt8]?) throws(Failure) -> VipsPixels {
        let fallback = colours == .cmyk ? "cmyk" : "srgb"
        let isPerceptual = profile.map { ColourProfile.isPerceptualOnly($0) } ?? false
        let intent = isPerceptual ? VIPS_INTENT_PERCEPTUAL : VIPS_INTENT_RELATIVE
        return try Self.make {
            shim_transform_to_srgb(image, profile == nil ? 0 : 1, fallback, intent, $0)
        }
    }
    func convertedToSRGB(keepingAlpha: Bool) throws(Failure) -> VipsPixels {
        try Self.make { shim_convert_to_srgb(image, keepingAlpha ? 1 : 0, $0) }
    }
    /// Converts pixels in memory to sRGB by the meaning of their numbers. Light of high dynamic range is brought to the range of
    /// a page by ``ToneCurve``, from the brightest light of the picture; a thousandth of the pixels may be brighter.
    func inSRGB(from points: CodePoints) throws(Failure) -> VipsPixels {
        let linear = ToneCurve.linear(points.curve, largest: largestValue, count: isEightBit ? 256 : 65_536)
        let weights = points.toXYZ.rows[1].map { Float($0) }
        let matrix = points.toSRGB.rows.flatMap { $0.map { Float($0) } }
        var colours = ShimColours()
        colours.luminance = (weights[0], weights[1], weights[2])
        if points.curve == .hlg {
            colours.system_exponent = Float(ToneCurve.hlgGamma - 1)
            colours.system_scale = Float(ToneCurve.hlgPeak / ToneCurve.white)
        }
        withUnsafeMutableBytes(of: &colours.matrix) { target in
            matrix.withUnsafeBytes { target.copyMemory(from: $0) }
        }
        var gains: [Float] = []
        if points.curve == .hlg || points.curve == .pq {
            let most = Float(ToneCurve.brightest / ToneCurve.white)
            var brightest: Float = 0
            guard shim_brightest(image, &colours, linear, most, 0.001, &brightest) == 0 else {
                throw .current()
            }
            colours.brightest = brightest
            if brightest > 1 { gains = ToneCurve.gains(brightest: Double(brightest), count: 4096) }
        }
        return try Self.make { shim_map_colours(image, &colours, linear, gains, CInt(gains.count), $0) }
    }

    /// The value of white. libvips shifts HEIF's 10 and 12 bits to the upper end of 16.
    private var largestValue: Int {
        guard !isEightBit else { return 255 }
        var bits: CInt = 16
        if vips_image_get_typeof(image, "heif-bitdepth") != 0 {
            vips_image_get_int(image, "heif-bitdepth", &bits)
        }
        return 8...16 ~= bits ? 65_536 - 1 << (16 - bits) : 65_535
    }

    func evaluated() throws(Failure) -> VipsPixels { try Self.make { shim_evaluate(image, $0) } }
    func oriented(_ orientation: Int) throws(Failure) -> VipsPixels {
        try Self.make { shim_orient(image, CInt(orientation), $0) }
    }

    /// Joins `frames` to an animation, with the frame times of this image.
    func animation(of frames: consuming [Shared]) throws(Failure) -> VipsPixels {
        var images: [UnsafeMutablePointer<VipsImage>?] = frames.map { $0.pixels.image }
        let animation = try Self.make { shim_join_frames(&images, CInt(images.count), image, $0) }
        return try withExtendedLifetime(frames) { () throws(Failure) in try animation.evaluated() }
    }

    /// An image in a list of images.
    final class Shared {
        let pixels: VipsPixels

        init(_ pixels: consuming VipsPixels) { self.pixels = pixels }
    }

    /// A small picture that is fully transparent.
    static func clear() throws(Failure) -> VipsPixels {
        let side = 16
        let samples = [UInt8](repeating: 0, count: side * side * 4)
        return try make {
            shim_image_from_samples(samples, CInt(side), CInt(side), 4, VIPS_INTERPRETATION_sRGB, $0)
        }
    }

    /// All samples, interleaved, rows from top to bottom.
    func samples() throws(Failure) -> [UInt8] {
        var bytes: UnsafeMutableRawPointer?
        var length = 0
        guard shim_samples(image, &bytes, &length) == 0, let bytes else { throw .current() }
        defer { shim_free(bytes) }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: length))
    }

    /// Encodes without metadata but `credit` and passes the bytes to a closure.
    func withEncoded<Result>(
        _ encoding: RenditionEncoding, _ credit: PhotoCredit?,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        var bytes: UnsafeMutableRawPointer?
        var length = 0
        let packet = credit.map { CreditPacket.bytes($0) } ?? []
        let (quality, effort) = (CInt(encoding.quality), CInt(encoding.effort))
        let status =
            switch encoding.format {
            case .jpeg: shim_save_jpeg(image, quality, encoding.isProgressive ? 1 : 0, &bytes, &length)
            case .webp: shim_save_webp(image, quality, effort, packet, packet.count, &bytes, &length)
            case .avif: shim_save_avif(image, quality, effort, &bytes, &length)
            }
        guard status == 0, let bytes else { throw Failure.current() }
        defer { shim_free(bytes) }
        let file = UnsafeRawBufferPointer(start: bytes, count: length)
        guard !packet.isEmpty, encoding.format != .webp else { return try body(file) }
        let credited =
            encoding.format == .jpeg
            ? CreditPacket.inserted(packet, intoJPEG: file) : CreditPacket.inserted(packet, intoAVIF: file)
        guard let credited else {
            throw RendererError(.faulted, "The encoder's file has a form that credit cannot be added to.")
        }
        return try credited.withUnsafeBytes(body)
    }
}
