import Glibc

/// Divides the Earth into cells of nearly equal size; the centre of a cell can stand for all points in it.
///
/// Rows of latitude are as high as a cell is wide and symmetric about the equator; the number of cells in a row
/// depends only on the row. The cells at the poles are discs around them. No cell is larger than requested, so a
/// point is never farther than `cellMetres` / √2 (plus 1 cm for the rounding of the result) from its cell's centre.
///
/// The same point always gives the same result, and so do all points of its cell. However many photos of one spot
/// are published, their average does not reveal the spot. `darkroom.grid_centre` computes the same in the database.
package struct CoordinateGrid: Sendable, Hashable {
    /// Both sides of a cell, in metres along the sphere of `Coordinate.distance(to:)`.
    package let cellMetres: Double
    /// The number of parts of a meridian. There is one row more, because half a part lies at each pole.
    private let parts: Double

    /// - Parameter cellMetres: 1 to 1 000 000.
    package init(cellMetres: Double) {
        precondition((1...1_000_000).contains(cellMetres), "a cell of \(cellMetres) m is not a valid size")
        self.cellMetres = cellMetres
        parts = (Double.pi * Sphere.radius / cellMetres).rounded(.up)
    }

    /// The centre of the cell that contains a point, to 10⁻⁷ degrees; the centre of a centre is itself.
    package func centre(of point: Coordinate) -> Coordinate {
        let row = ((point.latitude + 90) / 180 * parts + 0.5).rounded(.down)
        let latitude = row / parts * 180 - 90
        // At a pole all longitudes are the same point.
        guard row > 0, row < parts else { return Coordinate(clamping: latitude, 0) }
        let cells = cells(inRowAt: latitude)
        let cell = ((point.longitude + 180) / 360 * cells).rounded(.down)
        // 180° is the same as −180°.
        let longitude = ((cell < cells ? cell : 0) + 0.5) / cells * 360 - 180
        return Coordinate(clamping: Self.rounded(latitude), Self.rounded(longitude))
    }

    /// Enough cells that none is wider than requested at the row's edge towards the equator, where they are widest.
    private func cells(inRowAt latitude: Double) -> Double {
        let edge = max(abs(latitude) - 90 / parts, 0)
        return (2 * Double.pi * Sphere.radius * cos(edge * 0.017453292519943295) / cellMetres).rounded(.up)
    }

    private static func rounded(_ degrees: Double) -> Double {
        (degrees * 1e7).rounded(.toNearestOrEven) / 1e7
    }
}
