/// Whether memory grows: the least-squares line through the means of the last fifteen twentieths of a run.
///
/// It uses means because memory varies with the photos, and consecutive values are similar. The means are treated as
/// independent.
struct MemoryTrend {
    private let photos: Int
    private var added = 0
    private var sum = 0.0
    private var inTwentieth = 0
    /// For each complete twentieth: the number of its middle photo, and the mean of the bytes.
    private(set) var means: [(photo: Double, bytes: Double)] = []

    init(photos: Int) { self.photos = photos }

    /// - Returns: the mean of a twentieth, if this value completes one.
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

    /// In bytes per photo.
    var slope: Double { fit.slope }

    /// Half the width of the slope's 99 % confidence interval.
    var uncertainty: Double { fit.uncertainty }

    var verdict: String {
        let (slope, uncertainty) = fit
        let interval = "\(Self.short(slope)) ± \(Self.short(uncertainty)) bytes per photo at 99 %"
        guard abs(slope) > uncertainty else { return "no trend (\(interval))" }
        return slope > 0
            ? "grows by \(Self.short(slope)) bytes per photo (\(interval))"
            : "shrinks by \(Self.short(-slope)) bytes per photo (\(interval))"
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
        // Student's t with 13 degrees of freedom, two-sided, 99 %.
        return (slope, 3.012 * (residuals / (count - 2) / xx).squareRoot())
    }

    private static func short(_ number: Double) -> String {
        abs(number) >= 10 ? String(Int(number.rounded())) : String((number * 100).rounded() / 100)
    }
}
