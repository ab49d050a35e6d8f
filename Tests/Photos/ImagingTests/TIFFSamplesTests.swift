import Imaging
import TestKit
import Testing

/// Every way in which a TIFF may store the colours of a chart: it comes out right, or it is refused with the right words.
@Suite(.computing, .timeLimit(.minutes(15))) struct TIFFSamplesTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        /// The tag PhotometricInterpretation.
        var photometric: Int
        var bits: Int
        /// The tag ExtraSamples; nil stands for one more value without the tag.
        var extras: [Int]?
        /// Unsigned, signed, floating point, not said.
        var sampleFormat = 1
        var isPlanar = false
        var isBig = false
        /// Numbers below 256 are stored as bytes.
        var hasBytes = false
        /// Further entries of the directory, of type SHORT.
        var others: [Int: [Int]] = [:]
        var hasPalette = true

        var testDescription: String {
            "photometric \(photometric), \(bits) bits, format \(sampleFormat), extras \(extras ?? [-1])"
                + (isPlanar ? ", planar" : "") + (isBig ? ", big endian" : "")
        }

        /// Whether a person who has such a photo must be able to upload it.
        var isUsual: Bool {
            guard [1, 4].contains(sampleFormat), !isPlanar, extras == [] || bits >= 8 && photometric != 8,
                extras != [0, 2]
            else { return false }
            switch photometric {
            case 0: return [1, 8, 16].contains(bits) && extras?.first != 1
            case 1: return [1, 8, 16].contains(bits)
            case 5: return bits == 8 || bits == 16 && extras?.first != 1
            case 2, 8: return [8, 16].contains(bits)
            case 3: return [4, 8].contains(bits) && extras == []
            default: return false
            }
        }
    }

    /// The ordinary ones, with all bits and extra values; then all others that the standard or a program knows.
    static let kinds: [Kind] = {
        let extras: [[Int]?] = [[], [0], [1], [2], [0, 2], [2, 0], nil]
        let ordinary = [0, 1, 2, 3, 5, 8].flatMap { photometric in
            [1, 2, 4, 8, 16].flatMap { bits in
                extras.flatMap { extras in
                    [(false, false), (true, false), (false, true)].map {
                        Kind(
                            photometric: photometric, bits: bits, extras: extras, isPlanar: $0.0, isBig: $0.1)
                    }
                }
            }
        }
        let odd = (0...10).flatMap { photometric in
            [8, 12, 16, 24, 32, 64].flatMap { bits in
                (0...6).map { Kind(photometric: photometric, bits: bits, extras: [], sampleFormat: $0) }
            }
        }
        return ordinary + odd + [
            Kind(photometric: 2, bits: 8, extras: [], hasBytes: true),
            Kind(photometric: 1, bits: 16, extras: [2], isBig: true, hasBytes: true),
        ]
    }()

    @Test func aChartComesOutRightOrIsRefusedInTheRightWords() async throws {
        var accepted = 0
        // The step has no factor in common with the numbers of values of a kind.
        for kind in Self.kinds.every(23) + Self.kinds.suffix(2) {
            let chart = TIFFChart(kind)
            let photo = try await render(chart.bytes, recipe: Self.recipe)
            if let rejection = photo.rejection {
                #expect(rejection == .unsupportedFormat, "\(kind.testDescription): \(rejection)")
                #expect(!kind.isUsual, "\(kind.testDescription): \(rejection)")
                continue
            }
            accepted += 1
            let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]))
            let differences = ColourDifferences(PatchChart.patches(in: pixels), chart.expected)
            #expect(
                differences.median <= 1.5 && differences.largest <= 3.5,
                "\(kind.testDescription): \(differences)")
        }
        #expect(accepted > Self.kinds.every(23).count / 8)
    }

    /// Inks (InkSet), the value of no ink (DotRange), a palette that is not there, more entries than are read, and a second
    /// value behind the colours that is transparency.
    static let rare: [(kind: Kind, rejection: PhotoRejection.Code?)] = [
        (Kind(photometric: 5, bits: 8, extras: [], others: [0x014C: [1], 0x0150: [0, 255]]), nil),
        (Kind(photometric: 5, bits: 8, extras: [], others: [0x0150: [10, 240]]), nil),
        (Kind(photometric: 5, bits: 8, extras: [], others: [0x014C: [2]]), .unsupportedFormat),
        (Kind(photometric: 5, bits: 8, extras: [], others: [0x0150: [255, 0]]), .unsupportedFormat),
        (Kind(photometric: 5, bits: 16, extras: [], others: [0x0150: [65_535, 0]]), .unsupportedFormat),
        (Kind(photometric: 2, bits: 8, extras: [], others: [0x014C: [2], 0x0150: [255, 0]]), nil),
        (Kind(photometric: 3, bits: 8, extras: [], hasPalette: false), .corrupt),
        (Kind(photometric: 2, bits: 8, extras: [0, 2]), .unsupportedFormat),
        (Kind(photometric: 2, bits: 8, extras: [0, 0, 1]), .unsupportedFormat),
        (
            Kind(
                photometric: 2, bits: 8, extras: [],
                others: Dictionary(uniqueKeysWithValues: (0..<600).map { (40_000 + $0, [1]) })), nil
        ),
    ]

    @Test(arguments: rare.indices) func whatIsRareIsRightOrRefused(index: Int) async throws {
        let (kind, rejection) = Self.rare[index]
        let chart = TIFFChart(kind)
        let photo = try await render(chart.bytes, recipe: Self.recipe)
        #expect(photo.rejection == rejection, "\(photo.verdict)")
        guard rejection == nil else { return }
        let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]))
        let differences = ColourDifferences(PatchChart.patches(in: pixels), chart.expected)
        #expect(differences.median <= 1.5 && differences.largest <= 3.5, "\(differences)")
    }

    /// A directory that claims more tiles than any photo has, of which the decoder would ask for each.
    @Test(arguments: [(5_056, false), (5_072, true), (4_294_967_280, true)])
    func aTIFFMayHaveAHundredThousandTiles(side: Int, isRefused: Bool) async throws {
        var file = PhotoFixture.pattern(
            width: 40, height: 30, suffix: ".tif[tile,tile-width=16,tile-height=16]")
        for tag in [0x00, 0x01] as [UInt8] {
            let entry = try #require(
                file.indices.dropLast(12).first {
                    file[$0] == tag && file[$0 + 1] == 1 && [3, 4].contains(file[$0 + 2])
                        && Array(file[$0 + 3..<$0 + 8]) == [0, 1, 0, 0, 0]
                })
            file[entry + 2] = 4
            for byte in 0..<4 { file[entry + 8 + byte] = UInt8(side >> (8 * byte) & 255) }
        }
        #expect(try await (render(file).rejection == .metadataTooLarge) == isRefused)
    }

    private static let recipe = Recipe(
        name: "colours", version: 1,
        renditions: [RenditionSpec(name: "jpeg", shape: .fit(longSide: 160), encoding: .jpeg(quality: 100))])
}

