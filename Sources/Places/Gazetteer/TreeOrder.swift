/// Orders points the way `PlaceTree` reads them.
enum TreeOrder {
    struct Point {
        var x: Int32
        var y: Int32
        var z: Int32
        var geonameid: UInt32
        var draft: Int

        init(_ coordinate: Coordinate, geonameid: UInt32, draft: Int) {
            let vector = UnitVector(coordinate)
            x = Int32((vector.x * PlaceTree.scale).rounded())
            y = Int32((vector.y * PlaceTree.scale).rounded())
            z = Int32((vector.z * PlaceTree.scale).rounded())
            self.geonameid = geonameid
            self.draft = draft
        }

        @inline(__always)
        func precedes(_ other: Point, axis: Int) -> Bool {
            let (left, right) =
                switch axis {
                case 0: (x, other.x)
                case 1: (y, other.y)
                default: (z, other.z)
                }
            return left != right ? left < right : geonameid < other.geonameid
        }
    }

    /// Sorts points into leaves, and returns the depth and the nodes as `PlaceTree` reads them.
    ///
    /// Each plane cuts the axis along which the points spread widest. The order is total, so the result
    /// depends only on the set of points.
    static func arrange(_ points: inout [Point]) -> (depth: Int, nodes: [Int32]) {
        var depth = 0
        while points.count > PlaceTree.leafSize << depth { depth += 1 }
        var nodes = [Int32](repeating: 0, count: 1 << depth - 1)
        points.withUnsafeMutableBufferPointer { arrange($0, 0, $0.count, node: 1, level: 0, depth, &nodes) }
        return (depth, nodes)
    }

    /// Points as a leaf stores them: steps of two to the power of `shift` from the lowest corner.
    static func pack(_ points: ArraySlice<Point>) -> (
        corner: (x: Int32, y: Int32, z: Int32), shift: Int, values: [UInt16]
    ) {
        let (low, high) = box(points)
        let width = max(Int(high.x) - Int(low.x), Int(high.y) - Int(low.y), Int(high.z) - Int(low.z))
        var shift = 0
        func steps(_ distance: Int) -> Int { (distance + (1 << shift) >> 1) >> shift }
        while steps(width) > Int(UInt16.max) { shift += 1 }
        var values: [UInt16] = []
        for point in points {
            values.append(UInt16(steps(Int(point.x) - Int(low.x))))
            values.append(UInt16(steps(Int(point.y) - Int(low.y))))
            values.append(UInt16(steps(Int(point.z) - Int(low.z))))
        }
        return (low, shift, values)
    }

    static func box(_ points: ArraySlice<Point>) -> (
        low: (x: Int32, y: Int32, z: Int32), high: (x: Int32, y: Int32, z: Int32)
    ) {
        guard let first = points.first else { return ((0, 0, 0), (0, 0, 0)) }
        var (low, high) = ((x: first.x, y: first.y, z: first.z), (x: first.x, y: first.y, z: first.z))
        for point in points {
            low = (min(low.x, point.x), min(low.y, point.y), min(low.z, point.z))
            high = (max(high.x, point.x), max(high.y, point.y), max(high.z, point.z))
        }
        return (low, high)
    }

    private static func arrange(
        _ points: UnsafeMutableBufferPointer<Point>, _ low: Int, _ high: Int, node: Int, level: Int,
        _ depth: Int, _ nodes: inout [Int32]
    ) {
        guard level < depth else {
            points[low..<high].sort { $0.geonameid < $1.geonameid }
            return
        }
        let first = node - 1 << level
        let middle = (points.count * (2 * first + 1)) >> (level + 1)
        let axis = widestAxis(points[low..<high])
        select(points, low, high - 1, middle, axis)
        let plane =
            switch axis {
            case 0: points[middle].x
            case 1: points[middle].y
            default: points[middle].z
            }
        nodes[node - 1] = plane & ~PlaceTree.axisMask | Int32(axis)
        arrange(points, low, middle, node: 2 * node, level: level + 1, depth, &nodes)
        arrange(points, middle, high, node: 2 * node + 1, level: level + 1, depth, &nodes)
    }

    private static func widestAxis(_ points: Slice<UnsafeMutableBufferPointer<Point>>) -> Int {
        var widest = (axis: 0, width: -1)
        for (axis, path) in [\Point.x, \Point.y, \Point.z].enumerated() {
            var (least, most) = (Int.max, Int.min)
            for point in points {
                least = min(least, Int(point[keyPath: path]))
                most = max(most, Int(point[keyPath: path]))
            }
            if most - least > widest.width { widest = (axis, most - least) }
        }
        return widest.axis
    }

    /// Hoare's selection with the median of three as pivot.
    private static func select(
        _ points: UnsafeMutableBufferPointer<Point>, _ low: Int, _ high: Int, _ wanted: Int, _ axis: Int
    ) {
        var low = low
        var high = high
        while low < high {
            let middle = (low + high) >> 1
            if points[middle].precedes(points[low], axis: axis) { points.swapAt(low, middle) }
            if points[high].precedes(points[low], axis: axis) { points.swapAt(low, high) }
            if points[high].precedes(points[middle], axis: axis) { points.swapAt(middle, high) }
            let pivot = points[middle]
            var left = low
            var right = high
            while left <= right {
                while points[left].precedes(pivot, axis: axis) { left += 1 }
                while pivot.precedes(points[right], axis: axis) { right -= 1 }
                if left <= right {
                    points.swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            if wanted <= right { high = right } else if wanted >= left { low = left } else { return }
        }
    }
}
