package enum PhotoFormat: String, Codable, Sendable, CaseIterable {
    case jpeg, png, webp, gif, tiff, heic, avif

    package var mediaType: String { "image/\(rawValue)" }
}

/// What reading a photo found out about it.
package struct PhotoReport: Codable, Sendable, Hashable {
    package var format: PhotoFormat
    /// Pixels after the orientation is applied.
    package var width: Int
    package var height: Int
    /// The EXIF orientation as stored, 1 to 8; an invalid or missing value is 1.
    ///
    /// It has no effect in HEIC and AVIF, where the container's own rotation counts.
    package var orientation = 1
    /// Frames of an animation or pages of a TIFF. The first one is rendered.
    package var frames = 1
    package var gps = GPSReading.absent
    package var captureTime: CaptureTime?
    /// EXIF Make and Model ("Apple", "iPhone 15"), at most 64 characters each.
    package var cameraMake: String?
    package var cameraModel: String?
    /// Who made the photo and on what terms it may be used, of EXIF, IPTC or XMP.
    package var credit: PhotoCredit?
    /// The program that made the claim of a C2PA manifest, as it says itself; nil if there is none that can be read.
    package var claimGenerator: String?
    package var hasICCProfile = false
    /// The name inside the embedded colour profile ("Display P3"), at most 64 characters.
    package var colourDescription: String?
    /// The kinds of metadata that the file has and the renditions do not: "EXIF", "GPS", "XMP",
    /// "IPTC", "ICC", "MakerNote", "thumbnail", "MPF", "trailing data", "stray bytes", "comment",
    /// "text", "C2PA".
    package var stripped: [String] = []
    /// How many fields the EXIF block has.
    package var exifFields = 0

    /// Of the rendered picture; nil if the photo was only inspected. At most ``ThumbHash/maximumBytes`` bytes.
    package var thumbHash: [UInt8]?
    package var perceptualHash: PerceptualHash?
    /// Of the whole picture, for comparison with the lists of others.
    package var pdq: PDQHash?

    package init(format: PhotoFormat, width: Int, height: Int) {
        self.format = format
        self.width = width
        self.height = height
    }
}
