import Imaging
import TestKit
import Testing

/// JPEGs that broke off between two scans, and segments that decoders read on behind.
@Suite(.computing, .timeLimit(.minutes(15))) struct MissingScansTests {
    private static let progressive = PhotoFixture.jpeg(width: 160, height: 120, progressive: true)

    /// Where the markers of tables and scans stand, behind the frame.
    private static func markers(_ bytes: [UInt8]) -> [Int] {
        let frame = bytes.indices.dropLast().first {
            bytes[$0] == 0xFF && [0xC0, 0xC2].contains(bytes[$0 + 1])
        }!
        return bytes.indices.dropLast().dropFirst(frame + 2).filter {
            bytes[$0] == 0xFF && [0xC4, 0xDA].contains(bytes[$0 + 1])
        }
    }

    @Test func areMissedWhereverThePhotoEnds() async throws {
        let markers = Self.markers(Self.progressive)
        #expect(markers.count > 10)
        for marker in markers {
            for cut in [0, 1, 2, 3, 5, 7] {
                let photo = try await render(Array(Self.progressive[..<(marker + cut)]))
                #expect(photo.rejection == .truncated, "at \(marker) + \(cut)")
            }
        }
        // All is there but for the end.
        let whole = try await render(Self.progressive)
        let ended = try await render(Self.progressive.dropLast(2))
        #expect(ended.outputs == whole.outputs, "\(ended.verdict)")
    }

    @Test func areMissedBeforeAnEnd() async throws {
        let scans = Self.markers(Self.progressive).filter { Self.progressive[$0 + 1] == 0xDA }
        // The first one is that of the lowest frequency of all components.
        let next = Self.progressive.indices.first { at in
            at > scans[0] + 12 && Self.progressive[at] == 0xFF && Self.progressive[at + 1] != 0
        }
        let without = Array(Self.progressive[..<scans[0]]) + Self.progressive[try #require(next)...]
        #expect(try await render(without).rejection == .truncated)
    }

    @Test(arguments: [0, 1] as [UInt8], [0xE1, 0xE5, 0xEF, 0xFE] as [UInt8])
    func anEmptySegmentIsSkipped(length: UInt8, marker: UInt8) async throws {
        let plain = PhotoFixture.jpeg(width: 32, height: 24)
        let photo = try await render(PhotoFixture.insert([0xFF, marker, 0, length], into: plain))
        #expect(try await photo.outputs == render(plain).outputs)
    }

    /// An unknown compression, no palette, an iPhone's PNG, and kinds of pictures in HEIF that the decoder does not have.
    @Test func whatIsRareIsNotDamaged() async throws {
        var compressed = PhotoFixture.jpegTIFF()
        let tag = compressed.indices.dropLast(12).first {
            compressed[$0...].starts(with: [0x03, 0x01, 0x03, 0x00, 0x01, 0x00, 0x00, 0x00, 0x07, 0x00])
        }
        // JPEG XL.
        compressed.replaceSubrange((try #require(tag) + 8)..<(tag! + 10), with: [0x42, 0xCD])
        let png = PhotoFixture.png()
        let iPhones =
            Array(png[..<8]) + [0, 0, 0, 4] + Array("CgBI".utf8) + [0x50, 0, 0x20, 2, 0, 0, 0, 0] + png[8...]
        var photos = [compressed, iPhones]
        for kind in ["jpeg", "vvc1", "unci", "j2k1", "tmap"] {
            var file = HEIFFixture(.hevc).bytes
            let at = file.indices.dropLast(4).first { file[$0...].starts(with: Array("hvc1".utf8)) }
            file.replaceSubrange(try #require(at)..<(at! + 4), with: Array(kind.utf8))
            photos.append(file)
        }
        for photo in photos {
            let verdict = try await render(photo).verdict
            guard case .rejected(let rejection, _) = verdict else {
                Issue.record("accepted")
                continue
            }
            #expect(rejection.code == .unsupportedFormat, "\(verdict)")
        }
    }

    @Test(arguments: [0x02, 0xBF, 0xC8, 0xDE, 0xF0, 0xF7, 0xFD] as [UInt8])
    func aRareKindIsNotToldToBecomeAJPEG(marker: UInt8) async throws {
        let photo = PhotoFixture.insert(
            [0xFF, marker, 0, 4, 0, 0], into: PhotoFixture.jpeg(width: 32, height: 24))
        guard case .rejected(let rejection, _) = try await render(photo).verdict else {
            Issue.record("accepted")
            return
        }
        #expect(rejection.code == .unsupportedFormat)
        #expect(!rejection.message.contains("as JPEG"), "\(rejection.message)")
    }
}
