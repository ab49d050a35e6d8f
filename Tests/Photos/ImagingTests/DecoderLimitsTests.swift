import Imaging
import TestKit
import Testing

/// What the decoders draw wrongly, or at any cost, if they are let.
@Suite(.computing, .timeLimit(.minutes(15))) struct DecoderLimitsTests {
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

    @Test(arguments: HEIFFixture.Codec.allCases) func aPicturesCodedSizeCountsForItsLimits(
        codec: HEIFFixture.Codec
    ) async throws {
        var file = HEIFFixture(codec, width: 640, height: 480)
        var limits = RenderLimits.patient
        limits.pixels = 640 * 479
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
        #expect(try await render(file.bytes, pool: pool).rejection == .tooManyPixels)
        file.properties[1] = HEIFFixture.fullBox("ispe", HEIFFixture.size(64, 64))
        #expect(try await render(file.bytes, pool: pool).rejection == .tooManyPixels)
        await pool.shutdown()
    }

    /// What is missing in coded data is drawn with memory that was used before, and no error is told.
    @Test func noMemoryIsShown() async throws {
        let whole = HEIFFixture(.hevc, width: 64, height: 64)
        let length = try #require(whole.bytes.count > 400 ? whole.bytes.count : nil)
        var compared = 0
        for place in stride(from: length / 2, to: length - 8, by: max(1, length / 40)) {
            var damaged = whole.bytes
            for at in place..<length { damaged[at] = 0x55 }
            let expected = try await render(damaged)
            guard expected.rejection == nil else { continue }
            compared += 1
            for seed in 0..<3 {
                _ = try await render(PhotoFixture.jpeg(width: 200 + 10 * seed, height: 180))
                #expect(try await render(damaged).outputs == expected.outputs, "\(place)")
            }
        }
        #expect(compared > 5)
    }

    /// The C library keeps small pieces of memory apart from others, and does not clear those.
    @Test(arguments: [32, 48]) func noMemoryIsShownInSmallTiles(side: Int) async throws {
        let file = HEIFFixture.grid(.hevc, width: 4 * side, height: 4 * side, side: side, quality: 80) {
            data in
            // The picture's only slice, with its length before it, ends in its header.
            HEIFFixture.big(4, 4) + data[4..<8]
        } configure: {
            HEIFFixture.configuration($0, HEIFFixture.Sequence(coded: (side, side), shown: (side, side)))
        }
        let expected = try await render(file)
        #expect(expected.rejection == nil, "\(expected.verdict)")
        // What a process has in memory depends on where that lies.
        for _ in 0..<7 {
            let pool = RendererPool(executable: rendererPath!, size: 1, limits: .patient)
            #expect(try await render(file, pool: pool).outputs == expected.outputs)
            await pool.shutdown()
        }
    }

    /// What says something of the colours stands before them, and once: libpng ignores the rest.
    @Test(arguments: [true, false]) func aPNGsColoursAreSaidOnceAndEarly(hasPalette: Bool) async throws {
        let plain = PhotoFixture.png(of: [120, 90, 60], hasPalette: hasPalette, before: [])
        func gamma(_ value: Int) -> [UInt8] {
            Array(PhotoFixture.png(chunk: "gAMA", HEIFFixture.big(value, 4), in: plain)[33..<49])
        }
        func with(_ chunks: [UInt8], at place: Int) -> [UInt8] {
            Array(plain[..<place]) + chunks + plain[place...]
        }
        let (linear, ordinary) = (gamma(100_000), gamma(45_455))
        let early = try await render(with(linear, at: 33)).outputs
        let expected = try await render(plain).outputs
        #expect(early != expected && !early.isEmpty)
        let data = try #require(plain.indices.first { plain[$0...].starts(with: Array("IDAT".utf8)) }) - 4
        let late = try await render(with(linear, at: plain.count - 12)).outputs
        #expect(late == expected)
        let behindPalette = try await render(with(linear, at: data)).outputs
        #expect(behindPalette == (hasPalette ? expected : early))
        let twice = try await render(with(linear + ordinary, at: 33)).outputs
        #expect(twice == early)
    }
}
