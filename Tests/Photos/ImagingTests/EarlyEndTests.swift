import Imaging
import TestKit
import Testing

/// Photos that end early, wherever that is.
@Suite(.computing, .timeLimit(.minutes(15))) struct EarlyEndTests {
    struct Photo: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        /// Bytes at the end that no browser misses.
        var needless = 0
    }

    static let photos =
        [
            Photo(testDescription: "JPEG", bytes: PhotoFixture.jpeg(width: 40, height: 30), needless: 2),
            Photo(
                testDescription: "progressive JPEG",
                bytes: PhotoFixture.jpeg(width: 40, height: 30, progressive: true), needless: 2),
            Photo(testDescription: "PNG", bytes: PhotoFixture.png(width: 40, height: 30), needless: 12),
            Photo(
                testDescription: "interlaced PNG",
                bytes: PhotoFixture.pattern(width: 40, height: 30, suffix: ".png[interlace]"), needless: 12),
            Photo(testDescription: "WebP", bytes: PhotoFixture.webp(width: 40, height: 30)),
            Photo(testDescription: "GIF", bytes: PhotoFixture.flatGIF(width: 40, height: 30), needless: 1),
            Photo(testDescription: "GIF of another encoder", bytes: PhotoFixture.gif(frames: 1), needless: 1),
            Photo(testDescription: "HEIC", bytes: HEIFFixture(.hevc).bytes),
            Photo(testDescription: "AVIF", bytes: HEIFFixture(.av1).bytes),
        ]
        + ["none", "lzw", "deflate", "packbits", "jpeg"].flatMap { compression in
            ["", ",tile,tile-width=16,tile-height=16"].map { tiles in
                Photo(
                    testDescription: "TIFF, \(compression)\(tiles)",
                    bytes: PhotoFixture.pattern(
                        width: 40, height: 30, suffix: ".tif[compression=\(compression)\(tiles)]"))
            }
        }

    @Test(arguments: photos) func isMissedUnlessThePictureIsWhole(photo: Photo) async throws {
        let whole = try await render(photo.bytes)
        try #require(whole.rejection == nil)
        // The first bytes tell the format. A file of fewer is no photo.
        for count in Array(32..<photo.bytes.count).every(17) + (photo.bytes.count - 16..<photo.bytes.count) {
            let cut = try await render(Array(photo.bytes.prefix(count)))
            if count >= photo.bytes.count - photo.needless {
                #expect(cut.outputs == whole.outputs, "\(count) of \(photo.bytes.count) bytes")
            } else {
                #expect(cut.rejection == .truncated, "\(count) of \(photo.bytes.count) bytes: \(cut.verdict)")
            }
        }
    }
}
