import Imaging
import TestKit
import Testing

/// Blocks of EXIF that are not quite as the standard has them.
@Suite(.computing, .timeLimit(.minutes(15))) struct OddBlocksTests {
    @Test(
        arguments: [
            "Exif\0\0", "exif\0\0", "EXIF\0\0", "Exif\0", "\0Exif\0\0", "\0\0Exif\0\0", "....exif\0",
            "\u{1}\u{2}\u{3}Exif\0\0",
        ].map { Array($0.utf8) } + (0...255).map { Array("Exif\0".utf8) + [$0] })
    func theHeaderOfEXIFMayBeOdd(header: [UInt8]) async throws {
        let report = try await report(header: header)
        #expect(report.gps == .valid(GPSFix(latitude: 46.5, longitude: 7.5), source: .exif))
        #expect(report.stripped.contains("EXIF"))
    }

    @Test(arguments: ["Exi", "Exif", "Exif\u{1}\0", ".....Exif\0\0", "exif"])
    func whatIsNoHeaderOfEXIFBeginsNone(header: String) async throws {
        let report = try await report(header: Array(header.utf8))
        #expect(report.gps == .absent && report.stripped == ["APP1"])
    }

    private func report(header: [UInt8]) async throws -> PhotoReport {
        var exif = PhotoEXIF()
        exif.setPosition(latitude: 46.5, longitude: 7.5)
        let segment = PhotoFixture.segment(0xE1, header + exif.block)
        return try await inspect(
            PhotoFixture.insert(segment, into: PhotoFixture.jpeg(width: 16, height: 16)))
    }

    private static func block(makerNote: Int) -> [UInt8] {
        var exif = PhotoEXIF()
        exif.set(
            .exif, 0x927C,
            .raw(type: 7, count: UInt32(makerNote), bytes: [UInt8](repeating: 0x55, count: makerNote)))
        exif.setPosition(latitude: 46.5, longitude: 7.5)
        return exif.block
    }

    private static func isThere(_ reading: GPSReading) -> Bool {
        if case .valid(let fix, .exif) = reading {
            abs(fix.latitude - 46.5) < 1e-6 && abs(fix.longitude - 7.5) < 1e-6
        } else {
            false
        }
    }

    @Test(arguments: [70_000, 100_000, 131_054, 131_055, 200_000])
    func aBlockMayTakeSeveralSegments(makerNote: Int) async throws {
        let block = Self.block(makerNote: makerNote)
        let most = 65_533 - 6
        let segments = stride(from: 0, to: block.count, by: most).flatMap { at in
            PhotoFixture.segment(0xE1, Array("Exif\0\0".utf8) + block[at..<min(at + most, block.count)])
        }
        let report = try await inspect(
            PhotoFixture.insert(segments, into: PhotoFixture.jpeg(width: 16, height: 16)))
        #expect(Self.isThere(report.gps))
    }

    /// TIFF's tag for XMP in a JPEG's block.
    @Test func aPacketInABlockIsRead() async throws {
        let packet = Array(LooseMetadataTests.plain.utf8)
        for (own, expected) in [
            (false, LooseMetadataTests.fix),
            (true, .valid(GPSFix(latitude: 1.5, longitude: 2.5), source: .exif)),
        ] {
            let photo = PhotoFixture.jpeg(width: 16, height: 16) { exif in
                exif.set(.main, 0x02BC, .raw(type: 1, count: UInt32(packet.count), bytes: packet))
                if own { exif.setPosition(latitude: 1.5, longitude: 2.5) }
            }
            let report = try await inspect(photo)
            #expect(report.gps == expected && report.stripped.contains("XMP"))
        }
    }

    @Test(arguments: [true, false], [3, 4, 13] as [UInt8])
    func thePlaceOfADirectoryMayHaveTwoBytes(isBig: Bool, type: UInt8) async throws {
        var exif = PhotoEXIF()
        exif.setPosition(latitude: 46.5, longitude: 7.5)
        var block = exif.block(isBigEndian: isBig)
        let tag: [UInt8] = isBig ? [0x88, 0x25, 0, 4] : [0x25, 0x88, 4, 0]
        let at = try #require(block.indices.first { block[$0...].starts(with: tag) })
        block[at + (isBig ? 3 : 2)] = type
        // In two bytes, what follows does not count.
        if type == 3 {
            let place = isBig ? Array(block[at + 10..<at + 12]) : Array(block[at + 8..<at + 10])
            block.replaceSubrange(at + 8..<at + 12, with: place + [0xAA, 0xAA])
        }
        let segment = PhotoFixture.segment(0xE1, Array("Exif\0\0".utf8) + block)
        let photo = PhotoFixture.insert(segment, into: PhotoFixture.jpeg(width: 16, height: 16))
        #expect(Self.isThere(try await inspect(photo).gps))
    }

    @Test func aRawProfileMayBeLong() async throws {
        let block = Self.block(makerNote: 2_000_000)
        let text = TIFFAndPNGTests.rawProfile("exif", Array("Exif\0\0".utf8) + block)
        let photo = PhotoFixture.png(
            chunk: "zTXt", Array("Raw profile type exif\0\0".utf8) + PhotoFixture.deflated(text))
        #expect(Self.isThere(try await inspect(photo).gps))
    }

    @Test func whatIsNoBlockDoesNotTakeItsPlace() async throws {
        let good = PhotoFixture.segment(0xE1, Array("Exif\0\0".utf8) + Self.block(makerNote: 4))
        let bad = PhotoFixture.segment(0xE1, Array("Exif\0\0nothing".utf8))
        let jpeg = PhotoFixture.jpeg(width: 16, height: 16)
        #expect(Self.isThere(try await inspect(PhotoFixture.insert(bad + good, into: jpeg)).gps))
        #expect(Self.isThere(try await inspect(PhotoFixture.insert(good + bad, into: jpeg)).gps))
        let keyword = { (name: String) in Array("Raw profile type \(name)\0".utf8) }
        let block = Array("Exif\0\0".utf8) + Self.block(makerNote: 4)
        let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(LooseMetadataTests.plain.utf8)
        let withXMP = PhotoFixture.png(
            chunk: "tEXt", keyword("APP1") + TIFFAndPNGTests.rawProfile("APP1", xmp))
        #expect(try await inspect(withXMP).gps == LooseMetadataTests.fix)
        let withBoth = PhotoFixture.png(
            chunk: "tEXt", keyword("exif") + TIFFAndPNGTests.rawProfile("exif", block), in: withXMP)
        #expect(Self.isThere(try await inspect(withBoth).gps))
        let withGarbage = PhotoFixture.png(chunk: "eXIf", [1, 2, 3, 4], in: withBoth)
        #expect(Self.isThere(try await inspect(withGarbage).gps))
    }

    @Test(arguments: HEIFFixture.Codec.allCases)
    func aBlockOfAnotherPictureIsNotThePhotos(codec: HEIFFixture.Codec) async throws {
        var other = PhotoEXIF()
        other.setPosition(latitude: 10.5, longitude: 20.5)
        var file = HEIFFixture(codec)
        file.hasSecondPicture = true
        func item(_ block: [UInt8], of picture: Int?) -> HEIFFixture.Metadata {
            var item = HEIFFixture.Metadata("Exif", [0, 0, 0, 0] + block)
            item.describes = picture
            return item
        }
        let own = Self.block(makerNote: 4)
        for (picture, isOwn) in [(1, true), (nil, true), (2, false)] as [(Int?, Bool)] {
            file.metadata = [item(other.block, of: 2), item(own, of: picture)]
            let reading = try await inspect(file.bytes).gps
            #expect(isOwn ? Self.isThere(reading) : reading == .absent, "\(String(describing: picture))")
        }
    }

    @Test(arguments: HEIFFixture.Codec.allCases)
    func aFileBehindAPhotoIsNotRead(codec: HEIFFixture.Codec) async throws {
        let file = HEIFFixture(codec).bytes
        let expected = try await render(file)
        #expect(expected.report != nil)
        let video: [UInt8] =
            [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0, 0, 0, 0, 8] + Array("mdat".utf8)
        for appended in [file, video, video + file] {
            let photo = try await render(file + appended)
            #expect(photo.outputs == expected.outputs, "\(photo.verdict)")
            #expect(photo.report?.stripped.contains("trailing data") == true)
        }
    }

    /// libexif follows each of them, at every level again.
    @Test func aDirectoryThatRefersToItselfCostsNothing() async throws {
        let count = 5_400
        var block = Array("II*\0".utf8) + [8, 0, 0, 0, UInt8(count & 255), UInt8(count >> 8)]
        for _ in 0..<count { block += [0x69, 0x87, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0] }
        block += [0, 0, 0, 0]
        let segment = PhotoFixture.segment(0xE1, Array("Exif\0\0".utf8) + block)
        let photo = try await render(
            PhotoFixture.insert(segment, into: PhotoFixture.jpeg(width: 16, height: 16)))
        #expect(photo.report?.exifFields == 0)
    }

    /// libexif would read the directory as often.
    @Test(arguments: [0x8769, 0x8825] as [UInt16]) func aPlaceOfADirectoryMayStandTwice(tag: UInt16)
        async throws
    {
        let photo = PhotoFixture.jpeg(width: 16, height: 16) {
            $0.set(.main, tag, .long(0))
            $0.set(.main, 0x0112, .short(6))
            $0.set(.exif, 0x9003, .ascii("2024:05:07 09:33:04"))
            $0.setPosition(latitude: 46.5, longitude: 7.5)
        }
        let report = try await inspect(photo)
        #expect(Self.isThere(report.gps) && report.orientation == 6)
        #expect(report.captureTime?.local == "2024-05-07T09:33:04")
        #expect(report.exifFields == 6)
    }

    /// In a block that libexif would not read to its end.
    @Test(arguments: [true, false], [40, 70]) func manyLongValuesHideNoPosition(
        isBelow: Bool, count: Int
    ) async throws {
        var exif = PhotoEXIF()
        exif.set(.exif, 0x9003, .ascii("2024:05:07 09:33:04"))
        exif.setPosition(latitude: 46.5, longitude: 7.5)
        for number in 0..<count {
            let bytes = [UInt8](repeating: 0x41, count: number % 2 == 0 ? 2_000 : 1_000)
            let value = PhotoEXIF.Value.raw(type: 7, count: UInt32(bytes.count), bytes: bytes)
            exif.set(.exif, UInt16(0x8000 + number), value)
            exif.set(.gps, UInt16(0x80 + number), value)
        }
        var block = exif.block
        if isBelow {
            // The main directory has both places. The second one moves into the directory that the first one gives.
            let second = Array(block[22..<34])
            let main = Array(block[10..<22])
            let below = Int(main[8]) | Int(main[9]) << 8
            let entries = Int(block[below]) | Int(block[below + 1]) << 8
            let directory = [UInt8(entries + 1), 0] + second + block[below + 2..<below + 2 + 12 * entries]
            let place = (0..<4).map { UInt8(block.count >> (8 * $0) & 255) }
            block.replaceSubrange(
                8..<34, with: [1, 0] + main[..<8] + place + [0, 0, 0, 0] + [UInt8](repeating: 0, count: 8))
            block += directory + [0, 0, 0, 0]
        }
        let photo = PhotoFixture.png(chunk: "eXIf", block)
        let report = try await inspect(photo)
        #expect(block.count > 65_536 && Self.isThere(report.gps))
        #expect(report.captureTime?.local == "2024-05-07T09:33:04")
    }

    /// A block with many entries of the main directory, whose values are the same bytes, and a position.
    private static func crowded(count: Int, size: Int) -> [UInt8] {
        var exif = PhotoEXIF()
        exif.setPosition(latitude: 46.5, longitude: 7.5)
        for number in 0..<count { exif.set(.main, UInt16(0x9300 + number), .long(1)) }
        var block = exif.block
        for at in stride(from: 10, to: 10 + 12 * (count + 1), by: 12) where block[at + 1] >= 0x93 {
            block.replaceSubrange(
                at + 2..<at + 12,
                with: [7, 0]
                    + [size, 8].flatMap { number in (0..<4).map { UInt8(number >> (8 * $0) & 255) } })
        }
        return block
    }

    /// libexif copies a value for each entry that has it.
    @Test(arguments: [(1, 6_000), (4_000, 40_000), (5_000, 8), (600, 8)])
    func aValueOfManyEntriesCostsLittle(count: Int, size: Int) async throws {
        let block = Self.crowded(count: count, size: size)
        let segment = PhotoFixture.segment(0xE1, Array("Exif\0\0".utf8) + block)
        let report = try await inspect(
            PhotoFixture.insert(segment, into: PhotoFixture.jpeg(width: 16, height: 16)))
        #expect(Self.isThere(report.gps) && report.exifFields < 65_536)
        if size > 2_048 { #expect(report.exifFields == 4) }
    }

    /// A report that says more fields than photos can have ends the renderer.
    @Test func severalBlocksMayBeFull() async throws {
        let block = Self.crowded(count: 5_000, size: 4)
        let segments = (0..<8).flatMap { _ in
            PhotoFixture.segment(0xE1, Array("Exif\0\0".utf8) + block)
        }
        let report = try await inspect(
            PhotoFixture.insert(segments, into: PhotoFixture.jpeg(width: 16, height: 16)))
        #expect(Self.isThere(report.gps) && 8...65_536 ~= report.exifFields)
    }

    /// Notices of copyright are long.
    @Test func aLongNoticeIsReadFromEveryBlock() async throws {
        let text = "© " + String(repeating: "all rights reserved ", count: 80)
        let value = PhotoEXIF.Value.ascii(text)
        let short = try await inspect(
            PhotoFixture.jpeg(width: 16, height: 16) { $0.set(.main, 0x8298, value) })
        let expected = try #require(short.credit?.copyright)
        var exif = PhotoEXIF()
        exif.set(.main, 0x8298, value)
        exif.set(
            .exif, 0x927C,
            .raw(type: 7, count: 70_000, bytes: [UInt8](repeating: 0x55, count: 70_000)))
        let heif = {
            var file = HEIFFixture(.hevc)
            file.metadata = [.init("Exif", [0, 0, 0, 0] + exif.block)]
            return file.bytes
        }()
        #expect(try await inspect(heif).credit?.copyright == expected)
        let notice = Array(text.utf8) + [0]
        let page = TIFFPages.Page(entries: [.init(tag: 0x8298, type: 2, count: notice.count, data: notice)])
        #expect(try await inspect(TIFFPages([page]).bytes).credit?.copyright == expected)
    }

    @Test func textsMayBeInWindows1252() async throws {
        let name: [UInt8] = [0x8A, 0x69, 0x6D, 0x6F, 0x6E, 0x20, 0x8E, 0xE1, 0x6B, 0]
        let photo = PhotoFixture.jpeg(width: 16, height: 16) {
            $0.set(.main, 0x013B, .raw(type: 2, count: UInt32(name.count), bytes: name))
        }
        #expect(try await inspect(photo).credit?.creator == "Šimon Žák")
    }

    /// A directory of a TIFF, in little order: its values, and the directories that it refers to by their numbers.
    private struct Directory {
        var values: [(tag: UInt16, type: UInt16, count: Int, bytes: [UInt8])] = []
        var others: [(tag: UInt16, number: Int)] = []
        /// The number of the next one, which is about the thumbnail.
        var next: Int?

        static func time(_ text: String) -> Directory {
            Directory(values: [(0x9003, 2, 20, Array(text.utf8) + [0])])
        }

        static func position(_ latitude: Int) -> Directory {
            func degrees(_ value: Int) -> [UInt8] {
                little(value, 4) + little(1, 4) + [0, 1, 0, 1].flatMap { little($0, 4) }
            }
            return Directory(values: [
                (1, 2, 2, [0x4E, 0]), (2, 5, 3, degrees(latitude)), (3, 2, 2, [0x45, 0]),
                (4, 5, 3, degrees(7)),
            ])
        }

        static func little(_ value: Int, _ size: Int) -> [UInt8] { HEIFFixture.big(value, size).reversed() }

        static func block(_ directories: [Directory]) -> [UInt8] {
            var places: [Int] = []
            var end = 8
            for directory in directories {
                places.append(end)
                end += 6 + 12 * (directory.values.count + directory.others.count)
            }
            var head = Array("II*\0".utf8) + little(8, 4)
            var tail: [UInt8] = []
            for directory in directories {
                head += little(directory.values.count + directory.others.count, 2)
                for value in directory.values {
                    head += little(Int(value.tag), 2) + little(Int(value.type), 2) + little(value.count, 4)
                    if value.bytes.count <= 4 {
                        head += value.bytes + [UInt8](repeating: 0, count: 4 - value.bytes.count)
                    } else {
                        head += little(end + tail.count, 4)
                        tail += value.bytes
                    }
                }
                for other in directory.others {
                    head +=
                        little(Int(other.tag), 2) + little(4, 2) + little(1, 4)
                        + little(places[other.number], 4)
                }
                head += little(directory.next.map { places[$0] } ?? 0, 4)
            }
            return head + tail
        }
    }

    private static let noTime = Directory(values: [(0xA001, 3, 1, [1, 0])])
    private static let noPosition = Directory(values: [(0, 1, 4, [2, 3, 0, 0])])
    private static let when = "2024:05:07 09:33:04"

    private static let several: [String: [Directory]] = [
        "two of GPS": [
            Directory(others: [(0x8825, 1), (0x8825, 2), (0x8769, 3)]), noPosition, .position(46),
            .time(when),
        ],
        "two of EXIF": [
            Directory(others: [(0x8769, 1), (0x8769, 2), (0x8825, 3)]), noTime, .time(when), .position(46),
        ],
        "EXIF below EXIF": [
            Directory(others: [(0x8769, 1), (0x8825, 3)]),
            Directory(values: noTime.values, others: [(0x8769, 2)]), .time(when), .position(46),
        ],
        "GPS below EXIF": [
            Directory(others: [(0x8769, 1)]),
            Directory(values: Directory.time(when).values, others: [(0x8825, 2)]),
            .position(46),
        ],
        "GPS below EXIF and beside it": [
            Directory(others: [(0x8769, 1), (0x8825, 3)]),
            Directory(values: Directory.time(when).values, others: [(0x8825, 2)]), .position(10),
            .position(46),
        ],
        "below the thumbnail's": [
            Directory(others: [(0x8769, 2), (0x8825, 3)], next: 1),
            Directory(others: [(0x8769, 4), (0x8825, 5)]), noTime, noPosition, .time(when), .position(46),
        ],
        "a circle": [
            Directory(others: [(0x8769, 1), (0x8825, 2)]),
            Directory(values: Directory.time(when).values, others: [(0x8769, 1), (0x8825, 0)]), .position(46),
        ],
    ]

    /// exiftool reads all of them. What libexif reads first is not what a block without its surplus has first.
    @Test(arguments: several.keys.sorted(), [0, 70_000]) func severalDirectoriesOfAKindAreRead(
        name: String, surplus: Int
    )
        async throws
    {
        let block = Directory.block(Self.several[name] ?? []) + [UInt8](repeating: 0, count: surplus)
        var file = HEIFFixture(.av1)
        file.metadata = [.init("Exif", [0, 0, 0, 0] + block)]
        let report = try await inspect(file.bytes)
        #expect(report.gps == .valid(GPSFix(latitude: 46, longitude: 7), source: .exif))
        #expect(report.captureTime?.local == "2024-05-07T09:33:04")
    }
}
