import Imaging
import TestKit
import Testing

/// Real photos with a colour profile or a gain map, compared with littlecms and a full decode.
@Suite(
    .computing, .enabled(if: SharedData.root != nil, "the shared data is missing: set DARKROOM_TEST_DATA"),
    .timeLimit(.minutes(15)))
struct SharedColourTests {
    static let plain: Set<String> = [
        "", "sRGB IEC61966-2.1", "GIMP built-in sRGB", "sRGB Gamut with sRGB Transfer",
    ]
    /// Photos without a rendition, and those that libvips alone cannot open.
    static let exceptions: Set<String> = [
        // Its XMP names a profile, which the file does not have.
        "gif_xmp_comment.gif",
        // libheif fails on an item that the renderer hides from it.
        "heic_iphone15pro_24mp_gps.heic",
    ]

    static let profiled = SharedData.rows("photos.tsv").filter {
        !plain.contains($0["icc_profile"] ?? "") && !exceptions.contains($0["file"] ?? "")
    }.compactMap { $0["file"] }.every(4)

    private static let recipe = Recipe(
        name: "colours", version: 1,
        renditions: [RenditionSpec(name: "a", shape: .fit(longSide: 640), encoding: .jpeg(quality: 100))])

    /// The pixels from the renderer.
    private func rendered(_ bytes: [UInt8]) async throws -> PhotoPixels {
        let photo = try await render(bytes, recipe: Self.recipe)
        return try #require(PhotoPixels(jpeg: photo.outputs[0]), "\(photo.verdict)")
    }

    private func check(
        _ found: PhotoPixels, against expected: FullDecode, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            found.width == expected.width && found.height == expected.height, sourceLocation: sourceLocation)
        guard found.samples.count == expected.srgb.count * 3 else { return }
        let colours = stride(from: 0, to: found.samples.count, by: 3).map { at in
            found.samples[at..<at + 3].map(Double.init)
        }
        let differences = ColourDifferences(colours, expected.srgb)
        #expect(differences.median <= 1, "\(differences)", sourceLocation: sourceLocation)
    }

    /// HEIC photos of iPhones have a gain map next to their primary image. Only the primary image is decoded.
    @Test(arguments: profiled.every(2))
    func aPhotoWithAProfileComesOutAsLittleCMSConvertsIt(name: String) async throws {
        let bytes = try #require(SharedData.contents(SharedData.root! + "/photos/" + name))
        let found = try await rendered(bytes)
        check(found, against: try #require(FullDecode(bytes, width: found.width, height: found.height)))
    }

    /// The gain map is a separate image after the first one.
    @Test(arguments: ["mpf_apple_gainmap_p3.jpg", "mpf_ultrahdr_8mp.jpg"])
    func aJPEGWithAGainMapShowsItsBase(name: String) async throws {
        let bytes = try #require(SharedData.contents(SharedData.root! + "/photos/" + name))
        let end = try #require(
            bytes.indices.dropFirst(20_000).first { bytes[$0...].starts(with: [0xFF, 0xD9]) })
        #expect(bytes[(end + 2)...].count > 5000)
        let found = try await rendered(bytes)
        let base = try #require(
            FullDecode(Array(bytes[..<(end + 2)]), width: found.width, height: found.height))
        check(found, against: base)
    }

    @Test func aGreyAVIFOfLimitedRangeIsAsBrightAsItsColouredOriginal() async throws {
        func mean(_ name: String) async throws -> Double {
            let bytes = try #require(SharedData.contents(SharedData.root! + "/photos/" + name))
            let pixels = try await rendered(bytes)
            let luma = stride(from: 0, to: pixels.samples.count, by: 3).map { at in
                let (red, green, blue) = (pixels.samples[at], pixels.samples[at + 1], pixels.samples[at + 2])
                return 0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)
            }
            return luma.reduce(0, +) / Double(luma.count)
        }
        let (grey, coloured) = try await (mean("avif_fox_mono.avif"), mean("avif_fox_10bit_444.avif"))
        #expect(abs(grey - coloured) <= 2, "\(grey), not \(coloured)")
    }
}
