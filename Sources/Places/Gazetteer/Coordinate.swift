import Glibc

/// A point on the Earth in WGS 84 degrees.
///
/// Latitude is −90...90, longitude −180...180; both are finite. −180 and 180 are the same meridian,
/// and at a pole every longitude is the same point: distances treat them so, equality does not.
package struct Coordinate: Sendable, Hashable {
    package let latitude: Double
    package let longitude: Double

    /// Returns nil if a value is out of range, infinite or not a number.
    package init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Takes values from an index file and clamps damaged ones into range.
    package init(clamping latitude: Double, _ longitude: Double) {
        self.latitude = min(max(latitude, -90), 90)
        self.longitude = min(max(longitude, -180), 180)
    }

    /// The distance along the sphere's surface, in metres.
    ///
    /// The haversine formula on a sphere of the IUGG mean radius R₁ = 6 371 008.8 m (Moritz,
    /// "Geodetic Reference System 1980"). Against the WGS 84 ellipsoid it errs by at most 0.56 %.
    package func distance(to other: Coordinate) -> Double {
        Sphere.arcMetres(squaredChord: UnitVector(self).squaredChord(to: UnitVector(other)))
    }
}

/// A point of the unit sphere: x towards 0°N 0°E, y towards 0°N 90°E, z towards the north pole.
///
/// Nearness in these coordinates has no seam at the antimeridian and no special case at the poles.
package struct UnitVector: Equatable {
    var x: Double
    var y: Double
    var z: Double

    init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    package init(_ coordinate: Coordinate) {
        let latitude = Trigonometry.sineCosine(degrees: coordinate.latitude)
        let longitude = Trigonometry.sineCosine(degrees: coordinate.longitude)
        x = latitude.cosine * longitude.cosine
        y = latitude.cosine * longitude.sine
        z = latitude.sine
    }

    @inline(__always)
    package func squaredChord(to other: UnitVector) -> Double {
        let dx = x - other.x
        let dy = y - other.y
        let dz = z - other.z
        return dx * dx + dy * dy + dz * dz
    }
}

extension Double {
    /// The nearest whole number, for values that fit an Int; the processor has no instruction for `rounded()`.
    @inline(__always)
    var nearestInteger: Int { Int(self + (self < 0 ? -0.5 : 0.5)) }
}

enum Trigonometry {
    /// The sine and cosine of −180...180 degrees, to 2⁻⁵² of 1.
    ///
    /// Reduced in degrees, where it is exact, to ±45; then uses fdlibm's polynomials (Sun Microsystems, 1993,
    /// k_sin.c and k_cos.c). Both take a fifth of the C library's time and give the same results on every machine.
    @inline(__always)
    static func sineCosine(degrees: Double) -> (sine: Double, cosine: Double) {
        let quarter = (degrees * (1 / 90.0)).nearestInteger
        let angle = (degrees - Double(quarter &* 90)) * (.pi / 180)
        let square = angle * angle
        let sine = angle + angle * square * Self.sine(square)
        let cosine = 1 - (square * 0.5 - square * square * Self.cosine(square))
        return switch quarter & 3 {
        case 0: (sine, cosine)
        case 1: (cosine, -sine)
        case 2: (-sine, -cosine)
        default: (-cosine, sine)
        }
    }

    @inline(__always)
    private static func sine(_ z: Double) -> Double {
        let high =
            -1.98412698298579493134e-04 + z
            * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))
        return -1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * high)
    }

    @inline(__always)
    private static func cosine(_ z: Double) -> Double {
        let high =
            2.48015872894767294178e-05 + z
            * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11))
        return 4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * high)
    }
}

enum Sphere {
    /// IUGG mean Earth radius R₁, metres.
    static let radius = 6_371_008.8

    /// The great-circle arc under a chord: 2 R asin(chord / 2), which is the haversine formula.
    static func arcMetres(squaredChord: Double) -> Double {
        let sine = min(1, squaredChord.squareRoot() / 2)
        // Further terms of the series are smaller than rounding.
        let square = sine * sine
        let arc =
            sine < 0.01
            ? sine * (1 + square * (1 / 6.0 + square * (3 / 40.0 + square * (5 / 112.0)))) : asin(sine)
        return 2 * radius * arc
    }

    /// The squared chord on the unit sphere for an arc of this many metres.
    static func squaredChord(arcMetres: Double) -> Double {
        let chord = 2 * sin(min(arcMetres, .pi * radius) / (2 * radius))
        return chord * chord
    }
}
