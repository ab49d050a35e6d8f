import CVips
import CVipsShims
import Imaging

/// The one owner of a libvips image.
struct VipsPixels: ~Copyable {
    private let image: UnsafeMutablePointer<VipsImage>

    private init(owning image: UnsafeMutablePointer<VipsImage>) { self.image = image }

    deinit { shim_release(image) }

    /// What libvips or a codec said; not meant for uploaders.
    struct Failure: Error {
        var text: String

        /// Takes the text and empties libvips' error buffer.
        static func current() -> Failure {
            defer { vips_error_clear() }
            return Failure(text: String(String(cString: vips_error_buffer()).prefix(500)))
        }
    }

    /// Fails if a decoder complained since the last file was opened, although it went on.
    ///
    /// libvips 8.14 looks for warnings before it reads rows of a JPEG, not after, so that it misses those
    /// of the last rows; but it keeps their text.
    static func checkComplaints(of format: PhotoFormat) throws(Failure) {
        guard format == .jpeg, String(cString: vips_error_buffer()).contains("VipsJpeg") else { return }
        throw .current()
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

    /// Opens an image lazily; `bytes` must outlive it and all that is made from it.
    static func open(
        _ bytes: UnsafeRawBufferPointer, as format: PhotoFormat, shrink: Int = 1, strict: Bool
    ) throws(Failure) -> VipsPixels {
        let loader =
            switch format {
            case .jpeg: SHIM_JPEG
            case .png: SHIM_PNG
            case .webp: SHIM_WEBP
            case .gif: SHIM_GIF
            case .tiff: SHIM_TIFF
            case .heic, .avif: SHIM_HEIF
            }
        vips_error_clear()
        return try make {
            shim_load(loader, bytes.baseAddress, bytes.count, CInt(shrink), strict ? 1 : 0, $0)
        }
    }

    var width: Int { Int(vips_image_get_width(image)) }
    var height: Int { Int(vips_image_get_height(image)) }
    var bands: Int { Int(vips_image_get_bands(image)) }
    var pages: Int { Int(vips_image_get_n_pages(image)) }
    var isEightBit: Bool { vips_image_get_format(image) == VIPS_FORMAT_UCHAR }
    var isCMYK: Bool { vips_image_get_interpretation(image) == VIPS_INTERPRETATION_CMYK }
    /// Three bands of 8 bits that need no conversion but by a profile.
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

    func limitCPU(seconds: Double) { shim_limit_cpu(image, seconds) }

    func resized(width: Int, height: Int) throws(Failure) -> VipsPixels {
        try Self.make {
            shim_resize(image, Double(width) / Double(self.width), Double(height) / Double(self.height), $0)
        }
    }

    func centreSquare() throws(Failure) -> VipsPixels {
        let side = min(width, height)
        return try Self.make {
            shim_crop(
                image, CInt((width - side) / 2), CInt((height - side) / 2), CInt(side), CInt(side), $0)
        }
    }

    func flattened() throws(Failure) -> VipsPixels { try Self.make { shim_flatten(image, $0) } }
    func transformedToSRGB(fallback: String) throws(Failure) -> VipsPixels {
        try Self.make { shim_transform_to_srgb(image, fallback, $0) }
    }
    func convertedToSRGB() throws(Failure) -> VipsPixels { try Self.make { shim_convert_to_srgb(image, $0) } }
    func evaluated() throws(Failure) -> VipsPixels { try Self.make { shim_evaluate(image, $0) } }
    func oriented(_ orientation: Int) throws(Failure) -> VipsPixels {
        try Self.make { shim_orient(image, CInt(orientation), $0) }
    }

    /// Encodes a JPEG without metadata and lends its bytes.
    func withJPEG<Result>(
        quality: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        var bytes: UnsafeMutableRawPointer?
        var length = 0
        guard shim_save_jpeg(image, CInt(quality), &bytes, &length) == 0, let bytes else {
            throw Failure.current()
        }
        defer { shim_free(bytes) }
        return try body(UnsafeRawBufferPointer(start: bytes, count: length))
    }
}
