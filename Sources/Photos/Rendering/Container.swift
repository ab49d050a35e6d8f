import Imaging

/// What a walk through a file's container structure found, before anything is decoded.
struct Container {
    var format: PhotoFormat
    /// Pixels as stored, according to the header; nil if only the decoder can tell.
    var size: (width: Int, height: Int)?
    /// Pixels of a HEIF's picture as the decoder makes room for them, whatever the header says.
    var codedSize: (width: Int, height: Int)?
    var frames = 1
    /// The number of the page that is the photo, from 0. Only a TIFF may have others before it.
    var page = 0
    var scans = 1
    /// The first blocks of EXIF that can be read. Some programs leave one without a position before that of the camera.
    private(set) var exif: [[UInt8]] = []
    /// The first packets of XMP that are more than blanks, without JPEG's header.
    private(set) var xmp: [[UInt8]] = []
    private static let mostBlocks = 8
    /// Packets for what did not fit into a JPEG's segment of XMP, by the names that this has for them.
    var xmpExtensions: [String: [UInt8]] = [:]
    /// The first blocks of IPTC-IIM data sets.
    private(set) var iptc: [[UInt8]] = []
    var icc: [UInt8]?
    /// A manifest store of C2PA, up to `ManifestStore.longest`.
    private(set) var manifests: [UInt8] = []
    /// Bytes of all metadata, as they are in the file and once more where they were compressed, and of the colour profile, as it is
    /// in the file.
    private(set) var metadataBytes = 0
    private(set) var profileBytes = 0
    var stripped: Set<String> = []
    /// Whether something is missing at the file's end. Only the decoder can tell whether the picture is whole without it.
    var endsEarly = false
    /// What the decoder gets: only pixels and colour profile. Nil means the whole file.
    var essence: [UInt8]?
    /// How to show a HEIF item. The orientation in its EXIF does not count.
    var transformations: [HEIFTransformation] = []
    /// Bytes of a decoded PNG's, TIFF's or HEIF's pixel, if known.
    var pixelBytes = 0
    /// Values that a JPEG stores for four pixels: 6 if its colours are halved both ways.
    var valuesOfFourPixels = 16
    /// Whether a HEIF's picture consists of tiles.
    var isTiled = false
    /// Pixels that HEIF's decoder has besides the whole picture.
    var pixelsBeside = 0
    /// Whether a HEIF has more than a quarter as many values of a colour as of brightness: 4:2:2 or 4:4:4.
    var hasFullColours = false
    /// What the container says about the meaning of the values.
    var codePoints: CodePoints?
    /// What counts if there is no profile that fits, in the order of the PNG specification (third edition, 12.1): cICP, iCCP,
    /// sRGB, gAMA and cHRM.
    var codePointsWithoutProfile: CodePoints?
    /// How many of the values of a pixel are colours and transparency, if there are others.
    var keptBands: Int?
    /// Whether the colours were multiplied by the transparency.
    var isPremultiplied = false
    /// Whether the decoder returns black as 16 of 255 and white as 235.
    var isLimitedGrey = false
    /// Whether the decoder returns the same number for red, green and blue, which is of one colour in the file.
    var isMonochrome = false
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

    mutating func note(manifests part: Slice<UnsafeRawBufferPointer>) {
        stripped.insert("C2PA")
        manifests += part.prefix(ManifestStore.longest - manifests.count)
    }

    mutating func note(metadata bytes: Int) { metadataBytes += bytes }

    mutating func note(exif block: some Collection<UInt8>) {
        stripped.insert("EXIF")
        let block = Array(block)
        if exif.count < Self.mostBlocks, EXIFBlock.tiff(in: block[...]) != nil { exif.append(block) }
    }

    /// - Parameter segment: of a JPEG. One that begins no block is the rest of the last one, which did not fit.
    mutating func note(exifSegment segment: [UInt8]) {
        if exif.isEmpty || EXIFBlock.tiff(in: segment[...]) != nil {
            note(exif: segment)
        } else {
            exif[exif.count - 1] += segment
        }
    }

    mutating func note(xmp packet: some Collection<UInt8>) {
        stripped.insert("XMP")
        var rest = Array(packet)[...]
        if rest.starts(with: Self.xmpHeader) {
            rest = rest.dropFirst(Self.xmpHeader.count)
            if rest.first == 0 { rest = rest.dropFirst() }
        }
        if xmp.count < Self.mostBlocks, rest.contains(where: { $0 > 0x20 }) { xmp.append(Array(rest)) }
    }

    mutating func note(iptc block: some Collection<UInt8>) {
        stripped.insert("IPTC")
        if iptc.count < Self.mostBlocks { iptc.append(Array(block)) }
    }

    static let xmpHeader = Array("http://ns.adobe.com/xap/1.0/".utf8)
    mutating func note(profile bytes: Int) { profileBytes = max(profileBytes, bytes) }

