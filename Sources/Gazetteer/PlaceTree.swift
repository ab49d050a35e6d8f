/// k-d trees over unit vectors, read in place: nodes with planes, and leaves with some points each.
///
/// There is a tree for each country, so that a search passes no place of another: see `IndexFormat.Kind`.
/// A tree of n points and depth d has 2ᵈ leaves; leaf i has the points from ⌊n i / 2ᵈ⌋ on. Nodes stand as in
/// a heap: the children of node k, from 1, are 2 k and 2 k + 1. All nodes of the planet's places take
/// some 60 kB, which stay in the processor's caches; a search then touches the leaves that it needs.
///
/// Nearest-neighbour search after Friedman, Bentley and Finkel (1977) and, for what lies beyond a
/// plane, Arya and Mount (1993), without allocation. Stored vectors are rounded, to 6 mm: the search
/// compares them, and asks the places' own coordinates where rounding could decide.
struct PlaceTree: Sendable {
    struct Nearest {
        var point: PlacePoint
        var squaredChord: Double
    }

    /// Offsets within a tree's record.
    enum Record {
        static let size = 16
        static let firstPoint = 0
        static let pointCount = 4
        static let firstNode = 8
        static let depth = 12
    }

    /// The most points of a leaf. Fewer cost more of what is slow, the walk to another leaf's memory: 8 were a
    /// tenth slower, 36 no faster.
    static let leafSize = 24
    /// In the lowest bits of a node, which its plane's position leaves.
    static let axisMask: Int32 = 3

    let points: ByteSection
    let nodes: ByteSection
    let records: ByteSection
    let places: ByteSection

    /// The nearest place of a tree within a squared chord; of equally near ones the lowest geonameid.
    ///
    /// A point with `PlacePoint.speaksNearby` counts within `Gazetteer.townRadiusMetres` only.
    func nearest(inTree tree: Int, to target: UnitVector, within squaredChord: Double) -> Nearest? {
        let record = tree &* Record.size
        let first = Int(records.integer(at: record &+ Record.firstPoint, as: UInt32.self))
        let count = Int(records.integer(at: record &+ Record.pointCount, as: UInt32.self))
        let root = Int(records.integer(at: record &+ Record.firstNode, as: UInt32.self))
        let depth = Int(records.integer(at: record &+ Record.depth, as: UInt32.self))
        // The walk below relies on these alone.
        guard count > 0, first &+ count <= points.count / PlacePoint.size, depth < 32,
            root &+ 1 << depth &- 1 <= nodes.count / 4
        else { return nil }
        var search = Search(target, within: squaredChord)
        search.first = first
        search.count = count
        search.root = root &- 1
        search.depth = depth
        visit(1, Offset(), &search)
        return search.best.flatMap { best in
            let chord = self.squaredChord(of: best, target)
            return chord <= squaredChord ? Nearest(point: best, squaredChord: chord) : nil
        }
    }

    /// How far a subtree lies from the target, along each axis.
    private struct Offset {
        var x = 0
        var y = 0
        var z = 0

        var squared: Int { x &* x &+ y &* y &+ z &* z }
    }

    private struct Search {
        var first = 0
        var count = 0
        /// Added to a node's number gives its place in `nodes`.
        var root = 0
        var depth = 0
        let target: UnitVector
        let x: Int
        let y: Int
        let z: Int
        /// Squared chords that differ by less may be in the other order before rounding.
        let slack: Int
        /// Of squared chords, all in units of the stored vectors.
        var limit: Int
        var best: PlacePoint?
        var bestSquared = Int.max

        init(_ target: UnitVector, within squaredChord: Double) {
            let scale = PlacePoint.scale
            self.target = target
            x = Int((target.x * scale).rounded())
            y = Int((target.y * scale).rounded())
            z = Int((target.z * scale).rounded())
            let chord = min(squaredChord, 4).squareRoot() * scale
            // A difference of two rounded numbers errs by at most 1 on each axis: (c + √3)² − c², twice.
            // A plane errs by 3 more, as its lowest bits are the axis.
            slack = 2 * Int(chord * 3.5 + 4) + Int(chord * 8 + 16)
            limit = Int(chord * chord) &+ slack
        }
    }

