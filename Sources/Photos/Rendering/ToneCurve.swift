import Glibc

/// From the numbers of a picture to linear light, and from the light of high dynamic range to that of a page.
enum ToneCurve {
    /// The luminance that is shown as white, in cd/m²: that of diffuse white in high dynamic range (ITU-R BT.2408-7, 2.1).
    static let white = 203.0
    /// The most that PQ can say, in cd/m².
    static let brightest = 10_000.0
    /// The luminance of full HLG, in cd/m², and the exponent of its system curve there (ITU-R BT.2100-2, table 5).
    static let hlgPeak = 1000.0
    static let hlgGamma = 1.2

    /// Linear light of each value from 0 to `largest` (which is 1): for PQ in units of ``white``, for HLG of the scene, for the
    /// others of the display.
    static func linear(_ curve: CodePoints.Curve, largest: Int, count: Int) -> [Float] {
        (0..<count).map { value in
            let signal = min(1, Double(value) / Double(largest))
            let light =
                switch curve {
                // IEC 61966-2-1.
                case .sRGB: signal <= 0.04045 ? signal / 12.92 : pow((signal + 0.055) / 1.055, 2.4)
                case .power(let exponent): pow(signal, exponent)
                case .pq: luminance(pq: signal) / white
                case .hlg: scene(hlg: signal)
                }
            return Float(light)
        }
    }

    /// The inverse of HLG's OETF (ITU-R BT.2100-2, table 5), 0 to 1.
    private static func scene(hlg signal: Double) -> Double {
        let (a, b, c) = (0.178_832_77, 0.284_668_92, 0.559_910_73)
        return signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
    }

    private static let m1 = 2610.0 / 16_384
    private static let m2 = 2523.0 / 4096 * 128
    private static let c1 = 3424.0 / 4096
    private static let c2 = 2413.0 / 4096 * 32
    private static let c3 = 2392.0 / 4096 * 32

    /// PQ's EOTF (ITU-R BT.2100-2, table 4), in cd/m².
    static func luminance(pq signal: Double) -> Double {
        let root = pow(signal, 1 / m2)
        return brightest * pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
    }

    /// Its inverse.
    static func pq(luminance: Double) -> Double {
        let root = pow(min(max(luminance / brightest, 0), 1), m1)
        return pow((c1 + c2 * root) / (1 + c3 * root), m2)
    }

    /// The factors by which light is dimmed, for `count` luminances from 0 to `brightest` (in units of ``white``), so that
    /// `brightest` becomes white and what is dim stays as it is.
    ///
    /// This is the EETF of ITU-R BT.2390-10, 5.4.1 (also in BT.2408-7, annex 5): a Hermite spline in PQ from its knee on. Black
    /// is not lifted.
    static func gains(brightest: Double, count: Int) -> [Float] {
        let source = pq(luminance: brightest * white)
        let largest = pq(luminance: white) / source
        let knee = 1.5 * largest - 0.5
        return (0..<count).map { index in
            let light = max(brightest * Double(index) / Double(count - 1), 1e-6)
            let signal = pq(luminance: light * white) / source
            guard signal > knee else { return 1 }
            let t = (signal - knee) / (1 - knee)
            let (t2, t3) = (t * t, t * t * t)
            let mapped =
                (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * largest
            return Float(luminance(pq: mapped * source) / white / light)
        }
    }
}
