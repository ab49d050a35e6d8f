extension PlaceTree {
    /// A search for the nearest place, over one tree or several.
    struct Search {
        let target: UnitVector
        /// The largest squared chord.
        let cap: Double
        let x: Int
        let y: Int
        let z: Int
        var best: Int?
        /// No place farther than this can be the best; in units of the stored vectors.
        var reach: Double
        /// Anything nearer than this lies within the cap despite rounding.
        let certainReach: Double
        /// The best place is at least this far away.
        var nearestPossible = Double.infinity
        /// The limit for squared distances from planes, whose lowest bits are the axis.
        var planeLimit: Int

        // The tree being searched.
        var leaves = 0
        var count = 0
        var root = 0
        var depth = 0
        var firstPlace = 0
        var isIndirect = false

        init(_ target: UnitVector, within cap: Double) {
            self.target = target
            self.cap = cap
            x = (target.x * PlaceTree.scale).nearestInteger
            y = (target.y * PlaceTree.scale).nearestInteger
            z = (target.z * PlaceTree.scale).nearestInteger
            // Allows for the rounding of the target and of chords.
            let chord = min(cap, 4).squareRoot() * PlaceTree.scale
            reach = chord + 4
            certainReach = chord - 4
            planeLimit = Self.squared(reach + 8)
        }

        /// No distance of vectors is as long as the longest one here, but a damaged index may have it.
        static func squared(_ distance: Double) -> Int {
            distance * distance < 0x1p62 ? Int(distance * distance) &+ 1 : 1 << 62
        }
    }

    /// The best place of a search, if it lies within the search's cap.
    func nearest(_ search: borrowing Search) -> Int? {
        guard let place = search.best else { return nil }
        // Rounding matters only near the cap.
        if search.reach < search.certainReach { return place }
        return squaredChord(ofPlace: place, search.target) <= search.cap ? place : nil
    }

    /// The nearest place of a tree within a squared chord.
    func nearest(inTree tree: Int, to target: UnitVector, within squaredChord: Double) -> Int? {
        var search = Search(target, within: squaredChord)
        self.search(tree, &search)
        return nearest(search)
    }

    /// The nearest place of some trees within a squared chord.
    func nearest(
        inTrees trees: some Sequence<Int>, to target: UnitVector, within squaredChord: Double
    ) -> Int? {
        var search = Search(target, within: squaredChord)
        self.search(trees, &search)
        return nearest(search)
    }
}
