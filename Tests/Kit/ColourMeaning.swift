import Foundation

/// How colours of sRGB are stored with the code points of ITU-T H.273: the way back from what the renderer does. White is
/// stored as 203 cd/m² (ITU-R BT.2408).
package struct ColourMeaning: Sendable {
    package var primaries: Int
    package var transfer: Int

    package init(primaries: Int, transfer: Int) { (self.primaries, self.transfer) = (primaries, transfer) }

    /// From linear sRGB: to BT.2020 by ITU-R BT.2087, table 2 inverted; to P3 with the white D65.
    private static let matrices: [Int: [[Double]]] = [
        1: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        9: [[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]],
        12: [[0.82246, 0.17754, 0], [0.03319, 0.96681, 0], [0.01708, 0.07240, 0.91052]],
    ]

    package func stored(_ srgb: [Double]) -> [Double] {
        let linear = srgb.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        let light = Self.matrices[primaries]!.map { row in
            max(0, zip(row, linear).reduce(0) { $0 + $1.0 * $1.1 })
        }
        switch transfer {
        case 16: return light.map { Self.pq($0 * 203) }
        case 18:
            // The inverse of the OOTF needs the luminance on the display.
            let luminance = (0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2]) * 0.203
            let factor = luminance > 0 ? pow(luminance, (1 - 1.2) / 1.2) : 0
            return light.map { Self.hlg($0 * 0.203 * factor) }
        case 4: return light.map { pow($0, 1 / 2.2) }
        case 5: return light.map { pow($0, 1 / 2.8) }
        case 8: return light
        default: return light.map { $0 <= 0.0031308 ? 12.92 * $0 : 1.055 * pow($0, 1 / 2.4) - 0.055 }
        }
    }

    private static func pq(_ luminance: Double) -> Double {
        let root = pow(luminance / 10_000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * root) / (1 + 18.6875 * root), 78.84375)
    }

    private static func hlg(_ scene: Double) -> Double {
        scene <= 1.0 / 12 ? sqrt(3 * scene) : 0.17883277 * log(12 * scene - 0.28466892) + 0.55991073
    }
}
