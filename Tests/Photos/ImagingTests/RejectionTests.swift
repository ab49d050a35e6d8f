import Imaging
import TestKit
import Testing

/// What is refused, with which code, and with which figures in the message.
@Suite(.computing, .timeLimit(.minutes(15))) struct RejectionTests {
    private func expect(
        _ bytes: [UInt8], _ code: PhotoRejection.Code, _ words: String = "", pool: RendererPool = sharedPool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let photo = try await render(bytes, pool: pool)
        guard case .rejected(let rejection, _) = photo.verdict else {
            Issue.record("accepted", sourceLocation: sourceLocation)
            return
        }
        #expect(rejection.code == code, sourceLocation: sourceLocation)
        #expect(
            words.isEmpty || rejection.message.contains(words), "\(rejection.message)",
            sourceLocation: sourceLocation)
        let written = photo.outputs.map(\.count).max() ?? 0
        #expect(written == 0, sourceLocation: sourceLocation)
    }

    @Test func whatIsNoPhotoIsRefused() async throws {
        try await expect(PhotoFixture.empty, .emptyFile)
        try await expect(PhotoFixture.text, .notAnImage)
        try await expect([0], .notAnImage)
        try await expect(PhotoFixture.svg, .unsupportedFormat, "SVG")
        try await expect(Array("BM".utf8) + [UInt8](repeating: 0, count: 60), .unsupportedFormat, "BMP")
        try await expect([0, 0, 0, 20] + Array("ftypisom\0\0\0\0mp42".utf8), .unsupportedFormat, "video")
        for (start, name) in [
            ([0xFF, 0x0A], "JPEG XL"), ([0xFF, 0x4F, 0xFF, 0x51], "JPEG 2000"),
            ([0x49, 0x49, 0xBC, 0x01], "JPEG XR"), (Array("IIRO".utf8), "raw"), (Array("IIU\0".utf8), "raw"),
            ([0, 0, 0, 12] + Array("JXL \r\n".utf8), "JPEG XL"),
            (Array("II\u{1A}\0\0\0HEAPCCDR".utf8), "raw"), (Array("\0MRM".utf8), "raw"),
            (Array("v/1\u{1}".utf8), "OpenEXR"), (Array("qoif".utf8), "QOI"),
            (Array("gimp xcf ".utf8), "GIMP"), (Array("RIFF\0\0\0\0AVI LIST".utf8), "video"),
            ([0x1A, 0x45, 0xDF, 0xA3], "video"),
            ([UInt8](repeating: 0, count: 128) + Array("DICM".utf8), "DICOM"),
            ([0, 0, 0, 12] + Array("jP  \r\n".utf8), "JPEG 2000"),
            ([0, 0, 0, 24] + Array("ftypcrx \0\0\0\u{1}crx isom".utf8), "raw"),
        ] as [([UInt8], String)] {
            try await expect(start + [UInt8](repeating: 0x20, count: 60), .unsupportedFormat, "(\(name))")
        }
        try await expect(Array("#!/bin/sh\n".utf8), .notAnImage)
    }

    @Test(arguments: [[1, 1], [2, 2], nil])
    func aTIFFWithBareYCbCrIsRefused(subsampling: [UInt16]?) async throws {
        let bytes = PhotoFixture.ycbcrTIFF(subsampling: subsampling)
        try await expect(bytes, .unsupportedFormat, "YCbCr without JPEG compression")
    }

    @Test func damageIsSeenInTheLastRows() async throws {
        var bytes = PhotoFixture.jpeg()
        // A misplaced restart marker, twelve bytes before the end.
        bytes[bytes.count - 14] = 0xFF
        bytes[bytes.count - 13] = 0xD3
        let photo = try await render(bytes)
        #expect(photo.rejection == .corrupt || photo.rejection == .truncated)
    }

    @Test func bombsAreRefusedByTheirHeaders() async throws {
        try await expect(
            PhotoFixture.jpeg(claimingWidth: 20_000, height: 20_000), .tooManyPixels, "20000 x 20000")
        try await expect(PhotoFixture.jpeg(claimingWidth: 65_535, height: 65_535), .sideTooLong, "65535")
        try await expect(PhotoFixture.jpeg(claimingWidth: 60_000, height: 20), .tooElongated, "60000 x 20")
        try await expect(PhotoFixture.jpeg(claimingWidth: 0, height: 20), .corrupt)
    }

    @Test func anotherSizeThanClaimedIsTruncatedOrCorrupt() async throws {
        let photo = try await render(PhotoFixture.jpeg(claimingWidth: 64, height: 4000))
        #expect(photo.rejection == .truncated || photo.rejection == .corrupt)
    }

    @Test func everyLimitHasItsCode() async throws {
        var limits = RenderLimits.patient
        limits.bytes = 400_000
        limits.frames = 2
        limits.scans = 3
        limits.cpuSeconds = 0
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
        try await expect([UInt8](repeating: 0xFF, count: 400_001), .tooManyBytes, "400001", pool: pool)
        try await expect(
            PhotoFixture.jpeg(width: 64, height: 64, progressive: true), .tooManyScans, "3", pool: pool)
        try await expect(PhotoFixture.gif(frames: 3), .tooManyFrames, "3 frames", pool: pool)
        try await expect(PhotoFixture.jpeg(width: 1200, height: 900), .timeout, pool: pool)
        await pool.shutdown()
    }

    @Test func aPhotosTimeoutIsNotTheNextOnesReason() async throws {
        var limits = RenderLimits.patient
        limits.cpuSeconds = 0
        let pool = RendererPool(
            executable: rendererPath!, size: 1, limits: limits, retirement: RendererPool.Retirement(.pool))
        try await expect(PhotoFixture.jpeg(width: 1200, height: 900), .timeout, pool: pool)
        // A bit depth that does not exist: the same renderer fails at the header, before anything is decoded.
        var damaged = PhotoFixture.png()
        damaged[24] = 3
        try await expect(damaged, .corrupt, pool: pool)
        await pool.shutdown()
    }

    @Test func anAnimationIsRenderedByItsFirstFrame() async throws {
        let photo = try await render(PhotoFixture.gif(frames: 3))
        #expect(photo.rejection == nil && photo.report?.frames == 3 && photo.report?.format == .gif)
    }
}
