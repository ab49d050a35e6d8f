import FoundationEssentials
import Imaging
import TestKit
import Testing

/// Which of a photo's times counts, and how it becomes an instant.
@Suite(.computing, .timeLimit(.minutes(15))) struct CaptureTimeTests {
    private func small(xmp: String? = nil, _ change: (inout PhotoEXIF) -> Void) -> [UInt8] {
        PhotoFixture.jpeg(width: 16, height: 16, xmp: xmp, change: change)
    }

    @Test func theOffsetTagGivesTheInstant() async throws {
        let time = try await inspect(
            PhotoFixture.jpeg(width: 16, height: 16, takenAt: "2024:05:07 09:33:04", offset: "+08:00")
        ).captureTime
        let expected = CaptureTime(
            local: "2024-05-07T09:33:04", offsetMinutes: 480, offsetSource: .offsetTag,
            instant: Date(timeIntervalSince1970: 1_715_045_584))
        #expect(time == expected)
    }

    @Test(arguments: [("2024:05:07 09:33:04", 330), ("2024:05:07 04:04:04", 1), ("2024:05:09 04:03:04", 0)])
    func theGPSTimeStampGivesThePlausibleOffset(local: String, minutes: Int) async throws {
        let time = try await inspect(
            small {
                $0.set(.exif, 0x9003, .ascii(local))
                $0.set(.gps, 29, .ascii("2024:05:07"))
                $0.set(.gps, 7, .rationals([(4, 1), (3, 1), (9, 1)]))
            }
        ).captureTime
        // One minute of clock error is not an offset. Times two days apart do not belong to one photo.
        let expected: Int? = minutes == 330 ? 330 : minutes == 1 ? 0 : nil
        #expect(time?.offsetMinutes == expected)
        #expect(time?.offsetSource == (expected == nil ? nil : .gpsTimeStamp))
    }

    @Test(arguments: [
        "0000:00:00 00:00:00", "2024:02:30 10:00:00", "2024:13:01 10:00:00", "9998:01:01 00:00:00",
        "    :  :     :  :  ", "today",
    ])
    func anImpossibleTimeIsNone(text: String) async throws {
        #expect(try await inspect(PhotoFixture.jpeg(width: 16, height: 16, takenAt: text)).captureTime == nil)
    }

    /// A photo that has all of these times; without the first `missing`, the next one counts.
    @Test(arguments: [
        (0, "2001-01-01T01:01:01"), (1, "2002-02-02T02:02:02"), (2, "2003-03-03T03:03:03"),
        (3, "2004-04-04T04:04:04"), (4, "2005-05-05T05:05:05"), (5, "2006-06-06T06:06:06"),
        (6, "2007-07-07T07:07:07"),
    ])
    func theTimeClosestToTheExposureCounts(missing: Int, expected: String) async throws {
        let properties = [
            (1, #"exif:DateTimeOriginal="2002-02-02T02:02:02""#),
            (2, #"photoshop:DateCreated="2003-03-03T03:03:03""#),
            (4, #"exif:DateTimeDigitized="2005-05-05T05:05:05""#),
            (5, #"xmp:CreateDate="2006-06-06T06:06:06""#),
        ]
        let there = properties.filter { $0.0 >= missing }.map(\.1)
        let packet = "<rdf:Description \(there.joined(separator: " "))/>"
        let time = try await inspect(
            small(xmp: packet) {
                $0.set(.exif, 0x9003, .ascii(missing > 0 ? "0000:00:00 00:00:00" : "2001:01:01 01:01:01"))
                if missing < 4 { $0.set(.exif, 0x9004, .ascii("2004:04:04 04:04:04")) }
                // When the file was last changed.
                $0.set(.main, 0x0132, .ascii("2007:07:07 07:07:07"))
            }
        ).captureTime
        #expect(time?.local == expected)
    }

    @Test(
        arguments: [
            (0x9003, 0x9291, "85", ".85"), (0x9003, 0x9291, "023460", ".02346"), (0x9003, 0x9291, "1 ", ".1"),
            (0x9003, 0x9291, "000", ""), (0x9003, 0x9291, "12345678", ".123456"), (0x9003, 0x9291, "-5", ""),
            (0x9003, 0x9290, "5", ""), (0x9004, 0x9292, "25", ".25"),
        ] as [(UInt16, UInt16, String, String)])
    func decimalsOfTheSecondAreKept(
        tag: UInt16, decimalsTag: UInt16, decimals: String, shown: String
    ) async throws {
        let time = try await inspect(
            small {
                $0.set(.exif, tag, .ascii("2024:05:07 09:33:04"))
                $0.set(.exif, decimalsTag, .ascii(decimals))
                $0.set(.exif, tag + 14, .ascii("+08:00"))
            }
        ).captureTime
        #expect(time?.local == "2024-05-07T09:33:04" + shown)
        let fraction = Double("0" + shown) ?? 0
        #expect(time?.instant == Date(timeIntervalSince1970: 1_715_045_584 + fraction))
    }

    @Test(
        arguments: [
            ("2025:01:14 18:31:30Z", "2025-01-14T18:31:30", 0),
            ("2025:01:14 18:31:30+05:30", "2025-01-14T18:31:30", 330),
            ("2025-01-14T18:31:30.25-0800", "2025-01-14T18:31:30.25", -480),
            ("2025:01:14 18:31:30.5", "2025-01-14T18:31:30.5", 60),
            ("2025:01:14 18:31:30 PM", "2025-01-14T18:31:30", 60),
            ("2025:01:14 6:31:30 P", "2025-01-14T18:31:30", 60),
            ("2025:01:14 6:31:30 A", "2025-01-14T06:31:30", 60),
            ("2025-01-14T18:31:30+02:00[Europe/Berlin]", "2025-01-14T18:31:30", 120),
            ("2025-01-14T18:31:30Z[UTC]", "2025-01-14T18:31:30", 0),
            ("2025:01:14 18:31:30 UTC+2", "2025-01-14T18:31:30", 120),
            ("2025:01:14 18:31:30 GMT-03:30", "2025-01-14T18:31:30", -210),
            ("2025:01:14 6:31:30 P +02:00", "2025-01-14T18:31:30", 120),
            ("2025:01:14 6:31:30 P UTC+2", "2025-01-14T18:31:30", 120),
            ("2025:01:14 6:31:30 p.m. Z[UTC]", "2025-01-14T18:31:30", 0),
            ("2025:01:14 6:31:30 P. M. +02:00", "2025-01-14T18:31:30", 120),
            ("2025:01:14 18:31:30 UTC+1.0", "2025-01-14T18:31:30", 60),
            ("2025:01:14 18:31:30 +3.0", "2025-01-14T18:31:30", 60),
            ("2025:01:14 18:31:30 UTCGMT+2", "2025-01-14T18:31:30", 60),
        ] as [(String, String, Int)])
    func aZoneMayBePartOfTheTime(text: String, local: String, offset: Int) async throws {
        let time = try await inspect(
            small {
                $0.set(.exif, 0x9003, .ascii(text))
                $0.set(.exif, 0x9011, .ascii("+01:00"))
            }
        ).captureTime
        #expect(time?.local == local && time?.offsetMinutes == offset && time?.offsetSource == .offsetTag)
    }

    @Test func decimalsOfTheFilesLastChangeAreKept() async throws {
        let time = try await inspect(
            small {
                $0.set(.main, 0x0132, .ascii("2024:05:07 09:33:04"))
                $0.set(.exif, 0x9290, .ascii("364"))
            }
        ).captureTime
        #expect(time?.local == "2024-05-07T09:33:04.364")
    }

    @Test(
        arguments: [
            ("2019-07-14T09:21:11.47", "2019-07-14T09:21:11.47", nil),
            ("2019-07-14T09:21:11.470+02:00", "2019-07-14T09:21:11.47", 120),
            ("2019-07-14T09:21:11Z", "2019-07-14T09:21:11", 0),
            // The hours of the offset are not seconds.
            ("2019-07-14T09:21-07:30", "2019-07-14T09:21:00", -450),
            ("2019-07-14T09:21", "2019-07-14T09:21:00", nil),
            ("2019-07-14", nil, nil), ("2019-07-14T09", nil, nil), ("2019-07-14T09:61:00", nil, nil),
        ] as [(String, String?, Int?)])
    func timesInXMPMayBeShort(text: String, local: String?, offset: Int?) async throws {
        let packet = #"<rdf:Description photoshop:DateCreated="\#(text)"/>"#
        let time = try await inspect(PhotoFixture.jpeg(width: 16, height: 16, xmp: packet)).captureTime
        #expect(time?.local == local)
        #expect(time?.offsetMinutes == offset)
        #expect(time?.offsetSource == (offset == nil ? nil : .offsetTag))
    }

    @Test(arguments: [(5, 45, 345), (8, 45, 525), (14, 0, 840), (-12, 0, -720), (1, 15, nil), (2, 30, nil)])
    func aGPSTimeStampGivesOnlyOffsetsOfRealTimeZones(hours: Int, minutes: Int, offset: Int?) async throws {
        // Noon in UTC; both signs stay within two days.
        let clock = 12 * 60 + hours * 60 + minutes
        let (day, ofDay) = clock < 1440 ? (7, clock) : (8, clock - 1440)
        func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let time = try await inspect(
            small {
                $0.set(
                    .exif, 0x9003, .ascii("2024:05:0\(day) \(digits(ofDay / 60)):\(digits(ofDay % 60)):00"))
                $0.set(.gps, 29, .ascii("2024:05:07"))
                $0.set(.gps, 7, .rationals([(12, 1), (0, 1), (0, 1)]))
            }
        ).captureTime
        #expect(time?.offsetMinutes == offset)
    }
}
