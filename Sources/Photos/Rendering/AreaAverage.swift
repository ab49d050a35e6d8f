/// Reduces interleaved samples to the mean of each area. Colours are weighted by their opacity.
///
/// This is for tiny pictures, for which setting up a libvips pipeline takes longer than the sums.
///
/// - Parameters:
///   - bands: 3, or 4 with transparency.
///   - target: at most the size of the source.
/// - Returns: four samples per pixel.
func areaAverage(
    _ samples: [UInt8], width: Int, height: Int, bands: Int, to target: (width: Int, height: Int)
) -> [UInt8] {
    precondition(samples.count == width * height * bands && (bands == 3 || bands == 4))
    precondition(1...width ~= target.width && 1...height ~= target.height)
    // The first source column of each target column, and the end.
    let edges = (0...target.width).map { $0 * width / target.width * bands }
    var result = [UInt8](repeating: 255, count: target.width * target.height * 4)
    var sums = [Int](repeating: 0, count: target.width * 4)
    samples.withUnsafeBufferPointer { source in
        for row in 0..<target.height {
            for index in sums.indices { sums[index] = 0 }
            let rows = row * height / target.height..<(row + 1) * height / target.height
            for y in rows {
                let line = y * width * bands
                for column in 0..<target.width {
                    var (red, green, blue, weight) = (0, 0, 0, 0)
                    for at in stride(from: line + edges[column], to: line + edges[column + 1], by: bands) {
                        let alpha = bands == 4 ? Int(source[at + 3]) : 1
                        red += Int(source[at]) * alpha
                        green += Int(source[at + 1]) * alpha
                        blue += Int(source[at + 2]) * alpha
                        weight += alpha
                    }
                    sums[column * 4] += red
                    sums[column * 4 + 1] += green
                    sums[column * 4 + 2] += blue
                    sums[column * 4 + 3] += weight
                }
            }
            for column in 0..<target.width {
                let at = (row * target.width + column) * 4
                let weight = max(1, sums[column * 4 + 3])
                for band in 0..<3 {
                    result[at + band] = UInt8((sums[column * 4 + band] + weight / 2) / weight)
                }
                guard bands == 4 else { continue }
                let area = rows.count * (edges[column + 1] - edges[column]) / bands
                result[at + 3] = UInt8((sums[column * 4 + 3] + area / 2) / area)
            }
        }
    }
    return result
}
