/// Orders points as `PlaceTree` reads them.
enum TreeOrder {
    struct Point {
        var vector: UnitVector
        var geonameid: UInt32
        var draft: Int

        @inline(__always)
        func precedes(_ other: Point, axis: Int) -> Bool {
            let (left, right) =
                switch axis {
                case 0: (vector.x, other.vector.x)
                case 1: (vector.y, other.vector.y)
                default: (vector.z, other.vector.z)
                }
            return left != right ? left < right : geonameid < other.geonameid
        }
    }

    /// Puts every range's median at its middle. The order is total, so the result depends on the set
    /// of points alone.
    static func arrange(_ points: inout [Point]) {
        points.withUnsafeMutableBufferPointer { arrange($0, 0, $0.count, axis: 0) }
    }

    private static func arrange(
        _ points: UnsafeMutableBufferPointer<Point>, _ low: Int, _ high: Int, axis: Int
    ) {
        guard high - low > 1 else { return }
        let middle = (low + high) >> 1
        select(points, low, high - 1, middle, axis)
        let next = axis == 2 ? 0 : axis + 1
        arrange(points, low, middle, axis: next)
        arrange(points, middle + 1, high, axis: next)
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
