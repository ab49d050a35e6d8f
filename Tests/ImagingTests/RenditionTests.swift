import Imaging
import TestKit
import Testing

@Suite struct RenditionTests {
    @Test func aPhotoComesOutInThreeRenditions() async throws {
        let photo = try await render(
            PhotoFixture.jpeg(
                width: 2400, height: 1800, latitude: -33.8568, longitude: 151.2153,
                takenAt: "2024:05:07 09:33:04", offset: "+10:00"))
        let report = try #require(photo.report)
        #expect(photo.rejection == nil)
        #expect(report.format == .jpeg && report.width == 2400 && report.height == 1800)
        guard case .accepted(_, let images) = photo.verdict else { return }
        #expect(images.map(\.name) == ["large", "medium", "square"])
        #expect(images.map(\.width) == [1920, 1080, 320])
        #expect(images.map(\.height) == [1440, 810, 320])
        #expect(images.map(\.bytes) == photo.outputs.map(\.count))
    }
}
