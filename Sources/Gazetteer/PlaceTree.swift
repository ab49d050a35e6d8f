/// A k-d tree over unit vectors, laid out implicitly: the middle element of a range is its root,
/// the halves either side are its subtrees, and depth modulo 3 is the splitting axis.
///
/// Nearest-neighbour search after Friedman, Bentley and Finkel (1977), without allocation.
struct PlaceTree {
    struct Nearest {
        var index: Int
        var squaredChord: Double
    }

    private struct Search {
        let target: UnitVector
        var best: Nearest
    }

    let vectors: ByteSection
    let count: Int

    /// The nearest element within a squared chord that satisfies a condition on its index and
    /// squared chord.
    ///
    /// Of equally near elements the first in the tree's order wins, whatever the search order.
    func nearest(
        to target: UnitVector, within squaredChord: Double, where isIncluded: (Int, Double) -> Bool
    ) -> Nearest? {
        var search = Search(target: target, best: Nearest(index: -1, squaredChord: squaredChord))
        visit(0, count, axis: 0, &search, isIncluded)
        return search.best.index < 0 ? nil : search.best
    }

    private func visit(
        _ low: Int, _ high: Int, axis: Int, _ search: inout Search, _ isIncluded: (Int, Double) -> Bool
    ) {
        guard low < high else { return }
        let middle = (low &+ high) >> 1
        let offset = middle &* 24
        let node = UnitVector(
            x: vectors.double(at: offset), y: vectors.double(at: offset &+ 8),
            z: vectors.double(at: offset &+ 16))
        let squaredChord = node.squaredChord(to: search.target)
        let isNearer =
            squaredChord < search.best.squaredChord
            || (squaredChord == search.best.squaredChord
                && (search.best.index < 0 || middle < search.best.index))
        if isNearer, isIncluded(middle, squaredChord) {
            search.best = Nearest(index: middle, squaredChord: squaredChord)
        }
        let difference =
            switch axis {
            case 0: search.target.x - node.x
            case 1: search.target.y - node.y
            default: search.target.z - node.z
            }
        let next = axis == 2 ? 0 : axis &+ 1
        if difference < 0 {
            visit(low, middle, axis: next, &search, isIncluded)
            if difference * difference <= search.best.squaredChord {
                visit(middle &+ 1, high, axis: next, &search, isIncluded)
            }
        } else {
            visit(middle &+ 1, high, axis: next, &search, isIncluded)
            if difference * difference <= search.best.squaredChord {
                visit(low, middle, axis: next, &search, isIncluded)
            }
        }
    }
}