/// The chart of patches as a TIFF, whose rows are in one strip for each plane.
private struct TIFFChart {
    let bytes: [UInt8]
    /// In 8-bit sRGB, on white.
    let expected: [[Double]]

    private static let side = 20

    init(_ kind: TIFFSamplesTests.Kind) {
        let most = Double(UInt64(1) << UInt64(min(kind.bits, 32)) - 1)
        var palette: [UInt16] = []
        // The values of each patch from 0 to 1, and its colour.
        let colours: [(values: [Double], srgb: [Double])]
        switch kind.photometric {
        case 0, 1:
            let steps = (0..<PatchChart.count).map {
                (Double($0) / Double(PatchChart.count - 1) * most).rounded() / most
            }
            colours = steps.map {
                ([kind.photometric == 0 ? 1 - $0 : $0], Array(repeating: $0 * 255, count: 3))
            }
        case 3:
            let entries = 1 << min(kind.bits, 8)
            let table = (0..<entries).map { PatchChart.srgb[$0 % PatchChart.count] }
            palette = (0..<3).flatMap { band in table.map { UInt16($0[band].rounded()) * 257 } }
            colours = (0..<PatchChart.count).map { patch in
                let entry = patch % entries
                return ([Double(entry) / most], table[entry].map { $0.rounded() })
            }
        case 5:
            let patches = PatchChart(.cmyk).patches
            let srgb = ColourConversion(from: PhotoFixture.builtInProfile("cmyk"))!.srgb(patches)
            colours = zip(patches, srgb).map { ($0, $1) }
        case 8:
            colours = PatchChart.srgb.map { srgb in
                let lab = LabColour(srgb: srgb)
                // a and b are signed, of 1 in 8 bits and of a 256th in 16.
                func signed(_ value: Double) -> Double {
                    kind.bits == 8
                        ? Double(UInt8(bitPattern: Int8(value.rounded()))) / 255
                        : Double(UInt16(bitPattern: Int16((value * 256).rounded()))) / 65_535
                }
                return ([lab.lightness / 100, signed(lab.a), signed(lab.b)], srgb)
            }
        default: colours = PatchChart.srgb.map { ($0.map { $0 / 255 }, $0) }
        }
        let extras = kind.extras ?? [2]
        let isTransparent = extras.first == 1 || extras.first == 2
        let opacities = (0..<PatchChart.count).map { patch in
            patch < PatchChart.count / 2 ? 1.0 : ((0.5 * most).rounded(.up) / most)
        }
        let isMultiplied = extras.first == 1
        let pixels = zip(colours, opacities).map { colour, opacity in
            colour.values.map { isMultiplied ? $0 * opacity : $0 } + extras.map { _ in opacity }
        }
        expected = zip(colours, opacities).map { colour, opacity in
            isTransparent ? colour.srgb.map { $0 * opacity + 255 * (1 - opacity) } : colour.srgb
        }
        bytes = Self.file(kind, pixels, palette)
    }

