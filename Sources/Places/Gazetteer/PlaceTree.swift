/// k-d trees over unit vectors, read in place: nodes with planes, and leaves with some points each.
///
/// If border data decides the division of a point, each division has its own tree, so that a search sees no place of
/// another division: see `TreePlan`. A tree of n points and depth d has 2ᵈ leaves; leaf i has the points from
/// ⌊n i / 2ᵈ⌋ on. Nodes are stored as in a heap: the children of node k, from 1, are 2 k and 2 k + 1.
/// All nodes for the planet's places take some 60 kB, which stay in the processor's caches; a search then
/// only touches the leaves that it needs. A leaf begins with its lowest corner and a power of two, the unit of its
/// points' distances from that corner, so that a point takes 6 bytes.
///
/// Nearest-neighbour search after Friedman, Bentley and Finkel (1977) and, for the far side of a
/// plane, Arya and Mount (1993), without allocation. Points are rounded, to 6 mm or a ten-thousandth
/// of their leaf: the search compares them, and reads the places' own coordinates if rounding
/// could decide.
struct PlaceTree: Sendable {
    /// Offsets within a tree's record.
    enum Record {
        static let size = 28
        /// The offset of the first leaf, in units of 2 bytes.
        static let leaves = 0
        /// The count of points, with the depth in the highest bits.
        static let count = 4
        static let firstNode = 8
        /// The number of the first place, or, with `isIndirect`, of the first place's number in `references`.
        static let firstPlace = 12
        /// A box around the points: its lowest corner, then its highest one, in units of 2 to the power of `boxShift`.
        static let box = 16

        static let depthShift: UInt32 = 27
        static let isIndirect: UInt32 = 1 << 31
    }

    /// The most points in a leaf. With fewer, the search jumps to other leaves more often, which is slow.
    static let leafSize = 24
    /// Three 32-bit numbers for the corner, one for the power of two.
    static let leafHeaderSize = 16
    static let pointSize = 6
    /// Vectors are stored times this.
    static let scale = 1_073_741_824.0
    /// The lowest bits of a node hold the axis; the rest is the plane's position.
    static let axisMask: Int32 = 3
    static let boxShift = 16

    let points: ByteSection
    let nodes: ByteSection
    let records: ByteSection
    let references: ByteSection
    let places: ByteSection

    /// Searches a tree for anything nearer than the best place found so far.
    ///
    /// On a tie the place that `isPreferred` wins.
    func search(_ tree: Int, _ search: inout Search) {
        let record = tree &* Record.size
        guard tree >= 0, record &+ Record.size <= records.count else { return }
        let counts: UInt32 = records.unchecked(at: record &+ Record.count)
        let count = Int(counts & (1 << Record.depthShift &- 1))
        let depth = Int(counts >> Record.depthShift)
        guard count > 0 else { return }
        let leaves = Int(records.unchecked(at: record &+ Record.leaves, as: UInt32.self)) &* 2
        let root = Int(records.unchecked(at: record &+ Record.firstNode, as: UInt32.self))
        // The walk below relies on these checks alone.
        guard
            leaves &+ Self.leafHeaderSize << depth &+ count &* Self.pointSize <= points.count,
            root &+ 1 << depth &- 1 <= nodes.count / 4
        else { return }
        let place: UInt32 = records.unchecked(at: record &+ Record.firstPlace)
        search.leaves = leaves
        search.count = count
        search.root = root &- 1
        search.depth = depth
        search.isIndirect = place & Record.isIndirect != 0
        search.firstPlace = Int(place & ~Record.isIndirect)
        visit(1, Offset(), &search)
    }

    /// Searches some trees, but none that lies farther away than the best place.
    func search(_ trees: some Sequence<Int>, _ search: inout Search) {
        for tree in trees where mayHold(tree, search) { self.search(tree, &search) }
    }

    /// Whether a tree may have a place that is near enough.
    func mayHold(_ tree: Int, _ search: borrowing Search) -> Bool {
        let box = tree &* Record.size &+ Record.box
        func distance(_ target: Int, _ axis: Int) -> Int {
            let low = Int(records.integer(at: box &+ axis &* 2, as: Int16.self)) << Self.boxShift
            let high = Int(records.integer(at: box &+ axis &* 2 &+ 6, as: Int16.self)) << Self.boxShift
            return max(low &- target, target &- high, 0)
        }
        let (x, y, z) = (distance(search.x, 0), distance(search.y, 1), distance(search.z, 2))
        return x &* x &+ y &* y &+ z &* z <= search.planeLimit
    }

