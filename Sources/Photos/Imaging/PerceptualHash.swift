import Glibc
import PlainText

/// 64 bits that differ little between copies of a photo: whether each low DCT coefficient exceeds their median.
///
/// This is the DCT hash of Zauner, "Implementation and Benchmarking of Perceptual Image Hash Functions" (2010), in the
/// form and bit order of Python's `imagehash.phash`, so that hashes can be compared with those of other programs.
package struct PerceptualHash: Hashable, Sendable, Codable {
    /// The highest bit stands for the coefficient of the mean.
    package let bits: UInt64

    package init(bits: UInt64) { self.bits = bits }

    /// Pixels per side of the square to which a photo is scaled before it is hashed.
    package static let side = 32
    private static let kept = 8

    /// - Parameter grey: 32 rows of 32 pixels.
    package init(grey: [UInt8]) {
        let (side, kept) = (Self.side, Self.kept)
        precondition(grey.count == side * side)
        var cosines: [[Double]] = []
        for frequency in 0..<kept {
            let step = Double.pi * Double(frequency) / Double(2 * side)
            cosines.append((0..<side).map { cos(step * Double(2 * $0 + 1)) })
        }
        var coefficients: [Double] = []
        for vertical in 0..<kept {
            var columns = [Double](repeating: 0, count: side)
            for y in 0..<side {
                for x in 0..<side { columns[x] += Double(grey[y * side + x]) * cosines[vertical][y] }
            }
            for horizontal in 0..<kept {
                var sum = 0.0
                for x in 0..<side { sum += columns[x] * cosines[horizontal][x] }
                coefficients.append(sum)
            }
        }
        let sorted = coefficients.sorted()
        let median = (sorted[31] + sorted[32]) / 2
        bits = coefficients.reduce(0) { $0 << 1 | ($1 > median ? 1 : 0) }
    }

    /// 16 digits.
    package var hexadecimal: String { bits.hexadecimal }

    /// Number of bits in which two hashes differ, 0 to 64. Copies differ in a few, unrelated photos in about 32.
    package func distance(to other: PerceptualHash) -> Int { (bits ^ other.bits).nonzeroBitCount }
}
