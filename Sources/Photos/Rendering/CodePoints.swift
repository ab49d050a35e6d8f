/// How the numbers of a picture become colours, by the code points of ITU-T H.273 that HEIC and AVIF have in `colr` boxes of
/// type `nclx`. (The third, the matrix of YCbCr, and the range are applied by the decoder.)
struct CodePoints: Equatable {
    var primaries: Int
    var transfer: Int

    /// Whether pixels look right when they are treated as sRGB.
    ///
    /// Television's curves (1, 6, 14, 15) are treated as sRGB's, and its older primaries (4 to 7, 22) as BT.709's: browsers
    /// do that too, and phones give these numbers to pictures that are sRGB.
    var isPlainSRGB: Bool { !Self.wide.keys.contains(primaries) && curve == .sRGB }

    enum Curve: Equatable {
        case sRGB
        case power(Double)
        /// Absolute luminance up to 10 000 cd/m² (SMPTE ST 2084, ITU-R BT.2100 PQ).
        case pq
        /// ITU-R BT.2100 HLG.
        case hlg
    }

    var curve: Curve {
        switch transfer {
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
    var toXYZ: Matrix { Matrix(primaries: Self.wide[primaries] ?? Self.narrow) }
    /// From linear red, green and blue to those of sRGB.
    var toSRGB: Matrix { Matrix(primaries: Self.narrow).inverse * toXYZ }
}

/// A 3 x 3 matrix.
struct Matrix {
    private(set) var rows: [[Double]]

    init(_ rows: [[Double]]) { self.rows = rows }

    /// Columns are the primaries, each as bright as makes their sum the white D65.
    init(primaries points: [(x: Double, y: Double)]) {
        let columns = points.map { [$0.x / $0.y, 1, (1 - $0.x - $0.y) / $0.y] }
        let plain = Matrix((0..<3).map { row in (0..<3).map { columns[$0][row] } })
        let amounts = plain.inverse * [0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290]
        rows = plain.rows.map { zip($0, amounts).map { $0 * $1 } }
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
