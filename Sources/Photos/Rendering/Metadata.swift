import Glibc
import Imaging

/// Turns raw metadata blocks into a report.
enum Metadata {
    /// The report's width and height are as stored; placing the photo corrects them.
    static func report(of container: inout Container, header: borrowing VipsPixels) -> PhotoReport {
        if container.icc == nil { container.icc = header.blob("icc-profile-data") }
        if container.isHEIF {
            if container.exif == nil, let block = header.blob("exif-data"), block.count > 6 {
                container.stripped.insert("EXIF")
                container.exif = block
            }
            if container.xmp == nil, let block = header.blob("xmp-data") {
                container.stripped.insert("XMP")
                container.xmp = block
            }
        }
        var report = PhotoReport(format: container.format, width: header.width, height: header.height)
        report.frames = max(container.frames, container.isHEIF ? max(1, header.pages) : 1)
        let exif = container.exif.flatMap { EXIFBlock($0) }
        report.orientation = exif?.orientation ?? 1
        if let exif {
            report.gps = exif.gps
            report.exifFields = exif.fieldCount
            report.captureTime = exif.captureTime
            report.cameraMake = exif.make
            report.cameraModel = exif.model
            if exif.hasGPS { container.stripped.insert("GPS") }
            if exif.hasMakerNote { container.stripped.insert("MakerNote") }
            if exif.hasThumbnail { container.stripped.insert("thumbnail") }
        }
        if container.xmp == nil, let packet = container.exif.flatMap({ EXIFBlock.xmp(in: $0) }) {
            container.note(xmp: packet)
        }
        let xmp = container.xmp.map { XMPBlock($0, extensions: container.xmpExtensions) }
        if let block = xmp {
            // An unusable position of EXIF does not hide a whole one.
            switch (report.gps, block.gps) {
            case (.absent, _), (.invalid, .valid), (.nullIsland, .valid): report.gps = block.gps
            default: break
            }
            if report.captureTime == nil { report.captureTime = block.captureTime(now: Int(time(nil))) }
            report.cameraMake = report.cameraMake ?? block.make
            report.cameraModel = report.cameraModel ?? block.model
            if case .absent = block.gps {} else { container.stripped.insert("GPS") }
        }
        if report.captureTime == nil { report.captureTime = exif?.changeTime }
        report.credit = credit(exif, container.iptc.map { IPTCBlock($0) }, xmp)
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
    private static func credit(_ exif: EXIFBlock?, _ iptc: IPTCBlock?, _ xmp: XMPBlock?) -> PhotoCredit? {
        func first(_ values: String?...) -> String? {
            values.lazy.compactMap { $0 }.first { PhotoCredit.clean($0) != nil }
        }
        return PhotoCredit(
            creator: first(exif?.artist, iptc?.creator, xmp?.creator),
            credit: first(iptc?.credit, xmp?.credit),
            copyright: first(exif?.copyright, iptc?.copyright, xmp?.copyright), licence: xmp?.licence)
    }
}
