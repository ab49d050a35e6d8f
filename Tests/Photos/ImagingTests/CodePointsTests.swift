import FoundationEssentials
import Imaging
import TestKit
import Testing

/// Colours that are described by numbers: wide gamuts and high dynamic range.
@Suite(.computing, .timeLimit(.minutes(15))) struct CodePointsTests {
    private static let recipe = Recipe(
        name: "test", version: 1,
        renditions: [
            RenditionSpec(name: "jpeg", shape: .fit(longSide: 320), encoding: .jpeg(quality: 100)),
            RenditionSpec(name: "webp", shape: .fit(longSide: 320), encoding: .webp(quality: 100)),
        ])

    /// A PNG with a `cICP` chunk: full range, no matrix.
    private static func png(
        _ chart: PatchChart, _ primaries: Int, _ transfer: Int, encoding: String = ".png[strip]"
    ) -> [UInt8] {
        PhotoFixture.png(
            chunk: "cICP", [UInt8(primaries), UInt8(transfer), 0, 1], in: chart.encoded(encoding))
    }

    private static func heif(
        _ codec: HEIFFixture.Codec, _ chart: PatchChart, bits: Int
    ) -> HEIFFixture {
        HEIFFixture(
            codec, of: chart.encoded("\(codec.rawValue)[Q=95,bitdepth=\(bits),strip]"),
            width: PatchChart.columns * PatchChart.side, height: PatchChart.rows * PatchChart.side, bits: bits
        )
    }

    private static func chart(_ primaries: Int, _ transfer: Int, bits: Int, hasAlpha: Bool = false)
        -> PatchChart
    {
        var chart = PatchChart(.rgb, bits: bits, hasAlpha: hasAlpha)
        let meaning = ColourMeaning(primaries: primaries, transfer: transfer)
        chart.meaning = { meaning.stored($0) }
        return chart
    }

    private func check(
        _ file: [UInt8], median: Double, largest: Double, _ expected: [[Double]] = PatchChart.srgb
    ) async throws {
        let photo = try await render(file, recipe: Self.recipe)
        let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]), "\(photo.verdict)")
        let differences = ColourDifferences(PatchChart.patches(in: pixels), expected)
        #expect(differences.median <= median && differences.largest <= largest, "\(differences)")
    }

    /// Pictures that are no brighter than a page come out as the page that they were made from.
    @Test(arguments: [
        (9, 16), (12, 16), (1, 16), (9, 18), (9, 13), (12, 13), (12, 1), (9, 14), (12, 4), (1, 5), (1, 8),
    ])
    func aPageComesBack(primaries: Int, transfer: Int) async throws {
        let chart = Self.chart(primaries, transfer, bits: 16)
        try await check(Self.png(chart, primaries, transfer), median: 0.6, largest: 2)
    }

    /// Programs write a profile too, for readers that do not know the numbers.
    @Test func numbersInPNGTakePrecedenceOverAProfile() async throws {
        let chart = Self.chart(9, 16, bits: 16)
        try await check(Self.png(chart, 9, 16, encoding: ".png[profile=p3]"), median: 0.6, largest: 2)
    }

    @Test(
        arguments: [
            (HEIFFixture.Codec.hevc, 8), (.hevc, 10), (.hevc, 12), (.av1, 8), (.av1, 12),
        ], [(9, 16), (9, 18), (12, 13)])
    func aPageComesBackFromHEIF(kind: (codec: HEIFFixture.Codec, bits: Int), points: (Int, Int)) async throws
    {
        let chart = Self.chart(points.0, points.1, bits: kind.bits == 8 ? 8 : 16)
        var file = Self.heif(kind.codec, chart, bits: kind.bits)
        file.add(HEIFFixture.codePoints(primaries: points.0, transfer: points.1))
        // Eight bits of PQ are coarse in the shadows.
        let isCoarse = kind.bits == 8 && points.1 != 13
        try await check(file.bytes, median: isCoarse ? 2.5 : 2, largest: isCoarse ? 12 : 7)
    }

    /// Numbers that mean sRGB, or nearly so, change nothing.
    @Test(arguments: [(1, 13), (1, 1), (2, 2), (5, 6), (6, 6), (22, 13)])
    func plainNumbersAreTakenAsSRGB(primaries: Int, transfer: Int) async throws {
        let file = PatchChart(.rgb).encoded(".png[strip]")
        let numbered = Self.png(PatchChart(.rgb), primaries, transfer)
        let (plain, same) = (
            try await render(file, recipe: Self.recipe), try await render(numbered, recipe: Self.recipe)
        )
        #expect(plain.outputs == same.outputs)
    }

    @Test func aProfileCountsBeforeNumbers() async throws {
        let profile = PhotoFixture.builtInProfile("p3")
        let chart = PatchChart(.rgb)
        var file = Self.heif(.hevc, chart, bits: 8)
        file.add(HEIFFixture.box("colr", Array("prof".utf8) + profile))
        file.add(HEIFFixture.codePoints(primaries: 9, transfer: 16))
        try await check(
            file.bytes, median: 2, largest: 7, ColourConversion(from: profile)!.srgb(chart.patches))
    }

    @Test(arguments: [8, 16]) func transparencyIsKept(bits: Int) async throws {
        let chart = Self.chart(12, 13, bits: bits, hasAlpha: true)
        let photo = try await render(Self.png(chart, 12, 13), recipe: Self.recipe)
        let pixels = try #require(PhotoPixels(webp: photo.outputs[1]))
        try #require(pixels.bands == 4)
        let found = PatchChart.patches(in: pixels)
        let differences = ColourDifferences(found.map { Array($0.prefix(3)) }, PatchChart.srgb)
        #expect(differences.median <= 1 && differences.largest <= 3, "\(differences)")
        #expect(zip(found, chart.opacities).allSatisfy { abs($0[3] - $1 * 255) <= 1 })
    }

    /// Light above white is dimmed, the brightest to white; what is dim stays. The numbers are of a program in Python that
    /// follows BT.2390 and BT.2100: greys from black to the brightest, in BT.2020.
    @Test(arguments: [
        (16, [0, 13.7, 57.2, 125.3, 191.6, 234.6, 252.4, 255]),
        (18, [0, 29.1, 72.2, 115.3, 161.4, 218.1, 249.6, 255]),
    ])
    func lightAboveWhiteIsDimmed(transfer: Int, greys: [Double]) async throws {
        let photo = try await render(Self.png(PatchChart(.rgb, bits: 16), 9, transfer), recipe: Self.recipe)
        let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]))
        let found = PatchChart.patches(in: pixels).prefix(8)
        let isRight = zip(found, greys).allSatisfy { colour, grey in colour.allSatisfy { abs($0 - grey) <= 2 }
        }
        #expect(isRight, "\(found)")
    }

    /// Red, green, blue and grey in Display P3: an AVIF of avifenc 0.11 without its `colr` property.
    private static let displayP3 =
        "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2"
        + "aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAFMAAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAx"
        + "Q29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAEAAAAAgAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgSAAAAAAABNza2lwbmNs"
        + "eAAMAA0ABoAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAAFttZGF0EgAKCTgVP/sIYGg0gDJEEUAAAEDrobKFBLzkdzgvRcyqV5qYRJ0rW3WR"
        + "g923J1L6iHpBBjIWvsWNtdo6A4EoyiXw6jZoktPp4mk/A5r4yD0kJXQ="

    @Test func numbersInTheDataOfAV1CountIfNoPropertyHasAny() async throws {
        let file = [UInt8](try #require(Data(base64Encoded: Self.displayP3)))
        let pixels = try #require(PhotoPixels(jpeg: try await render(file, recipe: Self.recipe).outputs[0]))
        let expected = [[253, 0, 19], [0, 204, 12], [60, 60, 229], [120, 120, 120]]
        for (index, colour) in expected.enumerated() {
            let found = pixels.colour((Double(index) + 0.5) / 4, 0.5)
            let isRight = zip(found, colour).allSatisfy { abs($0 - $1) <= 3 }
            #expect(isRight, "\(found), not \(colour)")
        }
    }
}
