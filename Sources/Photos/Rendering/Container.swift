import Imaging

/// What a walk over a file's container structure found, before anything is decoded.
struct Container {
    var format: PhotoFormat
    /// Pixels as stored, as the header claims; nil where only the decoder can tell.
    var size: (width: Int, height: Int)?
    var frames = 1
    var scans = 1
    /// The TIFF block of the EXIF metadata, without any "Exif" prefix.
    var exif: [UInt8]?
    var xmp: [UInt8]?
    var icc: [UInt8]?
    /// Bytes of the largest EXIF block or XMP packet, and of the colour profile, as found.
    private(set) var metadataBytes = 0
    private(set) var profileBytes = 0
    var stripped: Set<String> = []
    /// What the decoder gets: pixels and colour profile, without the rest. Nil means the whole file.
    var essence: [UInt8]?
    /// How a HEIF item is shown; the orientation of its EXIF does not count.
    var transformations: [HEIFTransformation] = []
    /// Whether the decoder gives black as 16 of 255 and white as 235.
    var isLimitedGrey = false
    var isHEIF: Bool { format == .heic || format == .avif }

    init(format: PhotoFormat) { self.format = format }

    /// The longest EXIF or XMP block that is copied before the limits are checked, in bytes.
    static let metadataLimit = 64 << 20
    /// The longest colour profile, in bytes.
    static let profileLimit = 64 << 20

    static func read(_ bytes: UnsafeRawBufferPointer) throws(PhotoRejection) -> Container {
        switch try Sniffing.format(of: bytes) {
        case .jpeg: try readJPEG(bytes)
        case .png: try readPNG(bytes)
        case .webp: try readWebP(bytes)
        case .gif: try readGIF(bytes)
        case .tiff: try readTIFF(bytes)
        case .heic: try readHEIF(bytes, as: .heic)
        case .avif: try readHEIF(bytes, as: .avif)
        }
    }

    mutating func note(metadata bytes: Int) { metadataBytes = max(metadataBytes, bytes) }
    mutating func note(profile bytes: Int) { profileBytes = max(profileBytes, bytes) }

    /// Bytes that the decoder will hold at once: rows of what is stored in order, all coefficients of a progressive JPEG,
    /// whole frames of the rest.
    ///
    /// The factors are peaks of resident memory over an idle renderer, measured with 24 megapixels and libvips 8.14,
    /// rounded up: 7.2 bytes a pixel for a progressive JPEG, 9.0 for WebP, 8.8 for GIF, 8.7 for HEIC, 6.9 for AVIF.
    func decodingBytes(width: Int, height: Int) -> Int {
        let pixels = width.multipliedReportingOverflow(by: height).partialValue
        let perPixel =
            switch format {
            case .jpeg: scans > 1 ? 8 : 0
            // Whole where it is interlaced, of up to four samples of 16 bits.
            case .png: 8
            case .webp, .gif: frames > 1 ? 14 : 10
            case .heic, .avif: 10
            case .tiff: 8
            }
        return pixels.multipliedReportingOverflow(by: perPixel).partialValue + width * 256
    }

    /// Refuses by the claimed figures.
    func check(_ limits: RenderLimits) throws(PhotoRejection) {
        if let size { try Self.check(width: size.width, height: size.height, limits) }
        guard frames <= limits.frames else {
            throw PhotoRejection(
                .tooManyFrames,
                "The animation has \(frames) frames; at most \(limits.frames) are accepted.")
        }
        if let size {
            let pixels = size.width.multipliedReportingOverflow(by: size.height).partialValue
            guard pixels <= limits.framePixels / max(1, frames) else {
                throw PhotoRejection(
                    .tooManyFrames,
                    "The animation's \(frames) frames have more than \(limits.framePixels / 1_000_000) megapixels "
                        + "together.")
            }
            try checkMemory(width: size.width, height: size.height, limits)
        }
        guard profileBytes <= limits.profileBytes else {
            throw PhotoRejection(
                .profileTooLarge,
                "The colour profile has \(profileBytes) bytes; at most \(limits.profileBytes) are accepted.")
        }
        guard metadataBytes <= limits.metadataBytes else {
            throw PhotoRejection(
                .metadataTooLarge,
                "The metadata have \(metadataBytes) bytes; at most \(limits.metadataBytes) are accepted.")
        }
        guard scans <= limits.scans else {
            throw PhotoRejection(
                .tooManyScans,
                "The JPEG is built from \(scans) scans; at most \(limits.scans) are accepted.")
        }
    }

    func checkMemory(width: Int, height: Int, _ limits: RenderLimits) throws(PhotoRejection) {
        let needed = decodingBytes(width: width, height: height)
        guard needed <= limits.decodingBytes else {
            throw PhotoRejection(
                .tooMuchMemory,
                "Decoding the image would take \(needed >> 20) MB; at most \(limits.decodingBytes >> 20) are given."
            )
        }
    }

    static func check(width: Int, height: Int, _ limits: RenderLimits) throws(PhotoRejection) {
        guard width > 0, height > 0 else {
            throw PhotoRejection(.corrupt, "The image claims a width or height of zero.")
        }
        guard max(width, height) <= limits.side else {
            throw PhotoRejection(
                .sideTooLong,
                "The image is \(width) x \(height) pixels; a side may have at most \(limits.side).")
        }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= limits.pixels else {
            throw PhotoRejection(
                .tooManyPixels,
                "The image is \(width) x \(height) pixels; at most \(limits.pixels / 1_000_000) megapixels"
                    + " are accepted.")
        }
        guard max(width, height) <= limits.aspectRatio * min(width, height) else {
            throw PhotoRejection(
                .tooElongated,
                "The image is \(width) x \(height) pixels; one side may be at most"
                    + " \(limits.aspectRatio) times the other.")
        }
    }

    static let truncated = PhotoRejection(
        .truncated, "The file ends before the image does: the upload may have been cut short.")

    static func corrupt(_ detail: String) -> PhotoRejection {
        PhotoRejection(.corrupt, "The image is damaged and cannot be read.", detail: detail)
    }
}
