import Glibc

/// The land of the world, drawn in square tiles of the Web Mercator projection as map libraries number them: at zoom z there are
/// 2^z tiles in a row, the first at 180° west and 85° north.
package struct LandMap: Sendable {
    /// What an odd number of the rings encloses is the country. A ring alternates longitudes and latitudes, in degrees.
    package struct Shape: Sendable {
        package let country: Country
        package let rings: [[Double]]
    }

    package static let deepestZoom = 16

    /// Each level is for two zooms. The last has all points.
    private let levels: [[(Country, [Ring])]]

    /// Takes some seconds for the whole world: not for Swift's pool.
    package init(of gazetteer: Gazetteer) {
        var outline = LandOutline(of: gazetteer)
        // Each is made from the finer one: most of its points are gone already.
        var levels = [Self.named(outline, gazetteer)]
        for level in stride(from: 3, through: 0, by: -1) {
            outline = outline.simplified(toleranceMetres: Self.metresPerStep(zoom: 2 * level + 1))
            levels.insert(Self.named(outline, gazetteer), at: 0)
        }
        self.levels = levels
    }

    private static func named(_ outline: LandOutline, _ gazetteer: Gazetteer) -> [(Country, [Ring])] {
        outline.countries.compactMap { shape in
            gazetteer.country(shape.index).map { ($0, shape.rings.map { Ring($0) }) }
        }
    }

    /// A tile is drawn 1024 pixels wide at most.
    private static func metresPerStep(zoom: Int) -> Double { 40_075_000 / Double(1 << zoom) / 1024 }

    /// The countries of a tile, cut a little outside of its edges. Empty for a tile that does not exist.
    package func tile(zoom: Int, x: Int, y: Int) -> [Shape] {
        guard (0...Self.deepestZoom).contains(zoom), (0..<1 << zoom).contains(x), (0..<1 << zoom).contains(y)
        else { return [] }
        let box = Box(zoom: zoom, x: x, y: y)
        // What is not seen at this zoom is not sent.
        let step = 360 / Double(1 << zoom) / 4096
        let digits = max(0, -log10(step)).rounded(.up)
        let unit = pow(10, digits)
        return levels[min(zoom / 2, levels.count - 1)].compactMap { country, rings in
            let cut = rings.compactMap { ring -> [Double]? in
                let points = ring.cut(to: box)
                guard points.count >= 6 else { return nil }
                return points.map { (Double($0) / IndexFormat.degreeScale * unit).rounded() / unit }
            }
            return cut.isEmpty ? nil : Shape(country: country, rings: cut)
        }
    }

    /// In `IndexFormat.degreeScale`.
    fileprivate struct Box {
        var west: Int32
        var south: Int32
        var east: Int32
        var north: Int32

        init(west: Int32, south: Int32, east: Int32, north: Int32) {
            (self.west, self.south, self.east, self.north) = (west, south, east, north)
        }

        init(zoom: Int, x: Int, y: Int) {
            let tiles = Double(1 << zoom)
            // A line along the cut would be seen.
            let margin = 0.02
            func longitude(_ x: Double) -> Int32 {
                Int32(min(max(x / tiles * 360 - 180, -180), 180) * IndexFormat.degreeScale)
            }
            func latitude(_ y: Double) -> Int32 {
                let degrees = atan(sinh(.pi * (1 - 2 * y / tiles))) * 180 / .pi
                return Int32(degrees * IndexFormat.degreeScale)
            }
            west = longitude(Double(x) - margin)
            east = longitude(Double(x) + 1 + margin)
            north = latitude(Double(y) - margin)
            south = latitude(Double(y) + 1 + margin)
        }
    }

    fileprivate struct Ring {
        let points: [Int32]
        let extent: Box

        init(_ points: [Int32]) {
            self.points = points
            var box = Box(west: .max, south: .max, east: .min, north: .min)
            for index in stride(from: 0, to: points.count - 1, by: 2) {
                (box.west, box.east) = (min(box.west, points[index]), max(box.east, points[index]))
                (box.south, box.north) = (
                    min(box.south, points[index + 1]), max(box.north, points[index + 1])
                )
            }
            extent = box
        }

        /// The part within a box, by the method of Sutherland and Hodgman (1974).
        func cut(to box: Box) -> [Int32] {
            guard extent.west <= box.east, extent.east >= box.west, extent.south <= box.north,
                extent.north >= box.south
            else { return [] }
            var points = points
            if extent.west < box.west { points = Self.cut(points, axis: 0) { Int64($0) - Int64(box.west) } }
            if extent.east > box.east { points = Self.cut(points, axis: 0) { Int64(box.east) - Int64($0) } }
            if extent.south < box.south {
                points = Self.cut(points, axis: 1) { Int64($0) - Int64(box.south) }
            }
            if extent.north > box.north {
                points = Self.cut(points, axis: 1) { Int64(box.north) - Int64($0) }
            }
            return points
        }

        /// The part where `depth` of a coordinate, which is how far inside of an edge it is, is not negative.
        private static func cut(_ points: [Int32], axis: Int, depth: (Int32) -> Int64) -> [Int32] {
            guard points.count >= 6 else { return [] }
            var kept: [Int32] = []
            var last = points.count - 2
            for index in stride(from: 0, to: points.count - 1, by: 2) {
                let (before, now) = (depth(points[last + axis]), depth(points[index + axis]))
                if (before < 0) != (now < 0) {
                    let share = Double(before) / Double(before - now)
                    for part in 0..<2 {
                        let (start, end) = (Double(points[last + part]), Double(points[index + part]))
                        kept.append(Int32((start + share * (end - start)).rounded()))
                    }
                }
                if now >= 0 { kept += [points[index], points[index + 1]] }
                last = index
            }
            return kept
        }
    }
}
