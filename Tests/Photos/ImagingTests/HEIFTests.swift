import Imaging
import TestKit
import Testing

/// How item properties turn, mirror and crop HEIC and AVIF photos.
@Suite(.computing, .timeLimit(.minutes(15))) struct HEIFTests {
    private static let white = [255, 255, 255]
    private static let red = [220, 30, 30]
    private static let green = [30, 200, 30]
    private static let blue = [30, 30, 220]
    private static let yellow = [230, 220, 30]

    /// Quarter turns, mirror axis, and the equivalent EXIF orientation, as libavif pairs them.
    static let turns: [(turns: UInt8?, axis: UInt8?, orientation: Int)] = [
        (nil, nil, 1), (nil, 1, 2), (2, nil, 3), (nil, 0, 4), (1, 0, 5), (3, nil, 6), (3, 0, 7), (1, nil, 8),
        (0, nil, 1), (0, 0, 4), (2, 1, 4), (2, 0, 2), (1, 1, 7), (3, 1, 5),
    ]

    private func expectCorners(
        _ photo: Rendered, _ colours: [[Int]] = [red, green, blue, yellow],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard case .accepted = photo.verdict else {
            Issue.record("\(photo.verdict)", sourceLocation: sourceLocation)
            return
        }
        for output in photo.outputs {
            let pixels = try #require(PhotoPixels(jpeg: output), sourceLocation: sourceLocation)
            for (index, expected) in colours.enumerated() {
                let found = pixels.colour(index % 2 == 0 ? 0.2 : 0.8, index < 2 ? 0.2 : 0.8)
                let distance = zip(found, expected).map { abs($0 - $1) }.max() ?? 255
                #expect(distance < 45, "\(index): \(found), not \(expected)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: HEIFFixture.Codec.allCases, turns.indices)
    func everyTurnAndMirrorComesOutUpright(codec: HEIFFixture.Codec, index: Int) async throws {
        let turn = Self.turns[index]
        for isFirst in [false, true] {
            var file = HEIFFixture(codec, orientation: turn.orientation)
            let boxes = [turn.turns.map(HEIFFixture.rotation), turn.axis.map(HEIFFixture.mirror)].compactMap {
                $0
            }
            // In front of the descriptive properties, the property that is inserted last comes first.
            for box in isFirst ? boxes.reversed() : boxes { file.add(box, first: isFirst) }
            let photo = try await render(file.bytes)
            try expectCorners(photo)
            let report = try #require(photo.report)
            #expect((report.width, report.height) == (turn.orientation < 5 ? (96, 64) : (64, 96)))
            #expect(report.orientation == 1)
        }
    }

    @Test func propertiesApplyInTheirOrder() async throws {
        var file = HEIFFixture(.av1, orientation: 7)
        file.add(HEIFFixture.mirror(0))
        file.add(HEIFFixture.rotation(1))
        try expectCorners(try await render(file.bytes))
    }

    @Test(arguments: 1...8)
    func aCropIsTakenInItsPlace(orientation: Int) async throws {
        let turn = try #require(Self.turns.first { $0.orientation == orientation })
        let boxes = [turn.turns.map(HEIFFixture.rotation), turn.axis.map(HEIFFixture.mirror)].compactMap {
            $0
        }
        // Shows the upright picture without its right and bottom quarter, so the centre moves.
        var after = HEIFFixture(.av1, orientation: orientation)
        for box in boxes { after.add(box) }
        let (width, height) = orientation < 5 ? (96, 64) : (64, 96)
        after.add(
            HEIFFixture.crop(
                width: width * 3 / 4, height: height * 3 / 4, right: -width / 8, down: -height / 8))
        let photo = try await render(after.bytes)
        #expect((photo.report?.width, photo.report?.height) == (width * 3 / 4, height * 3 / 4))
        let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]))
        let probes = [
            (0.55, 0.2, Self.red), (0.8, 0.2, Self.green), (0.2, 0.55, Self.red), (0.2, 0.8, Self.blue),
        ]
        for (x, y, expected) in probes {
            let found = pixels.colour(x, y)
            #expect((zip(found, expected).map { abs($0 - $1) }.max() ?? 255) < 45, "\(x) \(y) \(found)")
        }
        // The same with the stored picture before it is turned: the top left quadrant, wherever it ends up.
        var before = HEIFFixture(.av1, orientation: orientation)
        before.add(HEIFFixture.crop(width: 48, height: 32, right: -24, down: -16))
        for box in boxes { before.add(box) }
        let stored = [1: Self.red, 2: Self.green, 3: Self.yellow, 4: Self.blue][orientation]
        let turned = [5: Self.red, 6: Self.green, 7: Self.yellow, 8: Self.blue][orientation]
        let quadrant = try await render(before.bytes)
        let shown = try #require(PhotoPixels(jpeg: quadrant.outputs[0])).colour(0.25, 0.25)
        let expected = stored ?? turned ?? []
        #expect((zip(shown, expected).map { abs($0 - $1) }.max() ?? 255) < 45, "\(shown)")
        #expect((quadrant.report?.width, quadrant.report?.height) == (orientation < 5 ? (48, 32) : (32, 48)))
    }

    @Test func aCropMayStartBetweenTwoPixels() async throws {
        var file = HEIFFixture(.av1)
        file.add(HEIFFixture.crop(width: 61, height: 41, right: -1, down: 1, denominator: 3))
        let photo = try await render(file.bytes)
        #expect(photo.report?.width == 61 && photo.report?.height == 41)
        try expectCorners(photo)
    }

    @Test(arguments: [
        (97, 64, 0, 0, 1), (96, 65, 0, 0, 1), (48, 32, 25, 0, 1), (48, 32, 0, -17, 1), (0, 32, 0, 0, 1),
        (48, 32, 0, 0, 0), (0xFFFF_FFFF, 32, 0, 0, 1), (1, 1, 0x7FFF_FFFF, 0x7FFF_FFFF, 1),
    ])
    func aCropOutsideOfThePictureIsRefused(
        width: Int, height: Int, right: Int, down: Int, denominator: Int
    ) async throws {
        var file = HEIFFixture(.av1)
        file.add(
            HEIFFixture.crop(width: width, height: height, right: right, down: down, denominator: denominator)
        )
        let photo = try await render(file.bytes)
        guard case .rejected(let rejection, _) = photo.verdict else {
            Issue.record("accepted")
            return
        }
        #expect(rejection.code == .corrupt)
        // libheif itself refuses meaningless fractions.
        #expect(denominator == 0 || width > 0x7FFF_FFFF || rejection.message.contains("clean aperture"))
    }

    @Test(arguments: HEIFFixture.Codec.allCases)
    func theAlphaChannelIsTurnedWithThePicture(codec: HEIFFixture.Codec) async throws {
        for orientation in [1, 5, 6] {
            let turn = try #require(Self.turns.first { $0.orientation == orientation })
            var file = HEIFFixture(codec, orientation: orientation)
            file.addAlpha()
            for box in [turn.turns.map(HEIFFixture.rotation), turn.axis.map(HEIFFixture.mirror)] {
                if let box { file.add(box, first: true) }
            }
            if orientation == 5 { file.associations.swapAt(0, 1) }
            try expectCorners(try await render(file.bytes), [Self.red, Self.green, Self.blue, Self.white])
        }
    }

    @Test(arguments: HEIFFixture.Codec.allCases)
    func coloursThatWereMultipliedByTheTransparencyAreDivided(codec: HEIFFixture.Codec) async throws {
        for (isPremultiplied, expected) in [(false, [242, 237, 142]), (true, [255, 255, 157])] {
            var file = HEIFFixture(codec)
            file.addAlpha(transparent: 128)
            file.isPremultiplied = isPremultiplied
            for output in try await render(file.bytes).outputs {
                let found = try #require(PhotoPixels(jpeg: output)).colour(0.8, 0.8)
                let distance = zip(found, expected).map { abs($0 - $1) }.max() ?? 255
                #expect(distance <= 6, "\(isPremultiplied): \(found), not \(expected)")
            }
        }
    }

    /// 128 of an association says that the property is essential.
    @Test(
        arguments: [
            ("uncC", [0, 0, 0, 0], true), ("lsel", [0, 1], true), ("a1op", [1], true), ("zzzz", [], true),
            ("zzzz", [], false), ("a1op", [0], true), ("lsel", [0xFF, 0xFF], true),
            ("clli", [0, 0, 0, 0], true),
        ] as [(String, [UInt8], Bool)])
    func aPictureWithoutAnEssentialPropertyIsNotShown(
        name: String, content: [UInt8], isEssential: Bool
    ) async throws {
        var file = HEIFFixture(.av1)
        file.add(HEIFFixture.box(name, content))
        if isEssential { file.associations[file.associations.count - 1] |= 0x80 }
        let photo = try await render(file.bytes)
        let isKnown = ["clli", "a1op", "lsel"].contains(name) && content.first != 1 && content != [0, 1]
        #expect(photo.rejection == (isEssential && !isKnown ? .unsupportedFormat : nil))
    }

    @Test(arguments: ["zzzz", "clli"])
    func norIsOneWhoseAlphaChannelLacksIt(name: String) async throws {
        var file = HEIFFixture(.av1)
        file.addAlpha()
        file.properties.append(HEIFFixture.box(name, [0, 0, 0, 0]))
        file.alphaAssociations.append(file.properties.count | 0x80)
        let photo = try await render(file.bytes)
        #expect(photo.rejection == (name == "clli" ? nil : .unsupportedFormat))
    }

    @Test func anEssentialPropertyBehindManyOthersCounts() async throws {
        for name in ["zzzz", "clli"] {
            var file = HEIFFixture(.av1)
            file.properties += Array(repeating: HEIFFixture.box("free", []), count: 10_050)
            file.properties.append(HEIFFixture.box(name, [0, 0, 0, 0]))
            let wide = [1, 2, 3, 0x8000 | file.properties.count].flatMap { HEIFFixture.big($0, 2) }
            file.associationBox = HEIFFixture.box(
                "ipma", [0, 0, 0, 1] + HEIFFixture.big(1, 4) + HEIFFixture.big(1, 2) + [4] + wide)
            // What is not read is not known.
            #expect(try await render(file.bytes).rejection == .corrupt)
        }
    }

    /// An item that refers to its properties millions of times.
    @Test(arguments: HEIFFixture.Codec.allCases)
    func aLongDescriptionIsRefusedBeforeItIsRead(codec: HEIFFixture.Codec) async throws {
        var file = HEIFFixture(codec)
        let entry = HEIFFixture.big(1, 2) + [255] + [UInt8](repeating: 0x82, count: 255)
        file.associationBox = HEIFFixture.fullBox(
            "ipma", HEIFFixture.big(40_000, 4) + (0..<40_000).flatMap { _ in entry })
        #expect(try await render(file.bytes).rejection == .metadataTooLarge)
    }

    @Test func aStillPictureBesideASequenceIsShown() async throws {
        var file = HEIFFixture(.av1)
        file.brands = ["avis", "msf1", "miaf"]
        file.tail = HEIFFixture.box("moov", HEIFFixture.fullBox("mvhd", [UInt8](repeating: 0, count: 96)))
        try expectCorners(try await render(file.bytes))
    }

    @Test(arguments: ["avis", "hevc", "msf1"], [true, false])
    func aSequenceAloneIsRefusedByName(brand: String, hasMeta: Bool) async throws {
        var file = HEIFFixture(.av1)
        file.brands = [brand, "iso8"]
        file.hasPrimary = false
        file.tail = HEIFFixture.box("moov", HEIFFixture.fullBox("mvhd", [UInt8](repeating: 0, count: 96)))
        var bytes = file.bytes
        if !hasMeta {
            bytes.replaceSubrange(
                file.metaRange.lowerBound - 8..<file.metaRange.lowerBound - 4, with: Array("free".utf8))
        }
        let photo = try await render(bytes)
        guard case .rejected(let rejection, _) = photo.verdict else {
            Issue.record("accepted")
            return
        }
        #expect(rejection.code == .unsupportedFormat)
        #expect(rejection.message.contains("image sequence without a still picture"))
    }

    /// Boxes of associations and of the primary item with false counts, indices and lengths.
    static let lies: [(name: String, change: @Sendable (inout HEIFFixture) -> Void)] = [
        (
            "four thousand million entries",
            {
                $0.associationBox = HEIFFixture.fullBox("ipma", [255, 255, 255, 255, 0, 1, 3, 1, 2, 3])
            }
        ),
        (
            "more associations than bytes",
            {
                $0.associationBox = HEIFFixture.fullBox("ipma", [0, 0, 0, 1, 0, 1, 255, 1, 2, 3])
            }
        ),
        (
            "indices of no property",
            {
                $0.associationBox = HEIFFixture.fullBox("ipma", [0, 0, 0, 1, 0, 1, 3, 0, 0x7F, 0xFF])
            }
        ),
        (
            "wide indices of no property",
            {
                $0.associationBox = HEIFFixture.box(
                    "ipma", [1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0x7F, 0xFF, 0xFF, 0xFF])
            }
        ),
        (
            "a cut wide index",
            {
                $0.associationBox = HEIFFixture.box("ipma", [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 2, 0x80, 4, 0x80])
            }
        ),
        ("an empty box of associations", { $0.associationBox = HEIFFixture.box("ipma", []) }),
        ("a cut count", { $0.associationBox = HEIFFixture.box("ipma", [0, 0, 0, 0, 0, 0]) }),
        (
            "a length beyond the end",
            {
                $0.associationBox = [0x7F, 255, 255, 255] + Array("ipma".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]
            }
        ),
        ("a length of nothing", { $0.associationBox = [0, 0, 0, 0] + Array("ipma".utf8) }),
        (
            "the same entry a thousand times",
            {
                let entry: [UInt8] = [0, 1, 4, 4, 4, 4, 4]
                $0.associationBox = HEIFFixture.fullBox(
                    "ipma", HEIFFixture.big(1000, 4) + Array(repeating: entry, count: 1000).flatMap { $0 })
            }
        ),
        ("an empty primary box", { $0.primaryBox = HEIFFixture.box("pitm", []) }),
        ("a cut primary item", { $0.primaryBox = HEIFFixture.box("pitm", [1, 0, 0, 0, 0, 1]) }),
        ("a primary item that is not there", { $0.primaryBox = HEIFFixture.fullBox("pitm", [0xFF, 0xFF]) }),
        ("no primary item", { $0.hasPrimary = false }),
        (
            "an empty crop",
            {
                $0.properties.append(HEIFFixture.box("clap", []))
                $0.associations.append(5)
            }
        ),
        (
            "an empty rotation",
            {
                $0.properties.append(HEIFFixture.box("irot", []))
                $0.associations.append(5)
            }
        ),
        (
            "an empty mirror",
            {
                $0.properties.append(HEIFFixture.box("imir", []))
                $0.associations.append(5)
            }
        ),
        ("two hundred turns", { $0.associations += Array(repeating: 4, count: 200) }),
        (
            "its own alpha channel",
            {
                $0.addAlpha()
                $0.alphaAssociations = []
            }
        ),
    ]

    @Test(arguments: lies.indices)
    func aLyingBoxGetsAVerdict(index: Int) async throws {
        var file = HEIFFixture(.av1)
        file.add(HEIFFixture.rotation(1))
        Self.lies[index].change(&file)
        // A renderer that dies, or takes longer than it may, throws.
        _ = try await render(file.bytes)
    }

    @Test func aDamagedMetaBoxGetsAVerdict() async throws {
        var file = HEIFFixture(.av1)
        file.addAlpha()
        file.add(HEIFFixture.rotation(1))
        file.add(HEIFFixture.crop(width: 48, height: 32, right: 0, down: 0))
        let (sound, range) = (file.bytes, file.metaRange)
        var accepted = 0
        for (step, position) in range.enumerated() {
            var bytes = sound
            bytes[position] ^= [0xFF, 0x01, 0x80][step % 3]
            if try await render(bytes).rejection == nil { accepted += 1 }
        }
        #expect(accepted > 0 && accepted < range.count)
    }
}
