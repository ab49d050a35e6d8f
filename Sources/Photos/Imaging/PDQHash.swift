import Glibc
import PlainText

/// 256 bits that differ little between copies of a photo, with the photo's suitability for such a comparison.
///
/// This is the PDQ hash of "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing Algorithm" (Facebook, 2019,
/// https://github.com/facebook/ThreatExchange/blob/main/hashing/hashing.pdf), the form in which organisations share the
/// hashes of photos that must not be published. The window, the constants and the order of the bits are those of its
/// reference implementation, so that hashes can be compared with those of others.
package struct PDQHash: Hashable, Sendable, Codable {
    /// The coefficients from the highest frequencies to the lowest, highest bits first: the order of the hexadecimal form.
    package let words: [UInt64]
    /// How much there is to compare, 0 to 100: the sum of the steps between neighbours of the reduced picture.
    package let quality: Int

    /// Hashes of a lower quality must not be compared: pictures of little but one colour resemble each other.
    package static let leastQuality = 50
    /// Copies differ in at most so many bits, by the paper; unrelated photos in about 128.
    package static let copyDistance = 31

    /// A picture whose longer side has so many pixels has the same hash as a larger one, but for a few bits.
    package static let enoughPixels = 512

    /// Pixels per side of the picture that is transformed.
    static let side = 64
    /// Frequencies per side that are kept. The mean, frequency 0, is not.
    static let kept = 16
    /// Shorter sides have nothing to compare.
    private static let shortestSide = 5

    /// - Parameter words: four, the highest bits first.
    package init(words: [UInt64], quality: Int) {
        precondition(words.count == 4 && 0...100 ~= quality)
        self.words = words
        self.quality = quality
    }

    /// - Parameters:
    ///   - width: pixels in a row.
    ///   - luma: writes the brightness of a row's pixels, from 0 to 255: 0.299 R + 0.587 G + 0.114 B. It is asked for each row
    ///     once, from top to bottom, so that no second picture is in memory.
    package init(width: Int, height: Int, luma: (Int, UnsafeMutableBufferPointer<Float>) -> Void) {
        guard width >= Self.shortestSide, height >= Self.shortestSide else {
            self.init(words: [0, 0, 0, 0], quality: 0)
            return
        }
        let reduced = Self.reduced(width: width, height: height, luma)
        self.init(words: Self.bits(Self.frequencies(reduced)), quality: Self.quality(of: reduced))
    }

    /// 64 digits.
    package var hexadecimal: String { words.map(\.hexadecimal).joined() }

    /// Number of bits in which two hashes differ, 0 to 256.
    package func distance(to other: PDQHash) -> Int {
        zip(words, other.words).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
    }

    /// Blurs the picture by a tent, which is a box twice (Jarosz, "Fast Image Convolutions", 2001), and takes the pixels in the
    /// middle of each of 64 × 64 blocks.
    ///
    /// The rows' means do not depend on the columns', so only the columns that are taken need the second direction.
    private static func reduced(
        width: Int, height: Int, _ luma: (Int, UnsafeMutableBufferPointer<Float>) -> Void
    ) -> [Float] {
        var row = [Float](repeating: 0, count: width)
        if width == side, height == side {
            return (0..<height).flatMap { y in
                row.withUnsafeMutableBufferPointer { luma(y, $0) }
                return row
            }
        }
        var blurred = [Float](repeating: 0, count: max(width, height))
        var again = blurred
        func taken(_ index: Int, of length: Int) -> Int { (2 * index + 1) * length / (2 * side) }
        // 64 columns, each as long as the picture is high.
        var columns = [Float](repeating: 0, count: side * height)
        for y in 0..<height {
            row.withUnsafeMutableBufferPointer { luma(y, $0) }
            row.withUnsafeBufferPointer { box($0, into: &blurred) }
            blurred.withUnsafeBufferPointer { box(.init(rebasing: $0[..<width]), into: &again) }
            for column in 0..<side { columns[column * height + y] = again[taken(column, of: width)] }
        }
        var result = [Float](repeating: 0, count: side * side)
        columns.withUnsafeBufferPointer { all in
            for column in 0..<side {
                box(.init(rebasing: all[column * height..<(column + 1) * height]), into: &blurred)
                blurred.withUnsafeBufferPointer { box(.init(rebasing: $0[..<height]), into: &again) }
                for row in 0..<side { result[row * side + column] = again[taken(row, of: height)] }
            }
        }
        return result
    }

    /// The mean of the window around each value: half a block long. At the ends it is of the values that there are.
    private static func box(_ values: UnsafeBufferPointer<Float>, into means: inout [Float]) {
        let window = (values.count + 2 * side - 1) / (2 * side)
        let (after, before) = (window / 2, window - 1 - window / 2)
        means.withUnsafeMutableBufferPointer { means in
            var (sum, count) = (Float(0), Float(0))
            for index in 0..<min(after, values.count) {
                sum += values[index]
                count += 1
            }
            for index in values.indices {
                if index + after < values.count {
                    sum += values[index + after]
                    count += 1
                }
                if index > before {
                    sum -= values[index - before - 1]
                    count -= 1
                }
                means[index] = sum / count
            }
        }
    }

    /// The sum of the differences between neighbours, in whole hundredths of the range so that noise does not count, divided
    /// by 90: the paper's choice.
    private static func quality(of reduced: [Float]) -> Int {
        var sum = 0
        func add(_ one: Float, _ other: Float) { sum += abs(Int((one - other) * 100 / 255)) }
        for row in 0..<side {
            for column in 0..<side {
                let at = row * side + column
                if row + 1 < side { add(reduced[at], reduced[at + side]) }
                if column + 1 < side { add(reduced[at], reduced[at + 1]) }
            }
        }
        return min(100, sum / 90)
    }

    /// Rows 1 to 16 of the matrix of the DCT-II: √(2/64) · cos(π/128 · i · (2j + 1)).
    private static let cosines: [Float] = (1...kept).flatMap { frequency in
        (0..<side).map { at in
            Float((2 / Double(side)).squareRoot())
                * Float(cos(Double.pi / Double(2 * side) * Double(frequency) * Double(2 * at + 1)))
        }
    }

    /// The 16 × 16 lowest coefficients without the means, by vertical and then by horizontal frequency.
    private static func frequencies(_ reduced: [Float]) -> [Float] {
        var vertical = [Float](repeating: 0, count: kept * side)
        var result = [Float](repeating: 0, count: kept * kept)
        for frequency in 0..<kept {
            for row in 0..<side {
                let factor = cosines[frequency * side + row]
                for column in 0..<side {
                    vertical[frequency * side + column] += factor * reduced[row * side + column]
                }
            }
            for horizontal in 0..<kept {
                var sum: Float = 0
                for column in 0..<side {
                    sum += vertical[frequency * side + column] * cosines[horizontal * side + column]
                }
                result[frequency * kept + horizontal] = sum
            }
        }
        return result
    }

    /// Whether each coefficient exceeds the lower median. The first coefficient is the lowest bit.
    private static func bits(_ coefficients: [Float]) -> [UInt64] {
        let median = coefficients.sorted()[coefficients.count / 2 - 1]
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, coefficient) in coefficients.enumerated() where coefficient > median {
            words[3 - index / 64] |= 1 << UInt64(index % 64)
        }
        return words
    }
}
