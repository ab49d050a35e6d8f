import Imaging
import TestKit
import Testing

/// Which of a TIFF's pages is the photo.
@Suite(.computing, .timeLimit(.minutes(15))) struct TIFFPagesTests {
    private static let thumbnail = TIFFPages.Page(width: 8, height: 6, grey: 20, isThumbnail: true)
    private static let photo = TIFFPages.Page(width: 80, height: 60, grey: 200)
    private static let other = TIFFPages.Page(width: 40, height: 60, grey: 90)

    private static let mask = TIFFPages.Page(width: 80, height: 60, entries: [TIFFPages.long(0x00FE, 4)])
    private static let oldThumbnail = TIFFPages.Page(
        width: 8, height: 6, entries: [TIFFPages.short(0x00FF, 2)])

    /// The pages, and the number of the one that is the photo.
    private static let files: [(pages: [TIFFPages.Page], photo: Int)] = [
        ([photo], 0), ([photo, thumbnail], 0), ([photo, other], 0), ([thumbnail], 0),
        ([thumbnail, photo], 1), ([thumbnail, thumbnail, photo, other], 2),
        ([mask, photo], 1), ([thumbnail, mask, photo], 2), ([oldThumbnail, photo], 1),
        // If all are thumbnails, or too many are.
        ([thumbnail, thumbnail], 0),
        (Array(repeating: thumbnail, count: 16) + [photo], 0),
        (Array(repeating: thumbnail, count: 15) + [photo], 15),
    ]

    @Test(arguments: files.indices) func theFirstThatIsNoThumbnailIsThePhoto(index: Int) async throws {
        let (pages, number) = Self.files[index]
        let result = try await render(TIFFPages(pages).bytes)
        let page = pages[number]
        #expect(result.report?.width == page.width && result.report?.height == page.height)
        #expect(result.report?.frames == pages.count)
        let pixels = try #require(PhotoPixels(jpeg: result.outputs[0]))
        for value in pixels.colour(0.5, 0.5) { #expect(abs(value - Int(page.grey)) <= 1) }
    }

    /// The orientation is the photo's own; the rest may be said on the first page.
    @Test func thePhotoIsDescribedByItsPageAndTheFirst() async throws {
        var (first, second) = (Self.thumbnail, Self.photo)
        let make = Array("Acme\0".utf8)
        first.entries = [
            TIFFPages.short(0x0112, 3), .init(tag: 0x010F, type: 2, count: make.count, data: make),
            TIFFPages.bytes(0x02BC, Array(Self.packet.utf8)),
        ]
        second.entries = [TIFFPages.short(0x0112, 6)]
        let report = try await inspect(TIFFPages([first, second]).bytes)
        #expect(report.orientation == 6 && report.width == 60 && report.height == 80)
        #expect(report.cameraMake == "Acme")
        second.entries = []
        #expect(try await inspect(TIFFPages([first, second]).bytes).orientation == 1)
        #expect(report.gps == .valid(GPSFix(latitude: 46.5, longitude: 7.5), source: .xmp))
    }

    private static let packet =
        #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="46,30N" exif:GPSLongitude="7,30E"/></rdf:RDF></x:xmpmeta>"#

    /// Limits are about the page that is drawn.
    @Test func thePhotosSizeIsWhatIsLimited() async throws {
        let strip = TIFFPages.Page(width: 4_000, height: 8, grey: 200)
        #expect(try await render(TIFFPages([Self.thumbnail, strip]).bytes).rejection == .tooElongated)
        #expect(try await render(TIFFPages([Self.photo, strip]).bytes).rejection == nil)
    }

    @Test func rawFilesAreRefusedAsBefore() async throws {
        var first = Self.thumbnail
        first.entries = [TIFFPages.long(0x014A, 8)]
        let result = try await render(TIFFPages([first, Self.photo]).bytes)
        #expect(result.rejection == .unsupportedFormat)
    }
}
