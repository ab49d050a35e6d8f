import Imaging
import TestKit
import Testing

/// Positions and times of photos made by code, compared with what exiftool reads: every way to write a value in one place, and
/// every place with each kind of value.
@Suite(.computing, .timeLimit(.minutes(30))) struct MetadataReferenceTests {
    // MARK: Positions in EXIF

    private struct Located {
        let place: MetadataPlacement
        let isBigEndian: Bool
        let latitude: WrittenValue
        let letter: (value: WrittenValue, sign: Double?)?

        func bytes(in place: MetadataPlacement) -> [UInt8] {
            var exif = PhotoEXIF()
            exif.setPosition(latitude: 1, longitude: -7.5)
            exif.set(.gps, 2, .raw(type: latitude.type, count: UInt32(latitude.count), bytes: latitude.bytes))
            exif.remove(.gps, 1)
            if let letter = letter?.value {
                exif.set(.gps, 1, .raw(type: letter.type, count: UInt32(letter.count), bytes: letter.bytes))
            }
            return place.photo(exif, isBigEndian: isBigEndian)
        }

        /// The latitude that is right, given the number that exiftool reads; nil if none is known for sure.
        func expected(_ read: Double?) -> Double? {
            guard let sign = letter?.sign, !latitude.isUnclear, latitude.sign ?? sign == sign,
                let degrees = latitude.degrees ?? read,
                abs(degrees) <= 90,
                degrees >= 0 || sign < 0
            else { return nil }
            return abs(degrees) * sign
        }
    }

    private func compare(_ photos: [Located]) async throws {
        let rows = try await ExifTool.read(
            ["GPS:GPSLatitude", "GPS:GPSLongitude"],
            of: photos.map { ($0.place.ofReference.suffix, $0.bytes(in: $0.place.ofReference)) })
        var found: [Double] = []
        for (photo, row) in zip(photos, rows) {
            let name =
                "\(photo.place)\(photo.isBigEndian ? ", big-endian" : ""): \(photo.latitude.name) \(photo.letter?.value.name ?? "")"
            #expect(row[1].flatMap(Double.init) == 7.5, "\(name)")
            let expected = photo.expected(row[0].flatMap(Double.init))
            switch (try await inspect(photo.bytes(in: photo.place)).gps, expected) {
            case (.valid(let fix, .exif), let expected?):
                #expect(abs(fix.latitude - expected) < 1e-6 && fix.longitude == -7.5, "\(name)")
                found.append(fix.latitude)
            case (.invalid, nil): break
            case (let reading, let expected):
                Issue.record("\(name): \(reading) instead of \(expected as Double?)")
            }
        }
        // The comparison is not of nothing with nothing.
        #expect(Set(found).count > 1 && found.count > photos.count / 8)
    }

    @Test func aPositionInEXIFIsWhatExiftoolReads() async throws {
        var photos: [Located] = []
        let first = WrittenValue.rationals[0]
        for isBigEndian in [false, true] {
            for latitude in WrittenValue.rationals.every(9) + WrittenValue.others {
                photos.append(
                    Located(
                        place: .jpegEXIF, isBigEndian: isBigEndian, latitude: latitude,
                        letter: WrittenValue.letters[0]))
            }
            for latitude in [first] + WrittenValue.others.every(4) {
                for letter in WrittenValue.letters.map(Optional.some) + [nil] {
                    photos.append(
                        Located(
                            place: .jpegEXIF, isBigEndian: isBigEndian, latitude: latitude, letter: letter))
                }
            }
        }
        try await compare(photos)
    }

    @Test func aPositionIsReadInEveryPlaceForEXIF() async throws {
        var photos: [Located] = []
        for place in MetadataPlacement.exif {
            for isBigEndian in [false, true] {
                for latitude in [WrittenValue.rationals[0]] + WrittenValue.others.every(8) {
                    photos.append(
                        Located(
                            place: place, isBigEndian: isBigEndian, latitude: latitude,
                            letter: WrittenValue.letters[1]))
                }
            }
        }
        try await compare(photos)
    }

    // MARK: Positions in XMP

    static let texts = [
        "46,30N", "46,30.25N", "46,30,15N", "46,30,15.5N", "46.5N", "46.5", "-46.5", "+46.5", "46,30S",
        "46.5S", "46.5s", "46,30n",
        "46,30 N", " 46,30N ", "N46,30", "46,30", "46", "-46,30", "46 30 15 N", "46 30.25 N",
        "46° 30' 15\" N", "46º 30' 15\" S",
        "46 deg 30' 15.00\" N", "93/2", "46/1,30/1,15/1", "46/1 30/1 15/1", "46;30;15N", "46,60N", "46,61N",
        "46,30,60N",
        "46,30,61N", "90N", "90,1N", "91N", "0N", "0,0N", "-0,30", "", "N", "nan", "inf", "46,N", "46,,N",
        "46,30,N", "1e1N",
        "46,30,15,1N", "46,30E", "46.5 S", "-46.5N", "-46.5S", "46,30.25 S", "46,5e-1N", "0x2EN",
        "46,30North", "46,30South",
        "４６,30N", "46,30\u{00A0}N", "46.50000000000000000000000000N", "46-30-15N",
    ]

    /// Where exiftool guesses, or adds minutes to negative degrees; nil where the position is not known for sure.
    static let otherTexts: [String: Double?] = [
        "46.5": nil, "46,30": nil, "46": nil, "N46,30": nil, "93/2": nil, "46/1,30/1,15/1": nil,
        "46/1 30/1 15/1": nil, "1e1N": nil,
        "46,30E": nil, "-46.5N": nil, "-46.5S": -46.5, "-46,30": nil, "-0,30": nil, "46,30,15,1N": nil,
        "+46,30": nil, "0x2EN": nil,
        "４６,30N": nil, "46-30-15N": nil,
        "46,5e-1N": nil, "46,61N": nil, "46,30,61N": nil,
    ]

    private static func packet(_ properties: [(name: String, value: String)], areElements: Bool) -> String {
        let escaped = properties.map { ($0.name, $0.value.replacing("\"", with: "&quot;")) }
        let content =
            areElements
            ? ">" + escaped.map { "<\($0)>\($1)</\($0)>" }.joined() + "</rdf:Description>"
            : escaped.map { " \($0)=\"\($1)\"" }.joined() + "/>"
        return """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
            xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"\(content)
            </rdf:RDF></x:xmpmeta>
            <?xpacket end="w"?>
            """
    }

    @Test func aPositionInXMPIsWhatExiftoolReads() async throws {
        let places = Extent.of([.jpegXMP, .heicXMP], check: MetadataPlacement.xmp)
        let photos = places.flatMap { place in
            Self.texts.flatMap { text in
                [true, false].map { areElements in
                    let properties = [("exif:GPSLatitude", text), ("exif:GPSLongitude", "7,30W")]
                    return (
                        place, text, place.photo(packet: Self.packet(properties, areElements: areElements))
                    )
                }
            }
        }
        let rows = try await ExifTool.read(
            ["XMP-exif:GPSLatitude", "XMP-exif:GPSLongitude"], of: photos.map { ($0.0.suffix, $0.2) })
        for ((place, text, bytes), row) in zip(photos, rows) {
            #expect(row[1].flatMap(Double.init) == -7.5, "\(place): \(text)")
            let read = row[0].flatMap(Double.init).flatMap { abs($0) <= 90 ? $0 : nil }
            let expected = Self.otherTexts[text] ?? read
            switch (try await inspect(bytes).gps, expected) {
            case (.valid(let fix, .xmp), let expected?):
                #expect(abs(fix.latitude - expected) < 1e-6 && fix.longitude == -7.5, "\(place): \(text)")
            case (.invalid, nil): break
            case (let reading, let expected):
                Issue.record("\(place): \(text): \(reading) instead of \(expected as Double?)")
            }
        }
    }

    /// Programs that copy EXIF write the letters as properties of their own.
    @Test(
        arguments: [
            ("46.5", "N", "7.5", "W", 46.5, -7.5), ("46.5", "S", "7.5", "E", -46.5, 7.5),
            ("46,30", "South", "7,30", "West", -46.5, -7.5),
            // They contradict each other.
            ("46,30N", "S", "7.5", "W", nil, nil),
            // Units are no letters, and two coordinates are no position.
            ("26 deg 30 min 0 sec", "N", "7 30 0", "W", 26.5, -7.5),
            ("26°30'0s", "N", "7°30'0\"", "W", 26.5, -7.5),
            ("26.5 degrees", "S", "7.5 degrees", "E", -26.5, 7.5),
            ("26d30m0s", "N", "7d30m0s", "W", nil, nil),
            ("46.5N 7.5E", "N", "46.5N 7.5E", "E", nil, nil), ("46.5 foo", "N", "7.5", "E", nil, nil),
            // A comma may be one of decimals.
            ("26,58", nil, "-80,2", nil, nil, nil), ("26,30", "N", "-7,30", "W", 26.5, -7.5),
            ("\u{2212}26.5", nil, "+7.5", nil, -26.5, 7.5), ("26٫5N", nil, "7.5E", nil, 26.5, 7.5),
            ("26,61N", nil, "7.5E", nil, nil, nil),
            ("-46.5", "S", "7.5", "E", -46.5, 7.5),
            // One of two signed numbers is negative.
            ("46.5", nil, "-7.5", nil, 46.5, -7.5), ("-46.5", nil, "7.5", nil, -46.5, 7.5),
            ("+46.5", nil, "+7.5", nil, 46.5, 7.5),
            ("46.5", nil, "7.5", nil, nil, nil), ("46.5", "N", "7.5", nil, nil, nil),
            ("-46.5", "N", "7.5", "E", nil, nil),
        ] as [(String, String?, String, String?, Double?, Double?)])
    func aLetterMayStandBesideThePosition(
        latitude: String, north: String?, longitude: String, east: String?, rightLatitude: Double?,
        rightLongitude: Double?
    ) async throws {
        let properties = [
            ("exif:GPSLatitude", latitude), ("exif:GPSLatitudeRef", north), ("exif:GPSLongitude", longitude),
            ("exif:GPSLongitudeRef", east),
        ].compactMap { name, value in value.map { (name, $0) } }
        let gps = try await inspect(
            MetadataPlacement.jpegXMP.photo(packet: Self.packet(properties, areElements: true))
        ).gps
        if let rightLatitude, let rightLongitude {
            #expect(gps == .valid(GPSFix(latitude: rightLatitude, longitude: rightLongitude), source: .xmp))
        } else if case .invalid = gps {
        } else {
            Issue.record("\(gps)")
        }
    }

    // MARK: Times

    /// Texts, and the time and the offset that they mean: nil for none.
    static let clocks: [(text: String, local: String?, offset: Int?)] = [
        ("2004:05:06 07:08:09", "07:08:09", nil), ("2004-05-06 07:08:09", "07:08:09", nil),
        ("2004-05-06T07:08:09", "07:08:09", nil),
        ("2004/05/06 07:08:09", "07:08:09", nil), ("2004.05.06 07:08:09", "07:08:09", nil),
        ("2004:05:06 07:08", "07:08:00", nil),
        ("2004:05:06 07:08:09Z", "07:08:09", 0), ("2004:05:06 07:08:09+02:00", "07:08:09", 120),
        ("2004:05:06 07:08:09.25", "07:08:09.25", nil), ("2004:05:06 07:08:09.25-03:30", "07:08:09.25", -210),
        ("2004:05:06 7:08:09", "07:08:09", nil), ("2004:5:6 07:08:09", "07:08:09", nil),
        (" 2004:05:06 07:08:09 ", "07:08:09", nil),
        ("2004:05:06  07:08:09", "07:08:09", nil), ("2004:05:06 07-08-09", "07:08:09", nil),
        ("2004:05:06 07.08.09", "07:08:09", nil),
        ("2004年05月06日 07:08:09", "07:08:09", nil), ("2004-05-06T07:08:09+0200", "07:08:09", 120),
        ("2004-05-06T07:08:09+02", "07:08:09", 120), ("2004-05-06T07:08:09+2:00", "07:08:09", 120),
        ("2004-05-06T07:08:09 +02:00", "07:08:09", 120), ("2004-05-06t07:08:09z", "07:08:09", 0),
        ("2004:05:06 07:08:09 UTC", "07:08:09", 0), ("2004-05-06T07:08:09,123456789Z", "07:08:09.123456", 0),
        ("2004-05-06T07:08Z", "07:08:00", 0), ("2004-05-06T07:08+02:00", "07:08:00", 120),
        ("2004-05-06T07:08-03:30", "07:08:00", -210),
        ("2004:05:06 07:08:09 PM", "19:08:09", nil), ("2004:05:06 12:08:09 am", "00:08:09", nil),
        ("2004:05:06 12:08:09PM", "12:08:09", nil),
        ("2004:05:06 07:08:09 p.m.", "19:08:09", nil), ("2004:05:06 07:08 PM", "19:08:00", nil),
        ("2004:05:06 下午07:08:09", "19:08:09", nil), ("2004:05:06 上午 12:08:09", "00:08:09", nil),
        ("2004年05月06日 午後7時08分09秒", "19:08:09", nil), ("2004. 5. 6. 오후 7:08:09", "19:08:09", nil),
        ("2004年05月06日 07時08分09秒", "07:08:09", nil), ("2004:05:06 at 07:08:09", nil, nil),
        ("2004:05:06 07:08 +02:00", "07:08:00", 120),
        ("2004:05:06 12:08:09 AMT", "12:08:09", nil), ("2004:05:06 07:08:09 PMST", "07:08:09", nil),
        ("2004:05:06 07:08:09 PM+02:00", "19:08:09", 120), ("2004:05:06 07:08:09 p. m.", "19:08:09", nil),
        ("2004:05:06 07:08\u{2212}05:00", "07:08:00", -300),
        ("2004:05:06 07:08:09\u{2013}05:00", "07:08:09", -300),
        ("2004:05:06 13:08:09 PM", "13:08:09", nil), ("2004:05:06 07:08:60", "07:08:59", nil),
        ("2004:05:06 07:08:61", nil, nil),
        ("2004:05:06", nil, nil), ("2004-05-06T07", nil, nil), ("2004-05", nil, nil), ("2004", nil, nil),
        ("", nil, nil),
        ("0000:00:00 00:00:00", nil, nil), ("    :  :     :  :  ", nil, nil),
        ("2004:13:06 07:08:09", nil, nil),
        ("2004:02:30 07:08:09", nil, nil), ("2004:05:06 24:00:00", nil, nil),
        ("2004:05:06 07:60:09", nil, nil),
        ("1825:05:06 07:08:09", nil, nil), ("2999:05:06 07:08:09", nil, nil),
        ("Thu May  6 07:08:09 2004", nil, nil),
        ("20040506070809", nil, nil), ("20040506T070809", nil, nil), ("06/05/2004 07:08:09", nil, nil),
        ("2004:05:06 07:08:", nil, nil),
        ("2004:05:06 07:08:009", nil, nil), ("2004:005:06 07:08:09", nil, nil),
        ("2004:05:06 07:08:09+15:00", "07:08:09", nil),
        ("2004:05:06 07:08:09+02:60", "07:08:09", nil), ("2004:05:06 07:08:09 or so", "07:08:09", nil),
    ]

    private func expect(
        _ time: CaptureTime?, _ clock: (text: String, local: String?, offset: Int?), _ name: String
    ) {
        #expect(time?.local == clock.local.map { "2004-05-06T" + $0 }, "\(name): \(clock.text)")
        #expect(time?.offsetMinutes == clock.offset, "\(name): \(clock.text)")
    }

    @Test func aTimeInEXIFIsReadHoweverItIsWritten() async throws {
        var photos: [(place: MetadataPlacement, index: Int, bytes: [UInt8], ofReference: [UInt8])] = []
        for place in Extent.of([.jpegEXIF], check: MetadataPlacement.exif) {
            for index in Self.clocks.indices {
                var exif = PhotoEXIF()
                exif.set(.exif, [0x9003, 0x9004][index % 2], .ascii(Self.clocks[index].text))
                photos.append((place, index, place.photo(exif), place.ofReference.photo(exif)))
            }
        }
        // The text gets there as it was written.
        let tags = ["ExifIFD:DateTimeOriginal", "ExifIFD:CreateDate"]
        let rows = try await ExifTool.read(
            tags, of: photos.map { ($0.place.ofReference.suffix, $0.ofReference) })
        for (photo, row) in zip(photos, rows) {
            let clock = Self.clocks[photo.index]
            #expect(
                row[photo.index % 2]?.filter { $0 != " " } == clock.text.filter { $0 != " " },
                "\(photo.place): \(clock.text)")
            expect(try await inspect(photo.bytes).captureTime, clock, "\(photo.place)")
        }
    }

    @Test func aTimeInXMPIsReadHoweverItIsWritten() async throws {
        let names = [
            "exif:DateTimeOriginal", "photoshop:DateCreated", "exif:DateTimeDigitized", "xmp:CreateDate",
        ]
        for place in Extent.of([.jpegXMP], check: MetadataPlacement.xmp) {
            for (index, clock) in Self.clocks.enumerated() {
                let packet = Self.packet([(names[index % 4], clock.text)], areElements: index % 8 < 4)
                expect(try await inspect(place.photo(packet: packet)).captureTime, clock, "\(place)")
            }
        }
    }
}
