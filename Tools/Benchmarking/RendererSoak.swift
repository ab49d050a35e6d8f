import Glibc
import Imaging
import JobStore

/// `darkroom-dev bench render --soak`: measures whether the memory of one renderer, which is not replaced, grows with the
/// photos that it renders.
package struct RendererSoak: Sendable {
    private let photos: String
    private let renderer: String
    private let count: Int
    private let report: @Sendable (BenchmarkLine) -> Void
    private let progress: @Sendable (String) -> Void

    /// - Parameters:
    ///   - photos: a folder whose JPEGs are rendered in turn, over and over.
    ///   - renderer: path of `darkroom-renderer`, or of a script that becomes it.
    ///   - count: number of photos, at least 100.
    package init(
        photos: String, renderer: String, count: Int, progress: @escaping @Sendable (String) -> Void,
        report: @escaping @Sendable (BenchmarkLine) -> Void
    ) {
        precondition(count >= 100)
        self.photos = photos
        self.renderer = renderer
        self.count = count
        self.progress = progress
        self.report = report
    }

    package func run() async throws {
        let paths = try PhotoFolder.photos(in: photos)
        progress("\(count) photos through one renderer, \(paths.count) different ones")
        let run = RendererRun(executable: renderer, size: 1, isolation: .pool)
        _ = try await run.withPool { pool in
            let process = pool.statistics.processes[0]
            let figures = ProcessFigures(process: process)
            var trend = MemoryTrend(photos: count)
            var seconds = 0.0
            for number in 0..<count {
                try Task.checkCancellation()
                let began = ContinuousClock.now
                try await run.render(paths[number % paths.count], with: pool)
                seconds += (ContinuousClock.now - began).inSeconds
                guard pool.statistics.processes == [process], let bytes = figures.residentBytes else {
                    throw BenchmarkError("the renderer was replaced after \(number + 1) photos")
                }
                if let mean = trend.add(bytes) {
                    report(
                        BenchmarkLine("soak-memory-\(number + 1)", "KiB", [mean / 1024], lowerIsBetter: true))
                }
            }
            report(
                BenchmarkLine(
                    "soak-peak-memory", "MB", [Double(figures.peakBytes ?? 0) / 1_048_576],
                    lowerIsBetter: true))
            report(BenchmarkLine("soak", "photos/s", [Double(count) / seconds], note: "one after the other"))
            report(
                BenchmarkLine(
                    "soak-growth", "bytes/photo", [trend.slope], lowerIsBetter: true,
                    note: "\(trend.verdict), over the last three quarters"))
        }
    }
}
