import Imaging
import TestKit
import Testing

/// How far a photo's own position and time are trusted.
@Suite(.computing, .timeLimit(.minutes(15))) struct MetadataTests {
    private func report(_ bytes: [UInt8]) async throws -> PhotoReport { try await inspect(bytes) }

    private func small(_ change: (inout PhotoEXIF) -> Void) -> [UInt8] {
        PhotoFixture.jpeg(width: 16, height: 16, change: change)
    }

    struct Position: Sendable {
        var latitude: Double
        var longitude: Double
    }

    @Test(arguments: [
        Position(latitude: 48.2082, longitude: 16.3738), Position(latitude: -33.8568, longitude: 151.2153),
        Position(latitude: 37.7749, longitude: -122.4194), Position(latitude: -22.9519, longitude: -43.2105),
        Position(latitude: 0, longitude: 9.5), Position(latitude: 51.5, longitude: 0),
        Position(latitude: -90, longitude: -180),
    ])
    func aPositionIsRead(position: Position) async throws {
        let reading = try await report(
            PhotoFixture.jpeg(
                width: 16, height: 16, latitude: position.latitude, longitude: position.longitude)
        ).gps
        guard case .valid(let fix, .exif) = reading else {
            Issue.record("\(reading)")
            return
        }
        #expect(
            abs(fix.latitude - position.latitude) < 1e-6 && abs(fix.longitude - position.longitude) < 1e-6)
    }

    @Test func aPhotoWithoutPositionHasNone() async throws {
        let plain = try await report(PhotoFixture.jpeg(width: 16, height: 16))
        #expect(plain.gps == .absent && plain.captureTime == nil && plain.stripped.isEmpty)
    }

    @Test func theFieldsOfAllDirectoriesAreCounted() async throws {
        let found = try await report(
            small {
                $0.set(.main, 0x010F, .ascii("Maker"))
                $0.set(.exif, 0x9003, .ascii("2024:05:07 09:33:04"))
                // No program knows this one.
                $0.set(.exif, 0xFDE8, .short(7))
                $0.setPosition(latitude: 48.2, longitude: 16.4)
            })
        #expect(found.exifFields == 7)
        #expect(try await report(PhotoFixture.jpeg(width: 16, height: 16)).exifFields == 0)
    }

    @Test func nullIslandIsNoPosition() async throws {
        #expect(try await report(small { $0.setPosition(latitude: 0, longitude: 0) }).gps == .nullIsland)
    }

    @Test func androidsEmptySecondsAreZeroAndLowerCaseIsRead() async throws {
        let reading = try await report(
            small {
                $0.set(.gps, 1, .ascii("s"))
                $0.set(.gps, 2, .rationals([(46, 1), (30, 1), (0, 0)]))
                $0.set(.gps, 3, .ascii("w"))
                $0.set(.gps, 4, .rationals([(7, 1), (30_000, 1000), (0, 0)]))
                $0.set(.gps, 5, .byte(1))
                $0.set(.gps, 6, .rationals([(123, 10)]))
                $0.set(.gps, 31, .rationals([(48, 10)]))
            }
        ).gps
        let fix = GPSFix(latitude: -46.5, longitude: -7.5, altitude: -12.3, accuracy: 4.8)
        #expect(reading == .valid(fix, source: .exif))
    }

    private static func number(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// Positions in the forms that programs write, with the latitude that exiftool reads.
    private static let sound: [(Double, @Sendable (inout PhotoEXIF) -> Void)] = [
        (47, { $0.set(.gps, 2, .rationals([(46, 1), (60, 1), (0, 1)])) }),
        (46.5, { $0.set(.gps, 2, .rationals([(46, 1), (29, 1), (60, 1)])) }),
        (46.5, { $0.set(.gps, 2, .rationals([(46, 1), (30, 1)])) }),
        (46.5, { $0.set(.gps, 2, .rationals([(93, 2)])) }),
        (46, { $0.set(.gps, 2, .raw(type: 2, count: 3, bytes: Array("46\0".utf8))) }),
        (
            46.5,
            { $0.set(.gps, 2, .raw(type: 4, count: 3, bytes: [46, 30, 0].flatMap { number(UInt32($0)) })) }
        ),
        (
            46.5,
            { $0.set(.gps, 2, .raw(type: 9, count: 3, bytes: [46, 30, 0].flatMap { number(Int32($0)) })) }
        ),
        (
            46.5,
            { $0.set(.gps, 2, .raw(type: 3, count: 3, bytes: [46, 30, 0].flatMap { number(UInt16($0)) })) }
        ),
        (46.5, { $0.set(.gps, 2, .raw(type: 1, count: 3, bytes: [46, 30, 0])) }),
        (46.5, { $0.set(.gps, 2, .raw(type: 12, count: 1, bytes: number(46.5.bitPattern))) }),
        (46.5, { $0.set(.gps, 2, .raw(type: 11, count: 1, bytes: number(Float(46.5).bitPattern))) }),
        (
            46.5,
            {
                $0.set(
                    .gps, 2,
                    .raw(type: 10, count: 3, bytes: [46, 1, 30, 1, 0, 1].flatMap { number(Int32($0)) }))
            }
        ),
        (-46.5, { $0.set(.gps, 1, .raw(type: 1, count: 2, bytes: Array("S\0".utf8))) }),
        (-46.5, { $0.set(.gps, 1, .raw(type: 7, count: 2, bytes: Array("s\0".utf8))) }),
        (-46.5, { $0.set(.gps, 1, .ascii("South")) }),
    ]

    @Test(arguments: sound.indices)
    func aPositionIsReadInItsForms(index: Int) async throws {
        let (latitude, change) = Self.sound[index]
        let reading = try await report(
            small {
                $0.setPosition(latitude: 46.5, longitude: 7.5)
                change(&$0)
            }
        ).gps
        #expect(reading == .valid(GPSFix(latitude: latitude, longitude: 7.5), source: .exif))
    }

    @Test func zerosWithoutLettersAreNoFix() async throws {
        let zeros: [(UInt32, UInt32)] = [(0, 1), (0, 1), (0, 1)]
        for letters in [nil, ""] {
            let reading = try await report(
                small {
                    for tag: UInt16 in [2, 4] { $0.set(.gps, tag, .rationals(zeros)) }
                    if let letters { for tag: UInt16 in [1, 3] { $0.set(.gps, tag, .ascii(letters)) } }
                }
            ).gps
            #expect(reading == .absent)
        }
    }

    @Test func anUnusablePositionInEXIFDoesNotHideAWholeOneInXMP() async throws {
        let packet = #"<rdf:Description exif:GPSLatitude="46.5N" exif:GPSLongitude="7,30W"/>"#
        let photo = PhotoFixture.jpeg(width: 16, height: 16, xmp: packet) {
            $0.setPosition(latitude: 1, longitude: 2)
            $0.set(.gps, 1, .ascii("X"))
        }
        #expect(try await report(photo).gps == .valid(GPSFix(latitude: 46.5, longitude: -7.5), source: .xmp))
    }

    /// The position is behind the maker's notes.
    @Test(arguments: [1000, 65_000, 200_000])
    func notesOfAnyLengthDoNotHideThePosition(length: Int) async throws {
        var exif = PhotoEXIF()
        exif.set(
            .exif, 0x927C, .raw(type: 7, count: UInt32(length), bytes: [UInt8](repeating: 65, count: length)))
        exif.setPosition(latitude: 46.5, longitude: 7.5)
        let found = try await report(PhotoFixture.png(chunk: "eXIf", exif.block))
        #expect(found.gps == .valid(GPSFix(latitude: 46.5, longitude: 7.5), source: .exif))
        #expect(found.stripped == ["EXIF", "GPS", "MakerNote"])
    }

    private static let unsound: [(String, @Sendable (inout PhotoEXIF) -> Void)] = [
        ("latitude is out of range", { $0.set(.gps, 2, .rationals([(213, 1), (0, 1), (0, 1)])) }),
        ("latitude is out of range", { $0.set(.gps, 2, .rationals([(90, 1), (59, 1), (0, 1)])) }),
        ("more than 60 minutes or seconds", { $0.set(.gps, 2, .rationals([(46, 1), (75, 1), (0, 1)])) }),
        ("latitude is out of range", { $0.set(.gps, 2, .rationals([(90, 1), (60, 1), (0, 1)])) }),
        ("longitude is out of range", { $0.set(.gps, 4, .rationals([(181, 1), (0, 1), (0, 1)])) }),
        ("three numbers", { $0.set(.gps, 2, .rationals([(1, 0), (0, 1), (0, 1)])) }),
        ("three numbers", { $0.set(.gps, 2, .raw(type: 2, count: 4, bytes: Array("x46\0".utf8))) }),
        ("neither N nor S", { $0.set(.gps, 1, .ascii("X")) }),
        ("neither N nor S", { $0.set(.gps, 1, .ascii("")) }),
        ("neither E nor W", { $0.set(.gps, 3, .byte(5)) }),
    ]

    @Test(arguments: unsound.indices)
    func anUnsoundPositionSaysWhy(index: Int) async throws {
        let (reason, change) = Self.unsound[index]
        let reading = try await report(
            small {
                $0.setPosition(latitude: 46.5, longitude: 7.5)
                change(&$0)
            }
        ).gps
        guard case .invalid(let text) = reading else {
            Issue.record("\(reading)")
            return
        }
        #expect(text.contains(reason))
    }

    @Test(arguments: [
        #"<rdf:Description exif:GPSLatitude="26,34.951N" exif:GPSLongitude="80,12,0.84W"/>"#,
        "<rdf:Description><exif:GPSLatitude>26,34.951N</exif:GPSLatitude><exif:GPSLongitude>80,12.014W</exif:GPSLongitude></rdf:Description>",
    ])
    func xmpCountsWhereEXIFHasNone(packet: String) async throws {
        let bare = try await report(PhotoFixture.jpeg(width: 16, height: 16, xmp: packet)).gps
        guard case .valid(let fix, .xmp) = bare else {
            Issue.record("\(bare)")
            return
        }
        #expect(abs(fix.latitude - 26.5825166) < 1e-6 && abs(fix.longitude + 80.2002333) < 1e-6)
        let both = try await report(
            PhotoFixture.jpeg(width: 16, height: 16, latitude: 1, longitude: 2, xmp: packet)
        ).gps
        #expect(both == .valid(GPSFix(latitude: 1, longitude: 2), source: .exif))
    }

    @Test func xmpWithoutAHemisphereIsRefused() async throws {
        let packet = #"<x exif:GPSLatitude="26,34.951" exif:GPSLongitude="80,12.0W"/>"#
        guard case .invalid = try await report(PhotoFixture.jpeg(width: 16, height: 16, xmp: packet)).gps
        else {
            Issue.record("believed")
            return
        }
    }

    private static let packet = Array(
        #"<rdf:Description exif:GPSLatitude="47,22.5N" exif:GPSLongitude="8,32.25E"/>"#.utf8)
    private static let keyword = Array("XML:com.adobe.xmp\0".utf8)

    static let xmpChunks: [(String, [UInt8])] = [
        ("iTXt", keyword + [0, 0, 0, 0] + packet),
        ("iTXt", keyword + [0, 0] + Array("en\0XMP\0".utf8) + packet),
        ("iTXt", keyword + [1, 0, 0, 0] + PhotoFixture.deflated(packet)),
        ("zTXt", keyword + [0] + PhotoFixture.deflated(packet)),
    ]

    @Test(arguments: xmpChunks)
    func aPNGsPositionIsReadFromXMP(name: String, payload: [UInt8]) async throws {
        let found = try await report(PhotoFixture.png(chunk: name, payload))
        #expect(
            found.gps
                == .valid(GPSFix(latitude: 47.375, longitude: 8.5375), source: .xmp))
        #expect(found.stripped == ["GPS", "XMP"])
    }

    @Test(arguments: [9, 20, 300]) func aBombInCompressedXMPIsRefused(megabytes: Int) async throws {
        let bomb = PhotoFixture.deflated(Self.packet + [UInt8](repeating: 0x20, count: megabytes << 20))
        let photo = try await render(PhotoFixture.png(chunk: "zTXt", Self.keyword + [0] + bomb))
        #expect(photo.rejection == .metadataTooLarge)
    }

    @Test func damageInCompressedXMPIsNoPosition() async throws {
        let damaged = PhotoFixture.deflated(Self.packet).dropLast(6)
        for data in [Array(damaged), []] {
            let found = try await report(PhotoFixture.png(chunk: "zTXt", Self.keyword + [0] + data))
            #expect(found.gps == .absent)
        }
        for cut in 0..<4 {
            let found = try await report(
                PhotoFixture.png(chunk: "iTXt", Array((Self.keyword + [1, 0, 65, 65]).prefix(18 + cut))))
            #expect(found.gps == .absent)
        }
    }
}
