/// Detects the format by the file's first bytes, never by its name or declared type.
package enum Sniffing {
    /// - Parameter bytes: the first 256, or more.
    package static func format(of bytes: UnsafeRawBufferPointer) throws(PhotoRejection) -> PhotoFormat {
        guard !bytes.isEmpty else {
            throw PhotoRejection(.emptyFile, "This file is empty. Please choose another one.")
        }
        if bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == 0xD8 { return .jpeg }
        if bytes.count >= 8, bytes.big32(0) == 0x8950_4E47, bytes.big32(4) == 0x0D0A_1A0A { return .png }
        if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) { return .webp }
        if bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) { return .gif }
        if bytes.has("ftyp", at: 4) { return try formatOfBaseMedia(bytes) }
        if bytes.has("II*\0", at: 0) || bytes.has("MM\0*", at: 0) || bytes.has("II+\0", at: 0)
            || bytes.has("MM\0+", at: 0)
        {
            return .tiff
        }
        if bytes.has("RIFF", at: 0), bytes.has("AVI ", at: 8) { throw refusal(of: "video") }
        if bytes.has("DICM", at: 128) { throw refusal(of: "DICOM") }
        // Bytes that begin no text. JPEG 2000 and JPEG XL without a container, JPEG XR, and Matroska.
        switch bytes.big32(0) ?? 0 {
        case 0xFF4F_FF51: throw refusal(of: "JPEG 2000")
        case 0xFF0A_0000...0xFF0A_FFFF: throw refusal(of: "JPEG XL")
        case 0x4949_BC00...0x4949_BCFF: throw refusal(of: "JPEG XR")
        case 0x1A45_DFA3: throw refusal(of: "video")
        default: break
        }
        for (magic, name) in unsupported where bytes.has(magic, at: 0) {
            throw refusal(of: name)
        }
        throw PhotoRejection(
            .notAnImage, "This is not a photo. Please upload a JPEG, PNG, WebP, GIF, TIFF, HEIC or AVIF.")
    }

    private static let unsupported: [(StaticString, String)] = [
        ("BM", "BMP"), ("%PDF", "PDF"), ("8BPS", "Photoshop"), ("<svg", "SVG"), ("<?xml", "XML or SVG"),
        ("\0\0\u{1}\0", "icon"), ("\0\0\0\u{C}jP  ", "JPEG 2000"), ("\0\0\0\u{C}JXL ", "JPEG XL"),
        ("%!PS", "PostScript"), ("SIMPLE", "FITS"), ("P6", "PPM"), ("P5", "PGM"), ("FUJIFILMCCD-RAW", "raw"),
        ("IIRO", "raw"), ("IIRS", "raw"), ("MMOR", "raw"), ("IIU\0", "raw"), ("FOVb", "raw"),
        ("II\u{1A}\0\0\0HEAPCCDR", "raw"), ("\0MRM", "raw"), ("v/1\u{1}", "OpenEXR"), ("qoif", "QOI"),
        ("gimp xcf", "GIMP"),
    ]

    private static func refusal(of name: String) -> PhotoRejection {
        PhotoRejection(
            .unsupportedFormat,
            "This kind of file (\(name)) is not supported. Please use JPEG, PNG, WebP, GIF, TIFF, HEIC or AVIF."
        )
    }

    /// Detects HEIF by its brands (ISO/IEC 23008-12 annex B; AVIF specification, section 6).
    private static func formatOfBaseMedia(
        _ bytes: UnsafeRawBufferPointer
    ) throws(PhotoRejection) -> PhotoFormat {
        guard let length = bytes.big32(0), length >= 16 else { throw refusal(of: "video or unknown") }
        var positions = [8]
        positions += stride(from: 16, to: min(length, bytes.count, 256) - 3, by: 4)
        var isStill = false
        for position in positions {
            if bytes.has("avif", at: position) || bytes.has("avis", at: position) { return .avif }
            if bytes.has("heic", at: position) || bytes.has("heix", at: position)
                || bytes.has("heim", at: position) || bytes.has("heis", at: position)
                || bytes.has("hevc", at: position) || bytes.has("hevx", at: position)
            {
                return .heic
            }
            if bytes.has("mif1", at: position) || bytes.has("msf1", at: position) { isStill = true }
        }
        if isStill { return .heic }
        // Canon's CR3.
        if bytes.has("crx ", at: 8) { throw refusal(of: "raw") }
        throw refusal(of: "video")
    }
}
