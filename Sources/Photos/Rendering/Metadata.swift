import Glibc
import Imaging

/// Turns raw metadata blocks into a report.
enum Metadata {
    /// The report's width and height are as stored; placing the photo corrects them.
    static func report(of container: inout Container, header: borrowing VipsPixels) -> PhotoReport {
        if container.icc == nil { container.icc = header.blob("icc-profile-data") }
        var report = PhotoReport(format: container.format, width: header.width, height: header.height)
        report.frames = container.frames
        for packet in container.exif.compactMap({ EXIFBlock.xmp(in: $0) }) { container.note(xmp: packet) }
        let exif = container.exif.compactMap { EXIFBlock($0) }
        var most = XMPParser.mostElementsAndAttributes
        var extensions = container.xmpExtensions
        let xmp = container.xmp.map { XMPBlock($0, extensions: &extensions, most: &most) }
        let now = Int(time(nil))
        // Browsers look no further than the first block.
        report.orientation = exif.first?.orientation ?? 1
        // Each other value is the first of all blocks. An unusable position does not hide a whole one.
        let readings = exif.map(\.gps) + xmp.map(\.gps)
        report.gps =
            readings.first { if case .valid = $0 { true } else { false } }
            ?? readings.first { $0 != .absent } ?? .absent
        report.exifFields = exif.reduce(0) { $0 + $1.fieldCount }
        let iptc = container.iptc.map { IPTCBlock($0) }
        let times =
            exif.map(\.originalTime) + xmp.map { $0.time(XMPBlock.original, now: now) }
            + iptc.map { $0.originalTime(now: now) }
            + exif.map(\.digitizedTime) + xmp.map { $0.time(XMPBlock.digitized, now: now) }
            + iptc.map { $0.digitizedTime(now: now) }
        report.captureTime = first(times + exif.map(\.changeTime))
        report.cameraMake = first(exif.map(\.make) + xmp.map(\.make))
        report.cameraModel = first(exif.map(\.model) + xmp.map(\.model))
        if exif.contains(where: \.hasGPS) || report.gps != .absent { container.stripped.insert("GPS") }
        if exif.contains(where: \.hasMakerNote) { container.stripped.insert("MakerNote") }
        if exif.contains(where: \.hasThumbnail) { container.stripped.insert("thumbnail") }
        report.credit = credit(exif, iptc, xmp)
        if let icc = container.icc {
            container.stripped.insert("ICC")
            report.hasICCProfile = true
            report.colourDescription = ColourProfile.description(icc)
        }
        report.claimGenerator = ManifestStore.claimGenerator(in: container.manifests)
        report.stripped = container.stripped.sorted()
        return report
    }

    /// Each value is that of EXIF, IPTC or XMP, in this order (Metadata Working Group, guidelines 2.0, 5.6 and 5.8).
    private static func credit(_ exif: [EXIFBlock], _ iptc: [IPTCBlock], _ xmp: [XMPBlock]) -> PhotoCredit? {
        func text(_ values: [String?]) -> String? {
            first(values.filter { $0.flatMap(PhotoCredit.clean) != nil })
        }
        return PhotoCredit(
            creator: text(exif.map(\.artist) + iptc.map(\.creator) + xmp.map(\.creator)),
            credit: text(iptc.map(\.credit) + xmp.map(\.credit)),
            copyright: text(exif.map(\.copyright) + iptc.map(\.copyright) + xmp.map(\.copyright)),
            licence: text(xmp.map(\.licence)))
    }

    private static func first<Value>(_ values: [Value?]) -> Value? { values.lazy.compactMap { $0 }.first }
}