    private static func file(
        _ kind: TIFFSamplesTests.Kind, _ pixels: [[Double]], _ palette: [UInt16]
    ) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return kind.isBig ? little.reversed() : little
        }
        let (width, height) = (PatchChart.columns * side, PatchChart.rows * side)
        let values = pixels[0].count
        let planes = kind.isPlanar ? (0..<values).map { [$0] } : [Array(0..<values)]
        let strips = planes.map { plane in
            (0..<height).flatMap { y in
                row(
                    (0..<width).flatMap { x in
                        plane.map { pixels[y / side * PatchChart.columns + x / side][$0] }
                    }, kind, number)
            }
        }
        var entries: [(tag: Int, type: Int, values: [Int])] = [
            (0x0100, 3, [width]), (0x0101, 3, [height]),
            (0x0102, 3, Array(repeating: kind.bits, count: values)),
            (0x0103, 3, [1]), (0x0106, 3, [kind.photometric]), (0x0111, 4, strips.map { _ in 0 }),
            (0x0115, 3, [values]), (0x0116, 3, [height]), (0x0117, 4, strips.map(\.count)),
            (0x011C, 3, [kind.isPlanar ? 2 : 1]),
        ]
        entries += kind.others.map { ($0.key, 3, $0.value) }
        if !palette.isEmpty, kind.hasPalette { entries.append((0x0140, 3, palette.map { Int($0) })) }
        if let extras = kind.extras, !extras.isEmpty { entries.append((0x0152, 3, extras)) }
        if kind.sampleFormat != 1 {
            entries.append((0x0153, 3, Array(repeating: kind.sampleFormat, count: values)))
        }
        if kind.hasBytes {
            for index in entries.indices
            where entries[index].type == 3 && entries[index].values.allSatisfy({ $0 < 256 }) {
                entries[index].type = 1
            }
        }
        let sizes = [1: 1, 3: 2, 4: 4]
        let start = 8 + 2 + 12 * entries.count + 4
        func size(_ entry: (tag: Int, type: Int, values: [Int])) -> Int {
            entry.values.count * (sizes[entry.type] ?? 4)
        }
        let dataStart = start + entries.map { size($0) > 4 ? size($0) + size($0) % 2 : 0 }.reduce(0, +)
        var position = dataStart
        let offsets = strips.map { strip in
            defer { position += strip.count }
            return position
        }
        var head =
            Array((kind.isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4) + number(entries.count, 2)
        var tail: [UInt8] = []
        for entry in entries {
            let values = entry.tag == 0x0111 ? offsets : entry.values
            let bytes = values.flatMap { number($0, sizes[entry.type] ?? 4) }
            head += number(entry.tag, 2) + number(entry.type, 2) + number(values.count, 4)
            if bytes.count <= 4 {
                head += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
            } else {
                head += number(start + tail.count, 4)
                tail += bytes + (bytes.count % 2 == 0 ? [] : [0])
            }
        }
        return head + number(0, 4) + tail + strips.flatMap { $0 }
    }

    /// Packs values from 0 to 1, the highest bit first.
    private static func row(
        _ values: [Double], _ kind: TIFFSamplesTests.Kind, _ number: (Int, Int) -> [UInt8]
    ) -> [UInt8] {
        if kind.sampleFormat == 3 {
            return values.flatMap { value in
                switch kind.bits {
                case 16: number(Int(Float16(value).bitPattern), 2)
                case 64: number(Int(truncatingIfNeeded: value.bitPattern), 8)
                default: number(Int(Float(value).bitPattern), kind.bits / 8)
                }
            }
        }
        let most = Double(UInt64(1) << UInt64(min(kind.bits, 32)) - 1)
        if kind.bits >= 8, kind.bits % 8 == 0 {
            return values.flatMap { number(Int(($0 * most).rounded()), kind.bits / 8) }
        }
        var bytes = [UInt8](repeating: 0, count: (values.count * kind.bits + 7) / 8)
        for (index, value) in values.enumerated() {
            let code = Int((value * most).rounded())
            for bit in 0..<kind.bits where code >> (kind.bits - 1 - bit) & 1 == 1 {
                let at = index * kind.bits + bit
                bytes[at / 8] |= 0x80 >> UInt8(at % 8)
            }
        }
        return bytes
    }
}
