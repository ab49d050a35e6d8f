import Glibc

/// Cells of nearly one size all over the Earth, of which a point's coordinates can stand for all points within.
///
/// Rows of latitude are as high as a cell is wide and lie symmetrically about the equator; how many cells share a row
/// depends on the row alone. The cells at the poles are discs about them. No cell is larger than asked for, so a
/// point is never farther than `cellMetres` / √2 (and the rounding of the answer, 1 cm) from its cell's centre.
///
/// The same point always has the same answer, and so have all points of its cell: however many photos of one spot
/// are published, they do not average out to the spot. `darkroom.grid_centre` computes the same in the database.
package struct CoordinateGrid: Sendable, Hashable {
    /// Both sides of a cell, metres along the sphere of `Coordinate.distance(to:)`.
    package let cellMetres: Double
    /// The parts that a meridian is cut into; there is one row more, as half a part lies at each pole.
    private let parts: Double

    /// - Parameter cellMetres: 1 to 1 000 000.
    package init(cellMetres: Double) {
        precondition((1...1_000_000).contains(cellMetres), "a cell of \(cellMetres) m is not a sound size")
        self.cellMetres = cellMetres
        parts = (Double.pi * Sphere.radius / cellMetres).rounded(.up)
    }

    /// The centre of the cell that holds a point, to 10⁻⁷ degrees; a centre is its own.
    package func centre(of point: Coordinate) -> Coordinate {
        let row = ((point.latitude + 90) / 180 * parts + 0.5).rounded(.down)
        let latitude = row / parts * 180 - 90
        // There all longitudes are one point.
        guard row > 0, row < parts else { return Coordinate(clamping: latitude, 0) }
        let cells = cells(inRowAt: latitude)
        let cell = ((point.longitude + 180) / 360 * cells).rounded(.down)
        // 180° is −180°.
        let longitude = ((cell < cells ? cell : 0) + 0.5) / cells * 360 - 180
        return Coordinate(clamping: Self.rounded(latitude), Self.rounded(longitude))
    }

    /// So many that none is wider than asked for at the row's edge towards the equator, where they are widest.
    private func cells(inRowAt latitude: Double) -> Double {
        let edge = max(abs(latitude) - 90 / parts, 0)
        return (2 * Double.pi * Sphere.radius * cos(edge * 0.017453292519943295) / cellMetres).rounded(.up)
    }

    private static func rounded(_ degrees: Double) -> Double {
        (degrees * 1e7).rounded(.toNearestOrEven) / 1e7
    }
}
