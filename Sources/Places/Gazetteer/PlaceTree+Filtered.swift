extension PlaceTree {
    /// The nearest place of some trees, within a squared chord, for which a condition holds. On a tie the one that
    /// `isPreferred` wins.
    ///
    /// Walks the tree like `search(_:_:)` and prunes by the best place that passes, so the walk is longer if few places
    /// pass. Compares the places' own coordinates.
    func nearest(
        inTrees trees: some Sequence<Int>, to target: UnitVector, within squaredChord: Double,
        where passes: (Int) -> Bool
    ) -> (place: Int, squaredChord: Double)? {
        var walk = Walk(tree: self, target: target, limit: squaredChord)
        for tree in trees where mayHold(tree, Search(target, within: walk.limit)) {
            walk.search(tree, passes)
        }
        return walk.best
    }

    private struct Walk {
        /// Planes come from vectors rounded by half a unit of 2⁻³⁰, and their lowest bits are the axis.
        /// So places behind a plane may be nearer than the plane says by this much on each axis.
        static let slack = 8 / PlaceTree.scale

        let tree: PlaceTree
        let target: UnitVector
        var limit: Double
        var best: (place: Int, squaredChord: Double)?

        // The tree being searched.
        private var count = 0
        private var root = 0
        private var depth = 0
        private var firstPlace = 0
        private var isIndirect = false

        init(tree: PlaceTree, target: UnitVector, limit: Double) {
            self.tree = tree
            self.target = target
            self.limit = limit
        }

        mutating func search(_ number: Int, _ passes: (Int) -> Bool) {
            let record = number &* Record.size
            guard number >= 0, record + Record.size <= tree.records.count else { return }
            let counts: UInt32 = tree.records.integer(at: record + Record.count)
            count = Int(counts & (1 << Record.depthShift - 1))
            depth = Int(counts >> Record.depthShift)
            root = Int(tree.records.integer(at: record + Record.firstNode, as: UInt32.self))
            let place: UInt32 = tree.records.integer(at: record + Record.firstPlace)
            firstPlace = Int(place & ~Record.isIndirect)
            isIndirect = place & Record.isIndirect != 0
            guard count > 0, root + 1 << depth - 1 <= tree.nodes.count / 4 else { return }
            visit(1, (0, 0, 0), passes)
        }

        private mutating func visit(_ node: Int, _ offset: (Double, Double, Double), _ passes: (Int) -> Bool)
        {
            guard node >> depth == 0 else {
                let leaf = node - 1 << depth
                let low = (count * leaf) >> depth
                let high = (count * (leaf + 1)) >> depth
                for index in low..<high { weigh(index, passes) }
                return
            }
            let value: Int32 = tree.nodes.integer(at: (root + node - 1) * 4)
            let plane = Double(value & ~PlaceTree.axisMask) / PlaceTree.scale
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
            let number = firstPlace + index
            let place =
                isIndirect ? Int(tree.references.integer(at: number * 4, as: UInt32.self)) : number
            let chord = tree.squaredChord(ofPlace: place, target)
            guard chord <= limit, passes(place) else { return }
            if let best, best.squaredChord == chord, tree.isPreferred(best.place, to: place) { return }
            best = (place, chord)
            limit = chord
        }
    }
}
