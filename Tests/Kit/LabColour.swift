import FoundationEssentials
import Glibc

/// A colour in CIELAB.
package struct LabColour: Sendable {
    package var lightness: Double
    package var a: Double
    package var b: Double

    package init(_ lightness: Double, _ a: Double, _ b: Double) {
        (self.lightness, self.a, self.b) = (lightness, a, b)
    }

    /// From 8-bit sRGB (IEC 61966-2-1), relative to its own white, D65.
    package init(srgb: [Double]) {
        let linear = srgb.map { code in
            let value = code / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let (red, green, blue) = (linear[0], linear[1], linear[2])
        let x = 0.4124 * red + 0.3576 * green + 0.1805 * blue
        let y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        let z = 0.0193 * red + 0.1192 * green + 0.9505 * blue
        func curve(_ share: Double) -> Double {
            share > 216.0 / 24389 ? cbrt(share) : (24389.0 / 27 * share + 16) / 116
        }
        let (fx, fy, fz) = (curve(x / 0.9505), curve(y), curve(z / 1.0890))
        self.init(116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz))
    }

    /// CIEDE2000 with all weights 1; Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula: Implementation
    /// Notes, Supplementary Test Data, and Mathematical Observations", Color Research and Application 30 (2005).
    package func difference(to other: LabColour) -> Double {
        let meanChroma = (hypot(a, b) + hypot(other.a, other.b)) / 2
        let g = 0.5 * (1 - Self.towards25(meanChroma))
        let (a1, a2) = ((1 + g) * a, (1 + g) * other.a)
        let (c1, c2) = (hypot(a1, b), hypot(a2, other.b))
        let (h1, h2) = (Self.hue(a1, b), Self.hue(a2, other.b))
        let isGrey = c1 * c2 == 0

        var turn = h2 - h1
        if isGrey { turn = 0 } else if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
        let dL = other.lightness - lightness
        let dC = c2 - c1
        let dH = 2 * sqrt(c1 * c2) * Self.sine(turn / 2)

        let meanL = (lightness + other.lightness) / 2
        let meanC = (c1 + c2) / 2
        var meanH = (h1 + h2) / 2
        if isGrey {
            meanH = h1 + h2
        } else if abs(h1 - h2) > 180 {
            meanH += meanH < 180 ? 180 : -180
        }
        var t = 1 - 0.17 * Self.cosine(meanH - 30)
        t += 0.24 * Self.cosine(2 * meanH)
        t += 0.32 * Self.cosine(3 * meanH + 6)
        t -= 0.20 * Self.cosine(4 * meanH - 63)
        let fromMiddle = (meanL - 50) * (meanL - 50)
        let sL = 1 + 0.015 * fromMiddle / sqrt(20 + fromMiddle)
        let sC = 1 + 0.045 * meanC
        let sH = 1 + 0.015 * meanC * t
        let fromBlue = (meanH - 275) / 25
        let rotation = -Self.sine(60 * exp(-fromBlue * fromBlue)) * 2 * Self.towards25(meanC)
        let (l, c, h) = (dL / sL, dC / sC, dH / sH)
        return sqrt(l * l + c * c + h * h + rotation * c * h)
    }

    /// √(C⁷ / (C⁷ + 25⁷))
    private static func towards25(_ chroma: Double) -> Double {
        let power = pow(chroma, 7)
        return sqrt(power / (power + 6_103_515_625))
    }

    /// 0..<360 degrees.
    private static func hue(_ a: Double, _ b: Double) -> Double {
        guard a != 0 || b != 0 else { return 0 }
        let degrees = atan2(b, a) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    private static func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
    private static func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
}

/// The distance between found and expected colours, in ΔE2000.
package struct ColourDifferences: Sendable, CustomStringConvertible {
    private let sorted: [Double]

    /// - Parameters:
    ///   - found: 8-bit sRGB; `expected` likewise, with the same count.
    package init(_ found: [[Double]], _ expected: [[Double]]) {
        precondition(found.count == expected.count && !found.isEmpty)
        sorted = zip(found, expected).map { LabColour(srgb: $0).difference(to: LabColour(srgb: $1)) }.sorted()
    }

    package var median: Double { sorted[sorted.count / 2] }
    package var largest: Double { sorted[sorted.count - 1] }
    package var description: String { "median \(median), largest \(largest)" }
}
