/// How the numbers of a picture become colours, by the code points of ITU-T H.273 that HEIC and AVIF have in `colr` boxes of
/// type `nclx`. (The third, the matrix of YCbCr, and the range are applied by the decoder.)
struct CodePoints: Equatable {
    var primaries: Int
    var transfer: Int
    /// Instead of the transfer: the light is a number from 0 to 1 to the power of this.
    var exponent: Double?
    /// Instead of the primaries: the chromaticities x and y of white, red, green and blue.
    var chromaticities: [Double]?

    /// Whether pixels look right when they are treated as sRGB.
    ///
    /// Television's curves (1, 6, 14, 15) are treated as sRGB's, and its older primaries (4 to 7, 22) as BT.709's: browsers
    /// do that too, and phones give these numbers to pictures that are sRGB.
    var isPlainSRGB: Bool { !Self.wide.keys.contains(primaries) && chromaticities == nil && curve == .sRGB }

    enum Curve: Equatable {
        case sRGB
        case power(Double)
        /// Absolute luminance up to 10 000 cd/m² (SMPTE ST 2084, ITU-R BT.2100 PQ).
        case pq
        /// ITU-R BT.2100 HLG.
        case hlg
    }

    var curve: Curve {
        if let exponent { return .power(exponent) }
        return switch transfer {
        case 4: .power(2.2)
        case 5: .power(2.8)
        case 8: .power(1)
        case 16: .pq
        case 18: .hlg
        default: .sRGB
        }
    }

    /// The chromaticities of red, green and blue that are wider than BT.709's. All have its white, D65.
    private static let wide: [Int: [(x: Double, y: Double)]] = [
        9: [(0.708, 0.292), (0.170, 0.797), (0.131, 0.046)],
        12: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060)],
    ]
    private static let narrow = [(x: 0.640, y: 0.330), (0.300, 0.600), (0.150, 0.060)]

    /// From linear red, green and blue to CIE XYZ with white at Y = 1, row by row (SMPTE RP 177).
    var toXYZ: Matrix {
        guard let all = chromaticities else { return Matrix(primaries: Self.wide[primaries] ?? Self.narrow) }
        let points = stride(from: 0, to: 8, by: 2).map { (x: all[$0], y: all[$0 + 1]) }
        return Matrix.adaptation(from: points[0])
            * Matrix(primaries: Array(points.dropFirst()), white: points[0])
    }
    /// From linear red, green and blue to those of sRGB.
    var toSRGB: Matrix { Matrix(primaries: Self.narrow).inverse * toXYZ }
}

/// A 3 x 3 matrix.
struct Matrix {
    private(set) var rows: [[Double]]

    init(_ rows: [[Double]]) { self.rows = rows }

    static let d65 = (x: 0.3127, y: 0.3290)

    /// Columns are the primaries, each as bright as makes their sum white.
    init(primaries points: [(x: Double, y: Double)], white: (x: Double, y: Double) = d65) {
        let columns = points.map { [$0.x / $0.y, 1, (1 - $0.x - $0.y) / $0.y] }
        let plain = Matrix((0..<3).map { row in (0..<3).map { columns[$0][row] } })
        let amounts = plain.inverse * [white.x / white.y, 1, (1 - white.x - white.y) / white.y]
        rows = plain.rows.map { zip($0, amounts).map { $0 * $1 } }
    }

    /// From XYZ under a white to XYZ under D65, by the cones of Bradford (ICC.1:2022, annex E).
    static func adaptation(from white: (x: Double, y: Double)) -> Matrix {
        let cones = Matrix([
            [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
        ])
        func response(_ white: (x: Double, y: Double)) -> [Double] {
            cones * [white.x / white.y, 1, (1 - white.x - white.y) / white.y]
        }
        let factors = zip(response(d65), response(white)).map { $0 / $1 }
        let scaled = Matrix(zip(cones.rows, factors).map { row, factor in row.map { $0 * factor } })
        return cones.inverse * scaled
    }

    static func * (matrix: Matrix, vector: [Double]) -> [Double] {
        matrix.rows.map { zip($0, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    static func * (first: Matrix, second: Matrix) -> Matrix {
        let columns = (0..<3).map { column in first * second.rows.map { $0[column] } }
        return Matrix((0..<3).map { row in columns.map { $0[row] } })
    }

    var inverse: Matrix {
        func minor(_ row: Int, _ column: Int) -> Double {
            let (a, b) = ((row + 1) % 3, (row + 2) % 3)
            let (c, d) = ((column + 1) % 3, (column + 2) % 3)
            return rows[a][c] * rows[b][d] - rows[a][d] * rows[b][c]
        }
        let determinant = (0..<3).reduce(0) { $0 + rows[0][$1] * minor(0, $1) }
        return Matrix((0..<3).map { row in (0..<3).map { minor($0, row) / determinant } })
    }
}

/// PNG's chunks about colours (PNG specification, third edition, 11.3.2). Their numbers are hundred-thousandths.
extension CodePoints {
    /// The exponent of `gAMA` for encoding. That of sRGB is 0.45455.
    mutating func note(gamma: Int?) {
        guard let gamma, 10_000...1_000_000 ~= gamma, abs(gamma - 45_455) > 500 else { return }
        exponent = 100_000 / Double(gamma)
    }

    /// `cHRM`: x and y of white, red, green and blue.
    mutating func note(chromaticities numbers: [Int]) {
        let points = numbers.map { Double($0) / 100_000 }
        let srgb = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
        let isSRGB = zip(points, srgb).allSatisfy { abs($0 - $1) <= 0.002 }
        let isReal = stride(from: 0, to: 8, by: 2).allSatisfy {
            points[$0 + 1] > 0 && points[$0] + points[$0 + 1] <= 1
        }
        // Three points on a line span no colours.
        let (red, green, blue) = ((points[2], points[3]), (points[4], points[5]), (points[6], points[7]))
        let area = (green.0 - red.0) * (blue.1 - red.1) - (blue.0 - red.0) * (green.1 - red.1)
        if !isSRGB, isReal, abs(area) > 0.001 { chromaticities = points }
    }
}