    /// Bytes that the decoder holds at once: rows of formats stored in order, all coefficients of a
    /// progressive JPEG, whole frames of the rest.
    ///
    /// The factors are peaks of resident memory above an idle renderer, measured with 12 to 200 megapixels and libvips 8.14,
    /// and rounded up.
    func decodingBytes(width: Int, height: Int) -> Int {
        let pixels = width.multipliedReportingOverflow(by: height).partialValue
        let fullColours = hasFullColours ? pixelBytes * 2 : 0
        let perPixel =
            switch format {
            // Two bytes for each coefficient.
            case .jpeg: scans > 1 ? (valuesOfFourPixels + 1) / 2 + 1 : 1
            // An interlaced PNG is decoded whole.
            case .png: pixelBytes + 2
            // It touches less, but reserves twice as much, which must fit into the address space.
            case .webp: frames > 1 ? 14 : 11
            case .gif: frames > 1 ? 14 : 6
            // Once in libheif and once in libvips, and once more for what is decoded.
            case .heic, .avif: isTiled ? pixelBytes * 2 : max(10, pixelBytes * 2 + 1) + fullColours
            case .tiff: max(8, pixelBytes)
            }
        // Half a byte was measured of 220 megapixels in tiles.
        return pixels.multipliedReportingOverflow(by: perPixel).partialValue + (isTiled ? pixels / 2 : 0)
            + width * 256 + pixelsBeside * (pixelBytes * 2 + fullColours)
    }

    /// Refuses a photo by the figures in its header.
    func check(_ limits: RenderLimits) throws(PhotoRejection) {
        if let size { try Self.check(width: size.width, height: size.height, limits) }
        if let codedSize, codedSize.width > 0 {
            try Self.check(width: codedSize.width, height: codedSize.height, limits)
            try checkMemory(width: codedSize.width, height: codedSize.height, limits)
        }
        guard frames <= limits.frames else {
            let count =
                format == .tiff ? "This TIFF has \(frames) pages" : "This animation has \(frames) frames"
            throw PhotoRejection(
                .tooManyFrames, "\(count). Please upload one with at most \(limits.frames).")
        }
        if let size {
            let pixels = size.width.multipliedReportingOverflow(by: size.height).partialValue
            guard pixels <= limits.framePixels / max(1, frames) else {
                throw PhotoRejection(
                    .tooManyFrames,
                    "This animation is too large: its \(frames) frames together exceed "
                        + "\(limits.framePixels / 1_000_000) megapixels. Please upload a smaller one.")
            }
            try checkMemory(width: size.width, height: size.height, limits)
        }
        guard profileBytes <= limits.profileBytes else {
            throw PhotoRejection(
                .profileTooLarge,
                "This photo's colour profile has \(profileBytes) bytes; the limit is \(limits.profileBytes)."
                    + " Please save it as sRGB.")
        }
        guard metadataBytes <= limits.metadataBytes else {
            throw PhotoRejection(
                .metadataTooLarge,
                "This photo's metadata has \(metadataBytes) bytes; the limit is \(limits.metadataBytes)."
                    + " Please save it with less.")
        }
        guard scans <= limits.scans else {
            throw PhotoRejection(
                .tooManyScans,
                "This JPEG has \(scans) scans. Please save it with at most \(limits.scans).")
        }
    }

    func checkMemory(width: Int, height: Int, _ limits: RenderLimits) throws(PhotoRejection) {
        let needed = decodingBytes(width: width, height: height)
        guard needed <= limits.decodingBytes else {
            throw PhotoRejection(
                .tooMuchMemory,
                "This photo is too large: it takes \(needed >> 20) MB of memory, and the limit is"
                    + " \(limits.decodingBytes >> 20) MB. Please upload a smaller one.")
        }
    }

    static func check(width: Int, height: Int, _ limits: RenderLimits) throws(PhotoRejection) {
        guard width > 0, height > 0 else {
            throw PhotoRejection(
                .corrupt, "This photo is damaged: its width or height is zero. Please choose another file.")
        }
        guard max(width, height) <= limits.side else {
            throw PhotoRejection(
                .sideTooLong,
                "This photo is too large: it has \(width) x \(height) pixels, and the limit is \(limits.side) per side."
                    + " Please upload a smaller one.")
        }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= limits.pixels else {
            throw PhotoRejection(
                .tooManyPixels,
                "This photo is too large: it has \(width) x \(height) pixels, and the limit is"
                    + " \(limits.pixels / 1_000_000) megapixels. Please upload a smaller one.")
        }
        guard max(width, height) <= limits.aspectRatio * min(width, height) else {
            throw PhotoRejection(
                .tooElongated,
                "This photo has \(width) x \(height) pixels. Please crop it so that one side is at most"
                    + " \(limits.aspectRatio) times the other.")
        }
    }

    /// - Parameter parts: tiles or items, of which a small file can have many.
    static func check(parts: Int, most: Int) throws(PhotoRejection) {
        guard parts > most else { return }
        throw PhotoRejection(
            .metadataTooLarge,
            "This photo has \(parts) parts; the limit is \(most). Please upload it as JPEG.")
    }

    static let truncated = PhotoRejection(
        .truncated, "This photo is incomplete. Please upload it again.")

    static func corrupt(_ detail: String) -> PhotoRejection {
        PhotoRejection(.corrupt, "This photo is damaged. Please choose another file.", detail: detail)
    }
}
