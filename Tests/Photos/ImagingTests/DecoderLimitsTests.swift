import Imaging
import TestKit
import Testing

/// What the decoders draw wrongly, or at any cost, if they are let.
@Suite(.computing, .timeLimit(.minutes(15))) struct DecoderLimitsTests {
    private static func replacing(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for at in bytes.indices.dropLast(old.count) where bytes[at...].starts(with: old) {
            bytes.replaceSubrange(at..<at + old.count, with: new)
            break
        }
        return bytes
    }

    @Test(arguments: HEIFFixture.Codec.allCases) func overlaysAreRefused(codec: HEIFFixture.Codec)
        async throws
    {
        let grid = HEIFFixture.grid(codec, width: 600, height: 400)
        #expect(try await render(grid).rejection == nil)
        let overlay = Self.replacing(Array("grid".utf8), by: Array("iovl".utf8), in: grid)
        #expect(try await render(overlay).rejection == .unsupportedFormat)
    }

    /// The grid is its own first tile.
    @Test func aCircleOfPartsIsRefused() async throws {
        let grid = HEIFFixture.grid(.hevc, width: 600, height: 400)
        let circle = Self.replacing(
            Array("dimg".utf8) + [0, 1, 0, 2, 0, 2], by: Array("dimg".utf8) + [0, 1, 0, 2, 0, 1], in: grid)
        #expect(circle != grid)
        #expect(try await render(circle).rejection == .metadataTooLarge)
    }

    @Test(arguments: [(0, 0x00, false), (0, 0x80, true), (6, 0x00, true), (8, 0x80, true)])
    func coloursThatTheDecoderMistakesAreRefused(matrix: UInt8, range: UInt8, isRead: Bool) async throws {
        var photo = HEIFFixture(.av1)
        photo.add(HEIFFixture.box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, matrix, range]))
        #expect(try await render(photo.bytes).rejection == (isRead ? nil : .unsupportedFormat))
    }

    @Test(arguments: [0, 1]) func whatNoFrameOfAGIFCoversIsWhite(frameCount: Int) async throws {
        var gif = PhotoFixture.flatGIF(width: 32, height: 32, frames: 1 + frameCount)
        gif.replaceSubrange(6..<10, with: [96, 0, 64, 0])
        let photo = try await render(gif)
        #expect(photo.report?.frames == 1 + frameCount)
        let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]))
        for value in pixels.colour(0.8, 0.8) { #expect(value > 250) }
        for value in pixels.colour(0.1, 0.1) { #expect(abs(value - 120) < 4) }
    }

    @Test(arguments: [[0], [0, 0, 0x3B], Array("text".utf8)] as [[UInt8]])
    func whatIsNoBlockBehindAFrameEndsAGIF(rest: [UInt8]) async throws {
        let gif = PhotoFixture.flatGIF(width: 32, height: 32).dropLast() + rest
        #expect(try await render(Array(gif)).rejection == nil)
    }
}