    /// The distance of a subtree from the target, along each axis.
    private struct Offset {
        var x = 0
        var y = 0
        var z = 0

        var squared: Int { x &* x &+ y &* y &+ z &* z }
    }

    private func visit(_ node: Int, _ offset: Offset, _ search: inout Search) {
        guard node >> search.depth == 0 else { return scan(node &- 1 << search.depth, &search) }
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
        if far.squared <= search.planeLimit { visit(near ^ 1, far, &search) }
    }

    private func scan(_ leaf: Int, _ search: inout Search) {
        let low = (search.count &* leaf) >> search.depth
        let high = (search.count &* (leaf &+ 1)) >> search.depth
        let header = search.leaves &+ leaf &* Self.leafHeaderSize &+ low &* Self.pointSize
        let shift = Int(points.unchecked(at: header &+ 12, as: UInt32.self) & 31)
        let x = search.x &- Int(points.unchecked(at: header, as: Int32.self))
        let y = search.y &- Int(points.unchecked(at: header &+ 4, as: Int32.self))
        let z = search.z &- Int(points.unchecked(at: header &+ 8, as: Int32.self))
        // A stored number is off by up to half a step, and it and the target by half a unit each, along each axis.
        let error = Double(1 << shift) + 2
        var limit = Search.squared(search.reach + error)
        var offset = header &+ Self.leafHeaderSize
        for index in low..<high {
            let dx = x &- Int(points.unchecked(at: offset, as: UInt16.self)) << shift
            let dy = y &- Int(points.unchecked(at: offset &+ 2, as: UInt16.self)) << shift
            let dz = z &- Int(points.unchecked(at: offset &+ 4, as: UInt16.self)) << shift
            let squared = dx &* dx &+ dy &* dy &+ dz &* dz
            if squared <= limit {
                compare(index, squared, error, &search)
                limit = Search.squared(search.reach + error)
            }
            offset &+= Self.pointSize
        }
    }

    /// Takes a point if it is nearer than the best.
    private func compare(_ index: Int, _ squared: Int, _ error: Double, _ search: inout Search) {
        let number = search.firstPlace &+ index
        let place =
            search.isIndirect
            ? Int(references.integer(at: number &* 4, as: UInt32.self)) : number
        let distance = Double(squared).squareRoot()
        if let best = search.best, distance + error >= search.nearestPossible {
            let chord = squaredChord(ofPlace: place, search.target)
            let bestChord = squaredChord(ofPlace: best, search.target)
            guard chord != bestChord ? chord < bestChord : isPreferred(place, to: best) else { return }
        }
        search.best = place
        search.nearestPossible = distance - error
        search.reach = min(search.reach, distance + error)
        search.planeLimit = Search.squared(search.reach + 8)
    }

    func squaredChord(ofPlace place: Int, _ target: UnitVector) -> Double {
        let record = place * PlaceRecord.size
        let latitude: Int32 = places.integer(at: record + PlaceRecord.latitude)
        let longitude: Int32 = places.integer(at: record + PlaceRecord.longitude)
        let coordinate = Coordinate(
            clamping: Double(latitude) / IndexFormat.degreeScale, Double(longitude) / IndexFormat.degreeScale)
        return UnitVector(coordinate).squaredChord(to: target)
    }

    /// Of two places at one point, the one with more inhabitants; else the one with the lower geonameid.
    func isPreferred(_ place: Int, to other: Int) -> Bool {
        let (people, others) = (population(ofPlace: place), population(ofPlace: other))
        return people != others ? people > others : geonameid(ofPlace: place) < geonameid(ofPlace: other)
    }

    private func population(ofPlace place: Int) -> UInt32 {
        places.integer(at: place * PlaceRecord.size + PlaceRecord.population)
    }

    func geonameid(ofPlace place: Int) -> UInt32 {
        places.integer(at: place * PlaceRecord.size + PlaceRecord.geonameid)
    }
}
