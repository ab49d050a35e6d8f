import Imaging
import TestKit
import Testing

/// The real photos of the shared data, compared with exiftool's output.
@Suite(
    .computing, .enabled(if: SharedData.root != nil, "the shared data is missing: set DARKROOM_TEST_DATA"),
    .timeLimit(.minutes(15)))
struct SharedPhotosTests {
    static let photos = SharedData.rows("photos.tsv")

    enum Exception: Equatable {
        /// The photo is refused with this code.
        case refused(PhotoRejection.Code)
        /// The position differs from the manifest: it is null island, invalid, or found only here.
        case nullIsland, invalidPosition, hasPosition
        case time(String?)
        case orientation(Int)
        case size(Int, Int)
    }

    /// Where the verdict differs from the manifest, and why.
    static let exceptions: [String: Exception] = [
        // The manifest has the size before cropping and turning, and exiftool reports no orientation for these.
        "avif_kimono_imir_irot_clap.avif": .size(385, 330),
        "avif_kimono_irot90.avif": .size(722, 1024),
        // YCbCr without JPEG compression: libvips cannot read it with subsampling.
        "tiff_ycbcr_subsampled.tif": .refused(.unsupportedFormat),
        // The sample ends after the header of its only scan, so it has no pixels.
        "gps_ne_pixel6_ultrahdr_mpf.jpg": .refused(.truncated),
        "gps_null_island_derived.jpg": .nullIsland,
        // "52,00000,50,00000,34,01180" as text: degrees with decimal commas or six numbers.
        "gps_odd_degrees_as_string.jpg": .invalidPosition,
        // Without N, S, E or W the sign would be a guess.
        "gps_odd_noref_derived.jpg": .invalidPosition,
        "gps_odd_out_of_range_lat213.jpg": .invalidPosition,
        // "55/1 54/1 4074/100" is not a valid XMP position, and has neither N nor E.
        "png_canon70d_gps.png": .invalidPosition,
        // XMP has a valid position, which the manifest's EXIF columns do not list.
        "iptc_reference_std2021.jpg": .hasPosition,
        // The second 60 is kept as 59.
        "date_derived_offset_0530_subsec.jpg": .time("2024-03-31T01:59:59"),
        // DateTimeOriginal is zero; DateTimeDigitized is valid.
        "date_derived_zero.jpg": .time("2017-10-27T08:38:52"),
        // There is only DateTime, which the manifest does not list.
        "gps_ne_odd_zero_length_string.jpg": .time("2016-09-12T10:05:31"),
        "heic_nokia83_16mp_gps.heif": .time("2022-01-12T07:30:14"),
        // XMP's time of creation, which the manifest does not list, counts before EXIF's DateTime.
        "xmp_no_exif.jpg": .time("2013-09-23T10:09:46"),
        "xmp_depth_map_gdepth.jpg": .time("2014-06-21T08:03:25"),
        // XMP's orientation is not applied; browsers do not apply it either.
        "png_xmp_orientation.png": .orientation(1),
    ]

    @Test func theManifestIsWhole() {
        #expect(Self.photos.count == 133)
        #expect(Set(Self.exceptions.keys).isSubset(of: Self.photos.compactMap { $0["file"] }))
    }

    /// In the gate every exception, and some of the others.
    private static let tried =
        photos.filter { exceptions[$0["file"] ?? ""] != nil }
        + photos.filter { exceptions[$0["file"] ?? ""] == nil }.every(3)

    @Test(arguments: tried)
    func aRealPhotoIsAcceptedAndReadRight(row: [String: String]) async throws {
        let name = try #require(row["file"])
        let exception = Self.exceptions[name]
        let bytes = try #require(SharedData.contents(SharedData.root! + "/photos/" + name))
        let photo = try await render(bytes)
        if case .refused(let code)? = exception {
            #expect(photo.rejection == code)
            return
        }
        guard case .accepted(let report, _) = photo.verdict else {
            Issue.record("\(photo.verdict)")
            return
        }
        checkSize(report, row, exception)
        checkPosition(report, row, exception)
        checkTime(report, row, exception)
        for output in photo.outputs {
            _ = try output.withUnsafeBytes { try RenditionStructure(checking: $0, as: .jpeg) }
        }
    }

    private func checkSize(_ report: PhotoReport, _ row: [String: String], _ exception: Exception?) {
        let stored = Int(row["orientation"] ?? "") ?? 1
        var orientation = 1...8 ~= stored ? stored : 1
        if case .orientation(let other)? = exception { orientation = other }
        #expect(report.orientation == orientation)
        var (width, height) = (Int(row["width"] ?? ""), Int(row["height"] ?? ""))
        if orientation >= 5 { swap(&width, &height) }
        if case .size(let otherWidth, let otherHeight)? = exception {
            (width, height) = (otherWidth, otherHeight)
        }
        #expect(report.width == width && report.height == height)
    }

    private func checkPosition(_ report: PhotoReport, _ row: [String: String], _ exception: Exception?) {
        let latitude = Double(row["gps_lat"] ?? "")
        let longitude = Double(row["gps_lon"] ?? "")
        switch (report.gps, latitude, longitude) {
        case (.nullIsland, _, _): #expect(exception == .nullIsland)
        case (.invalid, _, _): #expect(exception == .invalidPosition)
        case (.absent, nil, nil): break
        case (.valid(let fix, _), let latitude?, let longitude?):
            #expect(abs(fix.latitude - latitude) <= 1e-4 && abs(fix.longitude - longitude) <= 1e-4)
        case (.valid, nil, nil): #expect(exception == .hasPosition)
        default: Issue.record("\(report.gps)")
        }
    }

    private func checkTime(_ report: PhotoReport, _ row: [String: String], _ exception: Exception?) {
        let stored = Array((row["datetime_original"] ?? "").utf8.prefix(19))
        var expected: String?
        if stored.count == 19 {
            expected = String(decoding: stored, as: UTF8.self).split(separator: " ").enumerated().map {
                $0.offset == 0 ? String($0.element.map { $0 == ":" ? "-" : $0 }) : String($0.element)
            }.joined(separator: "T")
        }
        if case .time(let other)? = exception { expected = other }
        // ``SharedTimesTests`` compares the decimals.
        #expect(report.captureTime.map { String($0.local.prefix(19)) } == expected)
        let offset = row["offset_original"] ?? ""
        if offset.count == 6, let hours = Int(offset.dropFirst().prefix(2)),
            let minutes = Int(offset.suffix(2))
        {
            let sign = offset.hasPrefix("-") ? -1 : 1
            #expect(report.captureTime?.offsetMinutes == sign * (hours * 60 + minutes))
            #expect(report.captureTime?.offsetSource == .offsetTag)
        }
    }
}
