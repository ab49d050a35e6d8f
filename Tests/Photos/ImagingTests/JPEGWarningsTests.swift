import Imaging
import TestKit
import Testing

/// What decoders warn of although every pixel is there, and what means that pixels are missing.
@Suite(.computing, .timeLimit(.minutes(15))) struct JPEGWarningsTests {
    private static let plain = PhotoFixture.jpeg(width: 320, height: 240)
    private static let restarting = PhotoFixture.jpeg(width: 320, height: 240, restart: 7)

    /// The scan's header: Ss, Se, and Ah with Al are its last three bytes.
    private static func scan(of bytes: [UInt8], _ last: [UInt8]) -> [UInt8] {
        var changed = bytes
        let at = bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xDA]) }!
        let end = at + 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
        changed.replaceSubrange(end - 3..<end, with: last)
        return changed
    }

    /// Puts `bytes` before every restart marker.
    private static func surplus(_ bytes: [UInt8], in photo: [UInt8]) -> [UInt8] {
        var changed: [UInt8] = []
        for (at, byte) in photo.enumerated() {
            if byte == 0xFF, at + 1 < photo.count, 0xD0...0xD7 ~= photo[at + 1] { changed += bytes }
            changed.append(byte)
        }
        return changed
    }

    @Test(arguments: [[0, 0, 0], [0, 63, 0x11], [0, 62, 0], [1, 63, 0], [0, 0, 0x10]] as [[UInt8]])
    func aScanThatSaysItIsPartialIsWhole(last: [UInt8]) async throws {
        for photo in [Self.plain, Self.restarting] {
            let found = try await render(Self.scan(of: photo, last))
            #expect(try await found.outputs == render(photo).outputs, "\(found.verdict)")
        }
    }

    @Test(arguments: [[0, 0], [0, 2], [2, 1], [1, 2], [255, 255]] as [[UInt8]])
    func aVersionOfJFIFMeansNothing(version: [UInt8]) async throws {
        let jfif = PhotoFixture.segment(0xE0, Array("JFIF\0".utf8) + version + [0, 0, 1, 0, 1, 0, 0])
        let found = try await render(Array(Self.plain[..<2]) + jfif + Self.plain[2...])
        #expect(try await found.outputs == render(Self.plain).outputs, "\(found.verdict)")
    }

    @Test(arguments: [1, 2, 3, 100, 255] as [UInt8])
    func anUnknownTransformOfAdobeIsTheUsualOne(transform: UInt8) async throws {
        let adobe = PhotoFixture.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
        let photo = Array(Self.plain[..<2]) + adobe + Self.plain[2...]
        let found = try await render(photo)
        #expect(try await found.outputs == render(Self.plain).outputs, "\(found.verdict)")
    }

    @Test(
        arguments: [[0x12], [0, 0, 0], [0x12, 0x34, 0x56, 0x78], [UInt8](repeating: 0x55, count: 64)]
            as [[UInt8]])
    func surplusBytesBeforeARestartAreSkipped(bytes: [UInt8]) async throws {
        let found = try await render(Self.surplus(bytes, in: Self.restarting))
        #expect(try await found.outputs == render(Self.restarting).outputs, "\(found.verdict)")
    }

    @Test func missingDataIsDamage() async throws {
        let restarts = Self.restarting.indices.filter {
            Self.restarting[$0] == 0xFF && $0 + 1 < Self.restarting.count
                && 0xD0...0xD7 ~= Self.restarting[$0 + 1]
        }
        #expect(restarts.count > 10)
        for at in restarts.every(5) {
            // A part of an interval, a whole interval with its marker, and a marker of another number.
            let short = Array(Self.restarting[..<(at - 4)]) + Self.restarting[at...]
            let next = try #require(restarts.first { $0 > at } ?? restarts.first)
            let lost = next > at ? Array(Self.restarting[..<at]) + Self.restarting[next...] : short
            var other = Self.restarting
            other[at + 1] = 0xD0 + (other[at + 1] - 0xD0 + 3) % 8
            for photo in [short, lost, other] {
                let found = try await render(photo)
                #expect(
                    found.rejection == .corrupt || found.rejection == .truncated, "\(at): \(found.verdict)")
            }
        }
    }

    /// Frames that browsers do not show either (ITU-T T.81, table B.1).
    @Test(arguments: [0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF] as [UInt8])
    func aFrameOfARareKindIsNotToldToComeAsJPEG(marker: UInt8) async throws {
        var photo = Self.plain
        let at = try #require(photo.indices.first { photo[$0...].starts(with: [0xFF, 0xC0]) })
        photo[at + 1] = marker
        let found = try await render(photo)
        guard case .rejected(let rejection, _) = found.verdict else {
            Issue.record("\(found.verdict)")
            return
        }
        #expect(rejection.code == .unsupportedFormat && !rejection.message.contains("upload it as JPEG"))
    }
}