    private func visit(_ node: Int, _ offset: Offset, _ search: inout Search) {
        guard node >> search.depth == 0 else {
            let leaf = node &- 1 << search.depth
            let low = search.first &+ (search.count &* leaf) >> search.depth
            let high = search.first &+ (search.count &* (leaf &+ 1)) >> search.depth
            for index in low..<high { weigh(index, &search) }
            return
        }
        let value: Int32 = nodes.unchecked(at: (search.root &+ node) &* 4)
        let plane = Int(value & ~Self.axisMask)
        var far = offset
        let difference: Int
        switch value & Self.axisMask {
        case 0:
            difference = search.x &- plane
            far.x = difference
        case 1:
            difference = search.y &- plane
            far.y = difference
        default:
            difference = search.z &- plane
            far.z = difference
        }
        let near = difference < 0 ? node &* 2 : node &* 2 &+ 1
        visit(near, offset, &search)
        if far.squared <= search.limit { visit(near ^ 1, far, &search) }
    }

    @inline(__always)
    private func weigh(_ index: Int, _ search: inout Search) {
        let record = index &* PlacePoint.size
        let dx = search.x &- Int(points.unchecked(at: record, as: Int32.self))
        let dy = search.y &- Int(points.unchecked(at: record &+ 4, as: Int32.self))
        let dz = search.z &- Int(points.unchecked(at: record &+ 8, as: Int32.self))
        let squared = dx &* dx &+ dy &* dy &+ dz &* dz
        if squared <= search.limit { compare(index, squared, &search) }
    }

    /// Takes a point that is nearer than the best.
    private func compare(_ index: Int, _ squared: Int, _ search: inout Search) {
        let point = PlacePoint(bits: points.unchecked(at: index &* PlacePoint.size &+ 12))
        if point.speaksNearby, squaredChord(of: point, search.target) > Gazetteer.squaredTownRadius { return }
        if let best = search.best, squared &+ search.slack >= search.bestSquared {
            let chord = squaredChord(of: point, search.target)
            let bestChord = squaredChord(of: best, search.target)
            let isNearer =
                chord != bestChord ? chord < bestChord : geonameid(of: point) < geonameid(of: best)
            guard isNearer else { return }
        }
        search.best = point
        search.bestSquared = squared
        search.limit = squared &+ search.slack
    }

    private func squaredChord(of point: PlacePoint, _ target: UnitVector) -> Double {
        UnitVector(coordinate(of: point)).squaredChord(to: target)
    }

    private func coordinate(of point: PlacePoint) -> Coordinate {
        let record = point.place * PlaceRecord.size
        let latitude: Int32 = places.integer(at: record + PlaceRecord.latitude)
        let longitude: Int32 = places.integer(at: record + PlaceRecord.longitude)
        return Coordinate(
            clamping: Double(latitude) / IndexFormat.degreeScale, Double(longitude) / IndexFormat.degreeScale)
    }

    private func geonameid(of point: PlacePoint) -> UInt32 {
        places.integer(at: point.place * PlaceRecord.size + PlaceRecord.geonameid)
    }
}

/// What a tree's point refers to.
struct PlacePoint: Hashable {
    /// Three numbers of 32 bits for the unit vector times `scale`, and `bits`.
    static let size = 16
    static let scale = 1_073_741_824.0

    let bits: UInt32

    init(bits: UInt32) {
        self.bits = bits
    }

    init(place: Int, overrules: Bool = false, speaksNearby: Bool = false) {
        bits = UInt32(place) | (overrules ? 1 << 30 : 0) | (speaksNearby ? 1 << 31 : 0)
    }

    /// The place's number.
    var place: Int { Int(bits & (1 << 30 - 1)) }
    /// Whether the place's country is another than the tree's.
    var overrules: Bool { bits & 1 << 30 != 0 }
    var speaksNearby: Bool { bits & 1 << 31 != 0 }
}
