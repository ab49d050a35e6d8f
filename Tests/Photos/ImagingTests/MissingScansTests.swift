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
