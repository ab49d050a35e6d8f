import Imaging
import TestKit
import Testing

/// Bytes between the segments of a JPEG that belong to nothing.
@Suite(.computing, .timeLimit(.minutes(15))) struct StrayBytesTests {
    private static let plain = PhotoFixture.jpeg(
        width: 320, height: 240, latitude: 46.5, longitude: 7.5, comment: "A comment.")

    /// Where segments start, the start of the scan included.
    private static let starts: [Int] = {
        var starts = [2]
        while plain[starts.last! + 1] != 0xDA {
            let at = starts.last!
            starts.append(at + 2 + Int(plain[at + 2]) << 8 + Int(plain[at + 3]))
        }
        return starts
    }()

    private static let stray: [[UInt8]] = [
        [0, 0], [0x12], [0xFF, 0x00], [0xFF, 0xD3], [0xFF, 0x01, 0x55], [0xFF, 0xFF, 0xFF],
        [UInt8](repeating: 0x41, count: 5000),
    ]

    @Test(arguments: stray)
    func areSkippedBeforeAnyMarker(bytes: [UInt8]) async throws {
        let expected = try await render(Self.plain)
        for start in Self.starts {
            let photo = try await render(Array(Self.plain[..<start]) + bytes + Self.plain[start...])
            #expect(photo.outputs == expected.outputs, "before byte \(start): \(photo.verdict)")
            #expect(photo.report?.gps == expected.report?.gps)
            // Fill bytes are part of a marker.
            let isFill = bytes.allSatisfy { $0 == 0xFF }
            #expect(photo.report?.stripped.contains("stray bytes") == !isFill)
        }
    }

    @Test func areNotPublished() throws {
        let clean = PhotoFixture.jpeg(width: 32, height: 24)
        let at = 4 + Int(clean[4]) << 8 + Int(clean[5])
        let hidden = Array(clean[..<at]) + Array("CANARY".utf8) + clean[at...]
        let fault = #expect(throws: RenditionStructure.Fault.self) {
            try hidden.withUnsafeBytes { _ = try RenditionStructure(checking: $0, as: .jpeg) }
        }
        #expect(fault?.code == .hiddenBytes(6))
    }

    /// A short segment and the stray byte after it spell "Adobe".
    @Test func doNotCompleteASegment() async throws {
        let expected = try await render(Self.plain)
        let segment = PhotoFixture.segment(0xEE, Array("Adob".utf8)) + [UInt8(ascii: "e")]
        let photo = try await render(PhotoFixture.insert(segment, into: Self.plain))
        #expect(photo.outputs == expected.outputs)
        #expect(photo.report?.stripped.contains("APP14") == true)
    }

    @Test func aSecondStartOfImageIsNoStrayByte() async throws {
        let photo = try await render(Array(Self.plain[..<2]) + [0, 0xFF, 0xD8] + Self.plain[2...])
        #expect(photo.rejection == .corrupt)
    }

    @Test func aPhotoOfStrayBytesAloneIsTruncated() async throws {
        let photo = try await render([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: 1 << 20))
        #expect(photo.rejection == .truncated)
    }
}
