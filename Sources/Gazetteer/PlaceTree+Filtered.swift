extension PlaceTree {
    /// The nearest place of a tree, within a squared chord, for which a condition holds; of equally near ones the
    /// lowest geonameid.
    ///
    /// Walks the tree as `nearest(inTree:to:within:)` does and cuts off by the best place that passes, so what few
    /// places pass makes a longer walk. Compares the places' own coordinates.
    func nearest(
        inTree tree: Int, to target: UnitVector, within squaredChord: Double, where passes: (Int) -> Bool
    ) -> Nearest? {
        let record = tree &* Record.size
        guard tree >= 0, record + Record.size <= records.count else { return nil }
        let first = Int(records.integer(at: record + Record.firstPoint, as: UInt32.self))
        let count = Int(records.integer(at: record + Record.pointCount, as: UInt32.self))
        let root = Int(records.integer(at: record + Record.firstNode, as: UInt32.self))
        let depth = Int(records.integer(at: record + Record.depth, as: UInt32.self))
        guard count > 0, first + count <= points.count / PlacePoint.size, depth < 32,
            root + 1 << depth - 1 <= nodes.count / 4
        else { return nil }
        var walk = Walk(
            tree: self, target: target, first: first, count: count, root: root, depth: depth,
            limit: squaredChord)
        return withoutActuallyEscaping(passes) { passes in
            walk.visit(1, (0, 0, 0), passes)
            return walk.best
        }
    }

    private struct Walk {
        /// Stored vectors are rounded by half a unit of 2⁻³⁰, and a plane's lowest bits are its axis: what lies behind a
        /// plane may be nearer than it says by so much on each axis.
        static let slack = 8 / PlacePoint.scale

        let tree: PlaceTree
        let target: UnitVector
        let first: Int
        let count: Int
        let root: Int
        let depth: Int
        var limit: Double
        var best: Nearest?

        mutating func visit(_ node: Int, _ offset: (Double, Double, Double), _ passes: (Int) -> Bool) {
            guard node >> depth == 0 else {
                let leaf = node - 1 << depth
                let low = first + (count * leaf) >> depth
                let high = first + (count * (leaf + 1)) >> depth
                for index in low..<high { weigh(index, passes) }
                return
            }
            let value: Int32 = tree.nodes.integer(at: (root + node - 1) * 4)
            let plane = Double(value & ~PlaceTree.axisMask) / PlacePoint.scale
            var far = offset
            let difference: Double
            switch value & PlaceTree.axisMask {
            case 0:
                difference = target.x - plane
                far.0 = max(abs(difference) - Self.slack, 0)
            case 1:
                difference = target.y - plane
                far.1 = max(abs(difference) - Self.slack, 0)
            default:
                difference = target.z - plane
                far.2 = max(abs(difference) - Self.slack, 0)
            }
            let near = difference < 0 ? node * 2 : node * 2 + 1
            visit(near, offset, passes)
            if far.0 * far.0 + far.1 * far.1 + far.2 * far.2 <= limit { visit(near ^ 1, far, passes) }
        }

        private mutating func weigh(_ index: Int, _ passes: (Int) -> Bool) {
            let point = PlacePoint(bits: tree.points.integer(at: index * PlacePoint.size + 12))
            let record = point.place * PlaceRecord.size
            let latitude: Int32 = tree.places.integer(at: record + PlaceRecord.latitude)
            let longitude: Int32 = tree.places.integer(at: record + PlaceRecord.longitude)
            let coordinate = Coordinate(
                clamping: Double(latitude) / IndexFormat.degreeScale,
                Double(longitude) / IndexFormat.degreeScale)
            let chord = UnitVector(coordinate).squaredChord(to: target)
            guard chord <= limit, passes(point.place) else { return }
            if let best, best.squaredChord == chord, number(best.point) < number(point) { return }
            best = Nearest(point: point, squaredChord: chord)
            limit = chord
        }

        private func number(_ point: PlacePoint) -> UInt32 {
            tree.places.integer(at: point.place * PlaceRecord.size + PlaceRecord.geonameid)
        }
    }
}
