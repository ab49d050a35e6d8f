import Imaging
import TestKit
import Testing

/// What a rendition may contain, and how its size is read.
@Suite(.computing) struct StructureTests {
    private func fault(_ bytes: [UInt8]) -> RenditionStructure.Fault.Code? {
        do {
            _ = try bytes.withUnsafeBytes { try RenditionStructure(checking: $0, as: .jpeg) }
            return nil
        } catch {
            return (error as? RenditionStructure.Fault)?.code
        }
    }

    private static let clean = PhotoFixture.jpeg(width: 40, height: 30)

    @Test func pixelsAlonePass() throws {
        let structure = try Self.clean.withUnsafeBytes { try RenditionStructure(checking: $0, as: .jpeg) }
        #expect(structure.width == 40 && structure.height == 30 && structure.frames == 1)
        #expect(fault(PhotoFixture.jpeg(progressive: true)) == nil)
    }

    @Test(arguments: UInt8(0xE0)...0xEF)
    func anApplicationSegmentFails(marker: UInt8) {
        let segment = PhotoFixture.segment(marker, Array("Exif\0\0 and more".utf8))
        #expect(
            fault(PhotoFixture.insert(segment, into: Self.clean))
                == .metadata("marker 0x\(String(marker, radix: 16))"))
    }

    @Test func aCommentAndATailFail() {
        let comment = PhotoFixture.segment(0xFE, Array("hello".utf8))
        #expect(fault(PhotoFixture.insert(comment, into: Self.clean)) == .comment)
        #expect(fault(Self.clean + [0]) == .trailingBytes(1))
        #expect(fault(Self.clean + Self.clean) == .trailingBytes(Self.clean.count))
    }

    @Test func aSegmentBetweenScansFails() {
        let comment = PhotoFixture.segment(0xFE, Array("hello".utf8))
        #expect(fault(Self.clean.dropLast(2) + comment + [0xFF, 0xD9]) == .comment)
    }

    @Test func noPrefixPasses() {
        for count in 0..<Self.clean.count { #expect(fault(Array(Self.clean.prefix(count))) != nil) }
    }

    @Test(arguments: [
        (4000, 3000, 1920, 1440, 320), (3000, 4000, 1440, 1920, 320), (100, 60, 100, 60, 60),
        (1920, 1, 1920, 1, 1), (10_000, 100, 1920, 19, 100), (1921, 1080, 1920, 1079, 320),
    ])
    func sizesKeepTheShape(width: Int, height: Int, largeWidth: Int, largeHeight: Int, side: Int) {
        let large = Recipe.standard.renditions[0].size(width: width, height: height)
        #expect(large == (largeWidth, largeHeight))
        let square = Recipe.standard.renditions[2].size(width: width, height: height)
        #expect(square == (side, side))
    }
}
