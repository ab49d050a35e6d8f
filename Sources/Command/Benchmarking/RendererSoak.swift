import Glibc
import Imaging
import JobStore

/// What `darkroom bench render --soak` measures: whether the memory of one renderer, which is not replaced, grows with
/// the photos that it has rendered.
package struct RendererSoak: Sendable {
    private let photos: String
    private let renderer: String
    private let count: Int
    private let report: @Sendable (BenchmarkLine) -> Void
    private let progress: @Sendable (String) -> Void

    /// - Parameters:
    ///   - photos: a folder; its JPEGs are rendered in turn, over and over.
    ///   - renderer: path of `darkroom-renderer`, or of a script that becomes it.
    ///   - count: photos, at least 100.
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
        try await RendererRun(executable: renderer, size: 1).withPool { pool in
            let process = pool.statistics.processes[0]
            let figures = ProcessFigures(process: process)
            var trend = MemoryTrend(photos: count)
            var seconds = 0.0
            for number in 0..<count {
                try Task.checkCancellation()
                let began = ContinuousClock.now
                try await RendererRun(executable: renderer, size: 1).render(
                    paths[number % paths.count], with: pool)
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

/// Whether memory grows: the least-squares line through the means of the last fifteen twentieths of a run.
///
/// Means, because memory goes up and down with the photos, and neighbours resemble each other; what is left is taken
/// for independent.
struct MemoryTrend {
    private let photos: Int
    private var added = 0
    private var sum = 0.0
    private var inTwentieth = 0
    /// Of the twentieths that are complete: the middle photo's number, and the mean of the bytes.
    private(set) var means: [(photo: Double, bytes: Double)] = []

    init(photos: Int) { self.photos = photos }

    /// - Returns: the mean of a twentieth that this completes.
    mutating func add(_ bytes: Int) -> Double? {
        added += 1
        inTwentieth += 1
        sum += Double(bytes)
        guard added * 20 / photos > means.count else { return nil }
        let mean = sum / Double(inTwentieth)
        means.append((Double(added) - Double(inTwentieth - 1) / 2, mean))
        sum = 0
        inTwentieth = 0
        return mean
    }

    /// Bytes a photo.
    var slope: Double { fit.slope }

    /// Half the width of the slope's 99 % confidence interval.
    var uncertainty: Double { fit.uncertainty }

    var verdict: String {
        let (slope, uncertainty) = fit
        let interval = "\(Self.short(slope)) ± \(Self.short(uncertainty)) bytes a photo at 99 %"
        guard abs(slope) > uncertainty else { return "no trend (\(interval))" }
        return slope > 0
            ? "grows by \(Self.short(slope)) bytes a photo (\(interval))"
            : "shrinks by \(Self.short(-slope)) bytes a photo (\(interval))"
    }

    private var fit: (slope: Double, uncertainty: Double) {
        let points = means.dropFirst(5)
        guard points.count == 15 else { return (0, .infinity) }
        let count = Double(points.count)
        let x = points.reduce(0) { $0 + $1.photo } / count
        let y = points.reduce(0) { $0 + $1.bytes } / count
        let xx = points.reduce(0) { $0 + ($1.photo - x) * ($1.photo - x) }
        let slope = points.reduce(0) { $0 + ($1.photo - x) * ($1.bytes - y) } / xx
        let residuals = points.reduce(0.0) { sum, point in
            let residual = point.bytes - y - slope * (point.photo - x)
            return sum + residual * residual
        }
        // Student's t of 13 degrees of freedom, two-sided, 99 %.
        return (slope, 3.012 * (residuals / (count - 2) / xx).squareRoot())
    }

    private static func short(_ number: Double) -> String {
        abs(number) >= 10 ? String(Int(number.rounded())) : String((number * 100).rounded() / 100)
    }
}
