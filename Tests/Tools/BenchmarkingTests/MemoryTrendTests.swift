import Testing

@testable import Benchmarking

@Suite struct MemoryTrendTests {
    private func trend(_ photos: Int, _ bytes: (Int) -> Int) -> MemoryTrend {
        var trend = MemoryTrend(photos: photos)
        for photo in 1...photos { _ = trend.add(bytes(photo)) }
        return trend
    }

    /// Varies by 2 MB, as memory does with photos of different sizes.
    private func ripple(_ photo: Int) -> Int { (photo &* 7919 % 41) * 100_000 - 2_000_000 }

    @Test func aLeakIsSeenInTheRipple() {
        let trend = trend(20_000) { 100_000_000 + 300 * $0 + ripple($0) }
        #expect(abs(trend.slope - 300) < 10 && trend.uncertainty < 50)
        #expect(trend.verdict.hasPrefix("grows by "))
    }

    @Test func memoryThatOnlyRipplesHasNoTrend() {
        #expect(trend(20_000) { 100_000_000 + ripple($0) }.verdict.hasPrefix("no trend"))
        #expect(trend(20_000) { _ in 100_000_000 }.verdict.hasPrefix("no trend"))
    }

    @Test func whatIsTakenAtTheStartIsNoLeak() {
        #expect(trend(2000) { $0 < 500 ? 50_000 * $0 : 25_000_000 }.slope == 0)
    }

    @Test func memoryGivenBackIsSaid() {
        #expect(trend(1000) { 90_000_000 - 1000 * $0 }.verdict.hasPrefix("shrinks by 1000 bytes per photo"))
    }

    @Test(arguments: [100, 101, 119, 20_000])
    func thereAreTwentyMeansHoweverManyPhotos(photos: Int) {
        let trend = trend(photos) { $0 }
        #expect(trend.means.count == 20)
        #expect(abs(trend.slope - 1) < 1e-9)
    }
}
