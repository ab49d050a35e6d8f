import FoundationEssentials
import Glibc
import Imaging
import TestKit
import Testing

/// Colours of test charts through a real renderer process, against littlecms' own conversion.
@Suite(.computing, .timeLimit(.minutes(15))) struct ColourTests {
    /// Encoded at such a quality that compression does not matter, at the chart's size and at half of it.
    private static let recipe = Recipe(
        name: "colours", version: 1,
        renditions: [
            RenditionSpec(name: "jpeg", shape: .fit(longSide: 320), encoding: .jpeg(quality: 100)),
            RenditionSpec(name: "webp", shape: .fit(longSide: 320), encoding: .webp(quality: 100)),
            RenditionSpec(name: "half", shape: .fit(longSide: 160), encoding: .jpeg(quality: 100)),
        ])

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var chart: PatchChart
        var suffix: String
        /// The profile of the patches' values, whether the file has it or not.
        var meaning: [UInt8]

        var testDescription: String { "\(name), \(chart.bits) bits, \(suffix)" }
    }

    static let cases: [Case] = {
        var cases: [Case] = []
        let srgb = PhotoFixture.builtInProfile("srgb")
        let wide = [
            ("Display P3", PhotoFixture.builtInProfile("p3")), ("Adobe RGB", ICCProfile.adobeRGB),
            ("ProPhoto", ICCProfile.proPhoto),
            ("perceptual table", ICCProfile.perceptualTable(of: ICCProfile.adobeRGB)),
        ]
        let eight = [".png", ".jpg[Q=95,subsample_mode=off]", ".webp[lossless]", ".tif[compression=lzw]"]
        for (name, profile) in wide {
            for suffix in eight {
                cases.append(
                    Case(name: name, chart: .init(.rgb, profile: profile), suffix: suffix, meaning: profile))
            }
            for suffix in [".avif", ".heic"] {
                let suffix = suffix + "[Q=100,subsample_mode=off,effort=1]"
                cases.append(
                    Case(name: name, chart: .init(.rgb, profile: profile), suffix: suffix, meaning: profile))
            }
            for suffix in [".png", ".tif[compression=lzw]"] {
                let chart = PatchChart(.rgb, bits: 16, profile: profile)
                cases.append(Case(name: name, chart: chart, suffix: suffix, meaning: profile))
            }
        }
        let cmyk = PhotoFixture.builtInProfile("cmyk")
        for suffix in [".tif[compression=lzw]", ".jpg[Q=95,subsample_mode=off]"] {
            for profile in [nil, cmyk] {
                let name = profile == nil ? "CMYK without profile" : "CMYK"
                cases.append(
                    Case(name: name, chart: .init(.cmyk, profile: profile), suffix: suffix, meaning: cmyk))
            }
        }
        let dark = ICCProfile.grey(gamma: 1.8)
        for (bits, suffixes) in [(8, [".png", ".jpg[Q=95]", ".tif"]), (16, [".png", ".tif"])] {
            for suffix in suffixes {
                let plain = PatchChart(.grey, bits: bits)
                cases.append(Case(name: "grey", chart: plain, suffix: suffix, meaning: []))
                let profiled = PatchChart(.grey, bits: bits, profile: dark)
                cases.append(Case(name: "grey of gamma 1.8", chart: profiled, suffix: suffix, meaning: dark))
            }
        }
        for (bits, suffix) in [(8, ".png"), (16, ".png"), (8, ".tif[compression=lzw]")] {
            let chart = PatchChart(.rgb, bits: bits)
            cases.append(Case(name: "no profile", chart: chart, suffix: suffix, meaning: srgb))
        }
        return cases
    }()

    private static func expected(_ test: Case) -> [[Double]] {
        // Grey without a profile is the grey of sRGB.
        guard !test.meaning.isEmpty else {
            return test.chart.patches.map { Array(repeating: $0[0] * 255, count: 3) }
        }
        return ColourConversion(from: test.meaning)!.srgb(test.chart.patches)
    }

    @Test(arguments: cases)
    func aChartComesOutAsLittleCMSConvertsIt(test: Case) async throws {
        let photo = try await render(test.chart.encoded(test.suffix), recipe: Self.recipe)
        #expect(photo.rejection == nil)
        let expected = Self.expected(test)
        let jpeg = try #require(PhotoPixels(jpeg: photo.outputs[0]))
        let webp = try #require(PhotoPixels(webp: photo.outputs[1]))
        let half = try #require(PhotoPixels(jpeg: photo.outputs[2]))
        #expect(jpeg.bands == 3 && webp.bands == 3 && half.bands == 3)
        for (name, pixels) in [("JPEG", jpeg), ("WebP", webp), ("half", half)] {
            let differences = ColourDifferences(PatchChart.patches(in: pixels), expected)
            #expect(differences.median <= 1 && differences.largest <= 3, "\(name): \(differences)")
        }
    }

    /// The chunks of a PNG, each number in hundred-thousandths.
    private static func chunk(_ name: String, _ numbers: [Int], in file: [UInt8]) -> [UInt8] {
        PhotoFixture.png(chunk: name, numbers.flatMap { HEIFFixture.big($0, 4) }, in: file)
    }

    private static let displayP3 = [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000]

    @Test(arguments: [100_000, 55_556, 45_455, 35_000], [8, 16])
    func aPNGsGammaCounts(gamma: Int, bits: Int) async throws {
        let chart = PatchChart(.rgb, bits: bits)
        let photo = try await render(
            Self.chunk("gAMA", [gamma], in: chart.encoded(".png")), recipe: Self.recipe)
        let expected = chart.patches.map { colour in
            colour.map { value -> Double in
                guard gamma != 45_455 else { return value * 255 }
                let light = pow(value, 100_000 / Double(gamma))
                return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
            }
        }
        let pixels = try #require(PhotoPixels(webp: photo.outputs[1]))
        let differences = ColourDifferences(PatchChart.patches(in: pixels), expected)
        #expect(differences.median <= 1 && differences.largest <= 3, "\(differences)")
    }

    @Test func aPNGsChromaticitiesCountUnlessSomethingSaysMore() async throws {
        let chart = PatchChart(.rgb, bits: 8)
        let plain = chart.encoded(".png")
        let wide = Self.chunk("cHRM", Self.displayP3, in: Self.chunk("gAMA", [45_455], in: plain))
        // Its white is D50.
        let proPhoto = Self.chunk(
            "cHRM", [34_570, 35_850, 73_470, 26_530, 15_960, 84_040, 3_660, 10],
            in: Self.chunk("gAMA", [55_556], in: plain))
        let srgb = chart.patches.map { $0.map { $0 * 255 } }
        let p3 = ColourConversion(from: PhotoFixture.builtInProfile("p3"))!.srgb(chart.patches)
        for (file, expected) in [
            (wide, p3), (proPhoto, ColourConversion(from: ICCProfile.proPhoto)!.srgb(chart.patches)),
            (PhotoFixture.png(chunk: "sRGB", [0], in: wide), srgb),
            (PhotoFixture.png(chunk: "cICP", [1, 13, 0, 1], in: wide), srgb),
        ] {
            let photo = try await render(file, recipe: Self.recipe)
            let pixels = try #require(PhotoPixels(webp: photo.outputs[1]))
            let differences = ColourDifferences(PatchChart.patches(in: pixels), expected)
            #expect(differences.median <= 1 && differences.largest <= 3, "\(differences)")
        }
    }

    private static let profiles: [PatchChart.Model?: [UInt8]] = [
        .grey: ICCProfile.grey(gamma: 1.8), .rgb: ICCProfile.proPhoto,
        .cmyk: PhotoFixture.builtInProfile("cmyk"),
    ]

    /// Pixels of each kind in each format to which libvips adds profiles that are not theirs.
    static let strangers: [(PatchChart.Model, suffix: String, bits: Int)] = [
        (.grey, ".tif", 8), (.grey, ".tif", 16), (.rgb, ".jpg", 8), (.rgb, ".tif", 8), (.rgb, ".tif", 16),
        (.rgb, ".webp", 8), (.cmyk, ".jpg", 8), (.cmyk, ".tif", 8),
    ]

    @Test(arguments: strangers.indices)
    func aProfileForOtherPixelsIsIgnored(index: Int) async throws {
        let (model, suffix, bits) = Self.strangers[index]
        let plain = try await render(PatchChart(model, bits: bits).encoded(suffix))
        try #require(plain.rejection == nil)
        let others = Self.profiles.filter { $0.key != model }.values
        var written = 0
        for profile in [ICCProfile.lab, ICCProfile.xyz] + others {
            let photo = try await render(
                PatchChart(model, bits: bits, profile: profile).encoded(suffix))
            #expect(photo.outputs == plain.outputs)
            if photo.report?.stripped.contains("ICC") == true { written += 1 }
        }
        // libvips leaves some profiles out.
        #expect(written >= 2)
    }

    @Test(arguments: [PatchChart.Model.grey, .rgb], [8, 16])
    func soIsAPNGs(model: PatchChart.Model, bits: Int) async throws {
        let plain = PatchChart(model, bits: bits).encoded(".png")
        let expected = try await render(plain)
        for profile in [ICCProfile.lab, ICCProfile.xyz] + Self.profiles.filter({ $0.key != model }).values {
            let photo = try await render(
                PhotoFixture.png(chunk: "iCCP", [0x61, 0, 0] + PhotoFixture.deflated(profile), in: plain))
            #expect(photo.outputs == expected.outputs && photo.report?.stripped.contains("ICC") == true)
        }
    }

    /// What the file says besides is not forgotten with it.
    @Test func withoutAProfileThatFitsAPNGsGammaCounts() async throws {
        let plain = Self.chunk("gAMA", [100_000], in: PatchChart(.rgb, bits: 8).encoded(".png"))
        let expected = try await render(plain)
        let without = try await render(PatchChart(.rgb, bits: 8).encoded(".png"))
        try #require(expected.outputs != without.outputs)
        for profile in [ICCProfile.grey(gamma: 1.8), ICCProfile.lab, [1, 2, 3]] {
            let photo = try await render(
                PhotoFixture.png(chunk: "iCCP", [0x61, 0, 0] + PhotoFixture.deflated(profile), in: plain))
            #expect(photo.outputs == expected.outputs, "\(photo.verdict)")
        }
        let whole = try await render(
            PhotoFixture.png(
                chunk: "iCCP", [0x61, 0, 0] + PhotoFixture.deflated(PhotoFixture.builtInProfile("p3")),
                in: plain))
        #expect(whole.rejection == nil && whole.outputs != expected.outputs)
    }

    /// libpng leaves out a profile beside numbers that cannot be, or that contradict sRGB.
    @Test(arguments: [
        ("gAMA", [0]), ("gAMA", [1_000_000]), ("cHRM", [Int](repeating: 0, count: 8)), ("cHRM", displayP3),
    ])
    func aPNGsProfileCountsBesideWrongNumbers(name: String, numbers: [Int]) async throws {
        let profile = [0x61, 0, 0] + PhotoFixture.deflated(PhotoFixture.builtInProfile("p3"))
        let plain = PatchChart(.rgb, bits: 8).encoded(".png")
        let expected = try await render(PhotoFixture.png(chunk: "iCCP", profile, in: plain))
        let without = try await render(plain)
        try #require(expected.rejection == nil && expected.outputs != without.outputs)
        let before = Self.chunk(name, numbers, in: PhotoFixture.png(chunk: "iCCP", profile, in: plain))
        let behind = PhotoFixture.png(chunk: "iCCP", profile, in: Self.chunk(name, numbers, in: plain))
        for file in [before, behind] {
            #expect(try await render(file).outputs == expected.outputs)
        }
    }

    @Test(arguments: ["gAMA", "cHRM", "sRGB", "cICP"]) func aPNGsDamagedColoursAreIgnored(name: String)
        async throws
    {
        let numbers = ["gAMA": [100_000], "cHRM": Self.displayP3]
        let plain = Self.chunk("gAMA", [55_556], in: PatchChart(.rgb, bits: 8).encoded(".png"))
        let bytes =
            numbers[name]?.flatMap { HEIFFixture.big($0, 4) } ?? (name == "sRGB" ? [0] : [9, 16, 0, 1])
        let base = name == "gAMA" ? PatchChart(.rgb, bits: 8).encoded(".png") : plain
        var file = PhotoFixture.png(chunk: name, bytes, in: base)
        let whole = try await render(file)
        let expected = try await render(base)
        let at = try #require(file.indices.dropLast(4).first { file[$0..<$0 + 4].elementsEqual(name.utf8) })
        file[at + 4 + bytes.count] ^= 1
        #expect(try await render(file).outputs == expected.outputs)
        #expect(name == "cHRM" || whole.outputs != expected.outputs)
    }

    /// A decoder ignores a profile behind sRGB, and both behind a palette.
    @Test(arguments: [false, true])
    func aPNGsProfileCountsBeforeSRGB(hasPalette: Bool) async throws {
        func photo(_ chunks: (String, [UInt8])...) async throws -> Rendered {
            try await render(PhotoFixture.png(of: [200, 90, 40], hasPalette: hasPalette, before: chunks))
        }
        let profile = ("iCCP", [0x61, 0, 0] + PhotoFixture.deflated(PhotoFixture.builtInProfile("p3")))
        let (sRGB, cICP) = (("sRGB", [0] as [UInt8]), ("cICP", [1, 13, 0, 1] as [UInt8]))
        let plain = try await photo()
        let converted = try await photo(profile)
        try #require(plain.rejection == nil && converted.rejection == nil)
        #expect(converted.outputs != plain.outputs)
        for found in [try await photo(sRGB, profile), try await photo(profile, sRGB)] {
            #expect(found.outputs == converted.outputs)
        }
        for found in [
            try await photo(sRGB), try await photo(cICP), try await photo(cICP, profile),
            try await photo(profile, cICP), try await photo(sRGB, profile, cICP),
        ] {
            #expect(found.outputs == plain.outputs)
        }
    }

    @Test(arguments: HEIFFixture.Codec.allCases)
    func soIsAHEIFs(codec: HEIFFixture.Codec) async throws {
        var file = HEIFFixture(codec)
        let expected = try await render(file.bytes)
        let count = file.associations.count
        for profile in [ICCProfile.lab, ICCProfile.xyz] + Self.profiles.filter({ $0.key != .rgb }).values {
            file.associations.removeSubrange(count...)
            file.add(HEIFFixture.box("colr", Array("prof".utf8) + profile))
            let photo = try await render(file.bytes)
            #expect(photo.outputs == expected.outputs && photo.report?.stripped == ["ICC"])
        }
    }

    @Test(arguments: [("p3", 8), ("p3", 16), ("adobe", 8), ("adobe", 16), (nil, 8), (nil, 16)])
    func transparencyIsKeptOrLaidOnWhiteAfterTheConversion(profile: String?, bits: Int) async throws {
        let srgb = PhotoFixture.builtInProfile("srgb")
        let bytes = profile.map { $0 == "p3" ? PhotoFixture.builtInProfile("p3") : ICCProfile.adobeRGB }
        let chart = PatchChart(.rgb, bits: bits, profile: bytes, hasAlpha: true)
        let colours = ColourConversion(from: bytes ?? srgb)!.srgb(chart.patches)
        let onWhite = zip(colours, chart.opacities).map { colour, opacity in
            colour.map { $0 * opacity + 255 * (1 - opacity) }
        }
        let file = chart.encoded(".png")
        var opaque = Self.recipe
        opaque.renditions.removeAll(where: \.encoding.keepsAlpha)
        for recipe in [Self.recipe, opaque] {
            let photo = try await render(file, recipe: recipe)
            for (spec, output) in zip(recipe.renditions, photo.outputs) {
                let isWebP = spec.encoding.keepsAlpha
                let pixels = try #require(isWebP ? PhotoPixels(webp: output) : PhotoPixels(jpeg: output))
                try #require(pixels.bands == (isWebP ? 4 : 3))
                let found = PatchChart.patches(in: pixels)
                let differences = ColourDifferences(
                    found.map { Array($0.prefix(3)) }, isWebP ? colours : onWhite)
                #expect(
                    differences.median <= 1 && differences.largest <= 3, "\(spec.name): \(differences)")
                guard isWebP else { continue }
                let deviations = zip(found, chart.opacities).map { abs($0[3] - $1 * 255) }
                #expect(deviations.max()! <= 1)
            }
        }
    }

    /// Four greys, 0, 85, 170 and 255, in an AVIF of one plane and limited range, as Pillow 12 writes it.
    private static let limitedGrey =
        "AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAOltZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRt"
        + "AAAAAAABAAAAHmlsb2MAAAAARAAAAQABAAAAAQAAAQ0AAAAmAAAAKGlpbmYAAAAAAAEAAAAaaW5mZQIAAAAAAQAAYXYwMUNvbG9yAAAAAGhp"
        + "cHJwAAAASWlwY28AAAAUaXNwZQAAAAAAAABAAAAAIAAAAA5waXhpAAAAAAEIAAAADGF2MUOBABwAAAAAE2NvbHJuY2x4AAEADQAGAAAAABdp"
        + "cG1hAAAAAAAAAAEAAQQBAoMEAAAALm1kYXQSAAoJGBU//ywENBiAMhcQAKDT9luzhcekT4CpUGlKQUjGPu3+gA=="

    /// The same, multiplied by an alpha channel of 128, as Pillow 13 writes it.
    private static let multipliedGrey =
        "AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAXhtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRt"
        + "AAAAAAABAAAALGlsb2MAAAAARAAAAgABAAAAAQAAAawAAAAmAAIAAAABAAABnAAAABAAAABCaWluZgAAAAAAAgAAABppbmZlAgAAAAABAABh"
        + "djAxQ29sb3IAAAAAGmluZmUCAAAAAAIAAGF2MDFBbHBoYQAAAAAoaXJlZgAAAAAAAAAOcHJlbQABAAEAAgAAAA5hdXhsAAIAAQABAAAAp2lw"
        + "cnAAAACBaXBjbwAAABRpc3BlAAAAAAAAAEAAAAAgAAAADnBpeGkAAAAAAQgAAAAMYXYxQ4EAHAAAAAATY29scm5jbHgAAQANAAYAAAAAOGF1"
        + "eEMAAAAAdXJuOm1wZWc6bXBlZ0I6Y2ljcDpzeXN0ZW1zOmF1eGlsaWFyeTphbHBoYQAAAAAeaXBtYQAAAAAAAAACAAEEAQKDBAACBAECgwUA"
        + "AAA+bWRhdBIACgYYFT/7CoAyBBAAwAkSAAoJGBU/+wwENBiAMhcQANnaNYos67K/ZhYGQOEJ+DdJNsxagA=="

    @Test func greyOfLimitedRangeIsExpandedBeforeItIsDivided() async throws {
        let file = [UInt8](try #require(Data(base64Encoded: Self.multipliedGrey)))
        let pixels = try #require(
            PhotoPixels(jpeg: try await render(file, recipe: Self.recipe).outputs[0]))
        for (index, grey) in [0, 85, 170, 255].enumerated() {
            let found = pixels.colour((Double(index) + 0.5) / 4, 0.5)
            let expected = (grey * 128 + 255 * 127) / 255
            #expect(found.allSatisfy { abs($0 - expected) <= 3 }, "\(found), not \(expected)")
        }
    }

    @Test(arguments: [false, true]) func greyOfLimitedRangeIsExpanded(saysSoInItsData: Bool) async throws {
        var file = [UInt8](try #require(Data(base64Encoded: Self.limitedGrey)))
        if saysSoInItsData {
            let property = try #require(file.indices.first { file[$0...].starts(with: Array("colr".utf8)) })
            file.replaceSubrange(property..<property + 4, with: Array("skip".utf8))
        }
        let pixels = try #require(
            PhotoPixels(jpeg: try await render(file, recipe: Self.recipe).outputs[0]))
        for (index, grey) in [0, 85, 170, 255].enumerated() {
            let found = pixels.colour((Double(index) + 0.5) / 4, 0.5)
            let isRight = found.allSatisfy { abs($0 - grey) <= 2 }
            #expect(isRight, "\(found), not \(grey)")
        }
    }

    /// A slope of 3 x + 2 y in a HEIC of one plane, as heif-enc 1.15 codes it, but said to be of limited range.
    private static let limitedGreyHEIC =
        "AAAAGGZ0eXBoZWljAAAAAG1pZjFoZWljAAAAnG1kYXQAAACQKAGuJ5BoKt7qOygOqM9jc0tlTqtXA6KP6NbRY02O0MABU9zojv617ybfoF6nz6"
        + "BIKKZ+qVaKWCTdEEAeyiDq1w+CIwi0OYtMN7q/4p+1CIq+EXOymeVTxhmmhuRn3YjODmZ1NDFEjiJ3EjYYIl/GPymhCMQDDVM/an+t9GNALFci"
        + "y4f/yYjTrh+QZc66jJRAAAABPm1ldGEAAAAAAAAAIWhkbHIAAAAAAAAAAHBpY3QAAAAAAAAAAAAAAAAAAAAADnBpdG0AAAAAAAEAAAAjaWluZg"
        + "AAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAAgAAAAlAAAAMJpcHJwAAAAoWlwY28AAAByaHZjQwEE"
        + "CAAAAAAAAAAAAB7wAPz8+PgAAA8DIAABABdAAQwB//8ECAAAAwCf+AAAAwAAHroCQCEAAQAmQgEBBAgAAAMAn/gAAAMAAB7AggQWW6kkprmwIA"
        + "AAAwAgAAADACEiAAEAB0QBwXKwIkAAAAAUaXNwZQAAAAAAAABAAAAAQAAAABNjb2xybmNseAABAA0ABgAAAAAZaXBtYQAAAAEAAAABAAEDAAEA"
        + "AgAD"

    @Test func soIsThatOfAHEIC() async throws {
        let file = [UInt8](try #require(Data(base64Encoded: Self.limitedGreyHEIC)))
        let pixels = try #require(
            PhotoPixels(jpeg: try await render(file, recipe: Self.recipe).outputs[0]))
        for (x, y) in [(20, 10), (40, 30), (60, 20)] {
            let found = pixels.colour((Double(x) + 0.5) / 64, (Double(y) + 0.5) / 64)
            let expected = (3 * x + 2 * y - 16) * 255 / 219
            #expect(found.allSatisfy { abs($0 - expected) <= 8 }, "\(found), not \(expected)")
        }
    }

    /// Whether a picture has one colour, its coded data say.
    @Test(arguments: [true, false]) func aConfigurationMayBeWrongAboutColours(isGrey: Bool) async throws {
        let encoded = [UInt8](try #require(Data(base64Encoded: Self.limitedGrey)))
        var file = isGrey ? HEIFFixture(.av1, of: encoded, width: 64, height: 32, bits: 8) : HEIFFixture(.av1)
        file.add(HEIFFixture.box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, 6, 0]))
        var wrong = file
        wrong.properties[0][8 + 2] ^= 0x10
        try await expect(wrong.bytes, isShownAs: file.bytes)
    }

    /// The decoder shows all tiles like the first one.
    @Test func allTilesHaveOneColourOrNone() async throws {
        let grid = HEIFFixture.grid(.av1, width: 64, height: 64, side: 64, high: 32)
        #expect(try await render(grid).rejection == nil)
        let encoded = [UInt8](try #require(Data(base64Encoded: Self.limitedGrey)))
        let grey = HEIFFixture(.av1, of: encoded, width: 64, height: 32, bits: 8).picture
        let locations = try #require(grid.indices.first { grid[$0...].starts(with: Array("iloc".utf8)) })
        // Entries have 14 bytes: that of the grid, of the first tile, and of the second.
        var file = grid + grey
        let at = locations + 12 + 2 * 14 + 6
        file.replaceSubrange(
            at..<at + 8, with: HEIFFixture.big(grid.count, 4) + HEIFFixture.big(grey.count, 4))
        #expect(try await render(file).detail == HEIFFixture.contradiction)
    }

    /// RGB without a `colr`, in 64 x 32 pixels of one colour, as aomenc 3.6 codes it.
    @Test(arguments: [
        ("EgAKCTgVP/tISGgAgDIVEAAAAFMG9tEJlS1Z+vC/4Hkmi/Yw", PhotoRejection.Code.unsupportedFormat),
        ("EgAKCTgVP/tISGgEgDIVEAAAAFMG9tEJlS1Z+vC/4Hkmi/Yw", nil),
    ])
    func aSequencesRangeCounts(data: String, rejection: PhotoRejection.Code?) async throws {
        var photo = HEIFFixture(.av1, width: 64, height: 32)
        photo.properties[0] = HEIFFixture.box("av1C", [0x81, 0x3F, 0, 0])
        photo.picture = [UInt8](try #require(Data(base64Encoded: data)))
        #expect(try await render(photo.bytes).rejection == rejection)
    }

    /// The decoder returns such a picture in three colours.
    @Test func aGreyProfileOfAHEIFOfOneColourCounts() async throws {
        let encoded = [UInt8](try #require(Data(base64Encoded: Self.limitedGrey)))
        var file = HEIFFixture(.av1, of: encoded, width: 64, height: 32, bits: 8)
        file.add(HEIFFixture.box("colr", Array("prof".utf8) + ICCProfile.grey(gamma: 1.8)))
        let photo = try await render(file.bytes, recipe: Self.recipe)
        let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]))
        for (index, grey) in [0, 85, 170, 255].enumerated() {
            let light = pow(Double(grey) / 255, 1.8)
            let expected = 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
            let found = pixels.colour((Double(index) + 0.5) / 4, 0.5)
            #expect(found.allSatisfy { abs(Double($0) - expected) <= 3 }, "\(found), not \(expected)")
        }
    }

    /// Pairs from table 1 of Sharma, Wu and Dalal 2005 that implementations often get wrong.
    @Test(arguments: [
        ([50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425), ([50, 0, 0], [50, -1, 2], 2.3669),
        ([50, 2.49, -0.001], [50, -2.49, 0.0009], 7.1792),
        ([50, 2.49, -0.001], [50, -2.49, 0.0011], 7.2195),
        ([50, -0.001, 2.49], [50, 0.0009, -2.49], 4.8045), ([50, 2.5, 0], [50, 0, -2.5], 4.3065),
        ([50, 2.5, 0], [73, 25, -18], 27.1492), ([50, 2.5, 0], [56, -27, -3], 31.9030),
        ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
        ([22.7233, 20.0904, -46.6940], [23.0331, 14.9730, -42.5619], 2.0373),
        ([2.0776, 0.0795, -1.1350], [0.9033, -0.0636, -0.5514], 0.9082),
    ])
    func theDifferenceIsThatOfThePublishedPairs(first: [Double], second: [Double], expected: Double) {
        let (first, second) = (
            LabColour(first[0], first[1], first[2]), LabColour(second[0], second[1], second[2])
        )
        #expect(abs(first.difference(to: second) - expected) < 5e-5)
        #expect(abs(second.difference(to: first) - expected) < 5e-5)
    }
}
